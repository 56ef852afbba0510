#include "bench/ceilings.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json_fields.h"
#include "base/statistics.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "os/environment.h"
#include "os/files.h"

namespace ka::bench {
namespace {

constexpr std::size_t kMaxLastWords = 500, kMaxFile = std::size_t{16} << 20;
constexpr double kMaxWork = 1e18;
constexpr std::uint64_t kHostMemory = std::uint64_t{16} << 30;  // what the CUDA libraries map counts where no cgroup does the counting

const CeilingRow* row_of(std::string_view name) {
  const auto* const found = std::find_if(kCeilings.begin(), kCeilings.end(), [&](const CeilingRow& row) { return name == row.name; });
  return found == kCeilings.end() ? nullptr : found;
}

bool is_better(Unit unit, double one, double other) { return unit == Unit::seconds ? one < other : one > other; }

bool is_time(double seconds) { return seconds >= 1e-12 && seconds <= 1e6; }

Result<CeilingWay> way_from(const Json& json) {
  FieldReader in(json, "ceilings");
  CeilingWay out{in.required<std::string>("ceiling"), in.required<std::string>("how"), in.required<double>("work"), in.required<std::vector<double>>("seconds")};
  KA_TRY(in.status());
  if (row_of(out.ceiling) == nullptr) in.fail("ceiling", fmt::format("\"{}\" is none", elide_middle(out.ceiling, 60)));
  if (!(out.work >= 1 && out.work <= kMaxWork)) in.fail("work", "must be at least 1, and what a GPU can do");
  if (out.seconds.empty() || !std::all_of(out.seconds.begin(), out.seconds.end(), is_time)) in.fail("seconds", "must be times, and at least one");
  KA_TRY(in.status());
  return out;
}

// Of the child's answer, or of a file.
Result<std::vector<CeilingWay>> ways_from(const Json& rows) {
  std::vector<CeilingWay> out;
  for (const Json& row : rows) {
    KA_ASSIGN(CeilingWay way, way_from(row));
    out.push_back(std::move(way));
  }
  for (const CeilingRow& row : kCeilings) {
    if (std::none_of(out.begin(), out.end(), [&](const CeilingWay& way) { return way.ceiling == row.name; }))
      return invalid_input(fmt::format("ceilings: {} is missing", row.name));
  }
  return out;
}

std::string file_word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    out += plain ? c : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '_';
  }
  return out;
}

Result<std::vector<CeilingWay>> ways_of(const bridge::Answer& answer, const std::string& said) {
  if (answer.end != bridge::ChildEnd::alive) {
    const char* const how = answer.end == bridge::ChildEnd::timed_out ? "was killed at its time limit" : "ended before it answered";
    return environment_error(fmt::format("the process that measures ceilings {}{}", how, said.empty() ? "" : "; its last words: " + elide_middle(said, kMaxLastWords)));
  }
  KA_ASSIGN(const Json json, parse_json(answer.text, "ceilings"));
  FieldReader in(json, "ceilings");
  if (!in.required<bool>("ok")) {
    const Json* const error = in.optional_object("error");
    const std::optional<std::string> why = error == nullptr ? std::nullopt : FieldReader(*error, "error").optional<std::string>("message");
    return environment_error(fmt::format("ceilings cannot be measured: {}", elide_middle(why.value_or("no reason given"), kMaxLastWords)));
  }
  const Json* const rows = in.required_array("rows");
  KA_TRY(in.status());
  return ways_from(*rows);
}

}  // namespace

double CeilingWay::value(Unit unit) const {
  const double middle = median(seconds);
  return unit == Unit::seconds ? middle / work : work / middle;
}

const CeilingWay& Ceilings::best(std::string_view ceiling) const {
  const CeilingRow* const row = row_of(ceiling);
  const CeilingWay* out = nullptr;
  for (const CeilingWay& way : ways) {
    if (way.ceiling == ceiling && row != nullptr && (out == nullptr || is_better(row->unit, way.value(row->unit), out->value(row->unit)))) out = &way;
  }
  KA_CHECK(out != nullptr);
  return *out;
}

double Ceilings::value(std::string_view ceiling) const { return best(ceiling).value(row_of(ceiling)->unit); }

bool Ceilings::is_of(const os::Gpu& other) const { return gpu == other.name && driver == other.driver && power_limit_watts == other.power_limit_watts; }

Json to_json(const Ceilings& ceilings) {
  Json out = {{"schema", 1}, {"gpu", ceilings.gpu}, {"driver", ceilings.driver}, {"power_limit_watts", ceilings.power_limit_watts}, {"measured", ceilings.measured}};
  for (const CeilingRow& row : kCeilings) out["values"][row.name] = ceilings.value(row.name);
  out["ways"] = Json::array();
  for (const CeilingWay& way : ceilings.ways) out["ways"].push_back({{"ceiling", way.ceiling}, {"how", way.how}, {"work", way.work}, {"seconds", way.seconds}});
  return out;
}

Result<Ceilings> ceilings_from_json(const Json& json) {
  FieldReader in(json, "ceilings");
  if (in.required<int>("schema") != 1) in.fail("schema", "must be 1");
  Ceilings out{in.required<std::string>("gpu"), in.required<std::string>("driver"), in.required<double>("power_limit_watts"), in.required<std::string>("measured"), {}};
  const Json* const ways = in.required_array("ways");
  KA_TRY(in.status());
  KA_ASSIGN(out.ways, ways_from(*ways));
  return out;
}

Result<Ceilings> measure_ceilings(const os::Gpu& gpu, const CeilingOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  os::SandboxRequest sandbox;
  sandbox.limits.memory_bytes = kHostMemory;
  sandbox.gpu = options.device == "cuda";
  sandbox.only_gpu = options.only_gpu;
  KA_ASSIGN(bridge::Child child, interpreter.spawn("ceilings", sandbox, cancel));
  KA_ASSIGN(const bridge::Answer answer, child.ask({{"device", options.device}}, {}, os::Deadline::in(options.limit), cancel));
  Ceilings out{gpu.name, gpu.driver, gpu.power_limit_watts, utc_timestamp(system_wall_clock()()), {}};
  KA_ASSIGN(out.ways, ways_of(answer, trim(child.output_tail())));
  return out;
}

std::string ceilings_folder() {
  const std::string cache = os::get_env("XDG_CACHE_HOME").value_or(""), home = os::get_env("HOME").value_or("");
  if (cache.starts_with('/')) return cache + "/kernelagent/ceilings";
  return home.starts_with('/') ? home + "/.cache/kernelagent/ceilings" : "";
}

std::string ceilings_file(const os::Gpu& gpu, const std::string& folder) {
  return fmt::format("{}/{}_{}_{:g}w.json", folder, file_word(gpu.name), file_word(gpu.driver), gpu.power_limit_watts);
}

std::optional<Ceilings> kept_ceilings(const os::Gpu& gpu, const std::string& folder) {
  if (folder.empty()) return std::nullopt;
  const std::string path = ceilings_file(gpu, folder);
  const Result<std::string> text = os::read_file(path, kMaxFile);
  if (!text) return std::nullopt;
  const Result<Json> json = parse_json(*text, path);
  if (!json) return std::nullopt;
  Result<Ceilings> out = ceilings_from_json(*json);
  if (!out || !out->is_of(gpu)) return std::nullopt;
  return std::move(*out);
}

Status keep_ceilings(const os::Gpu& gpu, const Ceilings& ceilings, const std::string& folder) {
  if (folder.empty()) return environment_error("there is no folder for measured ceilings: set HOME or XDG_CACHE_HOME to a full path");
  KA_TRY(os::make_dirs(folder));
  return os::write_file_atomic(ceilings_file(gpu, folder), to_pretty_json_text(to_json(ceilings)));
}

}  // namespace ka::bench
