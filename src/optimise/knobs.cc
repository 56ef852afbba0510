#include "optimise/knobs.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "bridge/child.h"

namespace ka::optimise {
namespace {

constexpr std::chrono::seconds kLimit{30};

// What a kind of knob may be. Warps are powers of two, stages follow each other, blocks are powers of two.
struct Range {
  std::string_view kind;
  std::int64_t least, most;
  bool doubles;
};
constexpr auto kRanges = std::to_array<Range>({{"warps", 1, 32, true}, {"stages", 1, 8, false}, {"block", 16, 65'536, true}});
constexpr int kSteps = 2;  // in either direction

// Which kinds help against what, the most promising first.
struct Remedy {
  std::string_view bottleneck;
  std::array<std::string_view, 3> kinds;
};
constexpr auto kRemedies = std::to_array<Remedy>({
    {"memory", {"block", "stages", "warps"}},
    {"compute", {"block", "warps", "stages"}},
    {"latency", {"stages", "warps", "block"}},
    {"occupancy", {"warps", "block", "stages"}},
    {"spills", {"warps", "block", "stages"}},
    {"underutilized", {"block", "warps", "stages"}},
});
constexpr Remedy kAnything = {"", {"warps", "block", "stages"}};

const Remedy& remedy_for(const std::string& bottleneck) {
  const auto* const found = std::find_if(kRemedies.begin(), kRemedies.end(), [&](const Remedy& row) { return row.bottleneck == bottleneck; });
  return found == kRemedies.end() ? kAnything : *found;
}

Result<Knob> knob_from(const Json& json, std::string_view text) {
  FieldReader in(json, "knob");
  Knob out{in.required<std::string>("kernel"), in.required<std::string>("name"), in.required<std::string>("kind"), in.required<std::int64_t>("value"), in.required<std::int64_t>("line"), {}};
  const Json* const places = in.required_array("places");
  KA_TRY(in.status());
  std::size_t after = 0;
  for (const Json& place : *places) {
    const bool is_pair = place.is_array() && place.size() == 2 && place[0].is_number_unsigned() && place[1].is_number_unsigned();
    const std::size_t begin = is_pair ? place[0].get<std::size_t>() : 0, end = is_pair ? place[1].get<std::size_t>() : 0;
    if (!is_pair || begin < after || begin >= end || end > text.size() || text.substr(begin, end - begin) != std::to_string(out.value))
      return internal_error(fmt::format("a place of the knob {} does not hold its value", out.name));
    out.places.emplace_back(begin, end);
    after = end;
  }
  if (out.places.empty()) return internal_error(fmt::format("the knob {} has no place", out.name));
  return out;
}

}  // namespace

Result<std::vector<Knob>> knobs_from_json(const Json& answer, std::string_view text) {
  std::vector<Knob> out;
  if (answer.contains("refused")) return out;
  FieldReader in(answer, "knobs");
  const Json* const list = in.required_array("knobs");
  KA_TRY(in.status());
  for (const Json& json : *list) {
    KA_ASSIGN(Knob knob, knob_from(json, text));
    out.push_back(std::move(knob));
  }
  return out;
}

Result<std::vector<Knob>> find_knobs(const std::string& text, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  KA_ASSIGN(bridge::Child child, interpreter.spawn("knobs", {}, cancel));
  KA_ASSIGN(bridge::Answer answer, child.ask({{"cmd", "knobs"}, {"text", text}}, {}, os::Deadline::in(kLimit), cancel));
  if (answer.end != bridge::ChildEnd::alive) return std::vector<Knob>();
  KA_ASSIGN(const Json json, parse_json(answer.text, "knobs"));
  if (!json.value("ok", false)) return internal_error("knobs: " + json.value("error", Json::object()).value("message", "no proper answer"));
  return knobs_from_json(json, text);
}

std::string turned(const std::string& text, const Knob& knob, std::int64_t value) {
  std::string out = text;
  for (auto place = knob.places.rbegin(); place != knob.places.rend(); ++place) out.replace(place->first, place->second - place->first, std::to_string(value));
  return out;
}

std::vector<std::int64_t> other_values(const Knob& knob) {
  std::vector<std::int64_t> out;
  const auto* const range = std::find_if(kRanges.begin(), kRanges.end(), [&](const Range& row) { return row.kind == knob.kind; });
  if (range == kRanges.end() || knob.value < 1) return out;
  std::int64_t up = knob.value, down = knob.value;
  for (int step = 0; step < kSteps; ++step) {
    up = range->doubles ? up * 2 : up + 1;
    down = range->doubles ? down / 2 : down - 1;
    for (const std::int64_t value : {up, down}) {
      if (value >= range->least && value <= range->most) out.push_back(value);
    }
  }
  return out;
}

Result<std::vector<Move>> KnobProposer::propose(const Program& program, const State&, int bottlenecks) {
  KA_ASSIGN(const std::vector<Knob> knobs, find_(program.text));
  std::vector<std::string> held = diagnose_ ? diagnose_(program) : std::vector<std::string>();
  held.resize(std::min(held.size(), static_cast<std::size_t>(bottlenecks)));
  if (held.empty()) held.emplace_back();
  std::vector<Move> out;
  for (std::size_t nearest = 0; nearest < 2 * kSteps; ++nearest) {
    for (const std::string& bottleneck : held) {
      for (const std::string_view kind : remedy_for(bottleneck).kinds) {
        for (const Knob& knob : knobs) {
          const std::vector<std::int64_t> values = other_values(knob);
          if (knob.kind != kind || nearest >= values.size()) continue;
          Move move{turned(program.text, knob, values[nearest]), fmt::format("{}: {} {} instead of {}", knob.kernel, knob.name, values[nearest], knob.value), bottleneck};
          const auto is_there = [&](const Move& one) { return one.text == move.text; };
          if (std::none_of(out.begin(), out.end(), is_there)) out.push_back(std::move(move));
        }
      }
    }
  }
  return out;
}

}  // namespace ka::optimise
