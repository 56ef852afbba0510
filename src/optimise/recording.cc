#include "optimise/recording.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"

namespace ka::optimise {
namespace {

constexpr int kSchema = 1;
constexpr double kLeastMs = 1e-9, kMostMs = 1e12;
constexpr std::size_t kMaxRecording = std::size_t{512} << 20;

constexpr std::array<std::pair<Effort, const char*>, 3> kEfforts = {{{Effort::brief, "brief"}, {Effort::full, "full"}, {Effort::last, "last"}}};

const char* effort_word(Effort effort) {
  return std::find_if(kEfforts.begin(), kEfforts.end(), [&](const auto& row) { return row.first == effort; })->second;
}

struct TextField {
  const char* name;
  std::string RecordingHead::*field;
};
constexpr TextField kTextFields[] = {
    {"device", &RecordingHead::device}, {"gpu", &RecordingHead::gpu}, {"driver", &RecordingHead::driver}, {"recorded", &RecordingHead::recorded},
    {"problem_sha256", &RecordingHead::problem_sha256}, {"precision", &RecordingHead::precision}, {"mode", &RecordingHead::mode}, {"floor_basis", &RecordingHead::floor_basis},
};
struct NumberField {
  const char* name;
  double RecordingHead::*field;
};
constexpr NumberField kNumberFields[] = {{"power_limit_watts", &RecordingHead::power_limit_watts}, {"floor_ms", &RecordingHead::floor_ms}, {"least_ms", &RecordingHead::least_ms}};

Json json_of(const RecordingHead& head) {
  Json out = {{"kind", "recording"}, {"schema", kSchema}, {"versions", head.versions}};
  for (const TextField& row : kTextFields) out[row.name] = head.*row.field;
  for (const NumberField& row : kNumberFields) out[row.name] = head.*row.field;
  return out;
}

Result<RecordingHead> head_from(const Json& json) {
  FieldReader in(json, "recording");
  if (in.required<std::string>("kind") != "recording") in.fail("kind", "the first line of a recording says \"recording\"");
  if (in.required<int>("schema") != kSchema) in.fail("schema", fmt::format("must be {}", kSchema));
  RecordingHead out;
  for (const TextField& row : kTextFields) out.*row.field = in.required<std::string>(row.name);
  for (const NumberField& row : kNumberFields) out.*row.field = in.required<double>(row.name);
  out.versions = in.required<std::map<std::string, std::string>>("versions");
  if (in.good() && out.device != "cuda" && out.device != "cpu") in.fail("device", "must be cuda or cpu");
  KA_TRY(in.status());
  return out;
}

// Reads the lines after the first; numbers of texts must be of lines before.
class LineReader {
 public:
  explicit LineReader(Recording& out) : out_(out) {}

  Status read(const Json& json) {
    FieldReader in(json, "recording");
    const std::string kind = in.required<std::string>("kind");
    if (kind == "text") out_.texts.push_back(in.required<std::string>("text"));
    else if (kind == "judged") judged(in);
    else if (kind == "proposed") KA_TRY(proposed(in));
    else if (kind == "timed") KA_TRY(timed(in));
    else in.fail("kind", fmt::format("\"{}\" is none of text, judged, proposed, timed", elide_middle(kind, 40)));
    return in.status();
  }

 private:
  std::size_t number(FieldReader& in, const char* name) { return checked(in, name, in.required<std::int64_t>(name)); }

  std::size_t checked(FieldReader& in, const char* name, std::int64_t value) {
    if (in.good() && (value < 0 || static_cast<std::size_t>(value) >= out_.texts.size())) in.fail(name, "is the number of no text before");
    return in.good() ? static_cast<std::size_t>(value) : 0;
  }

  void judged(FieldReader& in) {
    const std::size_t text = number(in, "text");
    Judged one{in.required<bool>("accepted"), in.required<std::string>("reason"), in.required<std::string>("code")};
    if (in.good()) out_.judged.try_emplace(text, std::move(one));
  }

  Status proposed(FieldReader& in) {
    Recording::Proposal out{number(in, "program"), in.required<int>("round"), {}, in.optional<std::string>("silent").value_or("")};
    const Json* const moves = in.required_array("moves");
    KA_TRY(in.status());
    for (const Json& json : *moves) {
      FieldReader move(json, "recording: move");
      const auto words = [&](const char* name) { return move.optional<std::string>(name).value_or(""); };
      const std::string refused = words("refused");
      out.moves.push_back({refused.empty() ? std::optional(number(move, "text")) : std::nullopt, move.required<std::string>("what"), move.required<std::string>("bottleneck"), words("by"), words("expected"), refused,
                           move.optional<bool>("anew").value_or(false)});
      KA_TRY(move.status());
    }
    out_.proposals.push_back(std::move(out));
    return ok();
  }

  Status timed(FieldReader& in) {
    Recording::Timing out;
    const std::string effort = in.required<std::string>("effort");
    const auto* const row = std::find_if(kEfforts.begin(), kEfforts.end(), [&](const auto& one) { return effort == one.second; });
    if (row != kEfforts.end()) out.effort = row->first;
    else if (in.good()) in.fail("effort", "must be brief, full or last");
    for (const std::int64_t text : in.required<std::vector<std::int64_t>>("texts")) out.texts.push_back(checked(in, "texts", text));
    out.error = in.optional<std::string>("error");
    const Json* const samples = out.error ? nullptr : in.required_array("samples");
    KA_TRY(in.status());
    if (samples != nullptr) {
      for (const Json& list : *samples) KA_TRY(read_samples(list, out.samples));
      if (out.samples.size() != out.texts.size()) return invalid_input("recording: there is not one list of samples for each text");
      std::set<std::size_t> lengths;
      for (const std::vector<double>& list : out.samples) lengths.insert(list.size());
      lengths.erase(0);
      if (lengths.size() > 1) return invalid_input("recording: kernels that were timed together have the same number of samples");
    }
    out_.timings.push_back(std::move(out));
    return ok();
  }

  static Status read_samples(const Json& list, Samples& out) {
    out.emplace_back();
    if (!list.is_array()) return invalid_input("recording: samples are lists of numbers");
    for (const Json& sample : list) {
      const double ms = sample.is_number() ? sample.get<double>() : 0;
      if (!(ms >= kLeastMs && ms <= kMostMs)) return invalid_input("recording: a sample is a time in milliseconds, more than 0");
      out.back().push_back(ms);
    }
    return ok();
  }

  Recording& out_;
};

}  // namespace

std::string RecordingHead::in_words() const {
  return fmt::format("a recording {}, taken {}", device == "cuda" ? "of " + gpu : "by the interpreter, which says nothing about a GPU", recorded);
}

Result<Recording> parse_recording(std::string_view text, const std::string& where) {
  Recording out;
  LineReader reader(out);
  std::size_t number = 0;
  for (std::size_t begin = 0, end = text.find('\n'); end != std::string_view::npos; begin = end + 1, end = text.find('\n', begin)) {
    const std::string place = fmt::format("{}:{}", where, ++number);
    KA_ASSIGN(const Json json, parse_json(text.substr(begin, end - begin), place));
    if (number == 1) {
      Result<RecordingHead> head = head_from(json);
      if (!head) return head.error().with(place);
      out.head = std::move(*head);
    } else if (const Status read = reader.read(json); !read) {
      return read.error().with(place);
    }
  }
  if (number == 0) return invalid_input(fmt::format("{}: not a recording: it has no lines", where));
  return out;
}

Result<Recording> read_recording(const std::string& path) {
  KA_ASSIGN(const std::string text, os::read_file(path, kMaxRecording));
  return parse_recording(text, path);
}

Result<RecordingWriter> RecordingWriter::open(const std::string& path, const RecordingHead& head, bool resumes) {
  const bool there = os::exists(path);
  std::map<std::string, std::size_t> numbers;
  if (there) {
    if (!resumes) return invalid_input(fmt::format("{} is there already; a recording goes into a new file", path));
    KA_ASSIGN(const Recording before, read_recording(path));
    if (before.head.problem_sha256 != head.problem_sha256 || before.head.gpu != head.gpu) return invalid_input(fmt::format("{} is a recording of another problem or GPU", path));
    for (std::size_t i = 0; i < before.texts.size(); ++i) numbers.emplace(before.texts[i], i);
  }
  KA_ASSIGN(os::AppendFile file, os::AppendFile::open(path));
  RecordingWriter out(std::move(file));
  out.numbers_ = std::move(numbers);
  if (!there) KA_TRY(out.file_.append_line(to_json_text(json_of(head))));
  return out;
}

Result<std::size_t> RecordingWriter::number_of(const std::string& text) {
  const auto [at, is_new] = numbers_.try_emplace(text, numbers_.size());
  if (is_new) KA_TRY(file_.append_line(to_json_text({{"kind", "text"}, {"text", text}})));
  return at->second;
}

Result<std::vector<std::size_t>> RecordingWriter::numbers_of(const std::vector<std::string>& texts) {
  std::vector<std::size_t> out;
  for (const std::string& text : texts) {
    KA_ASSIGN(const std::size_t number, number_of(text));
    out.push_back(number);
  }
  return out;
}

Status RecordingWriter::judged(const std::vector<std::string>& texts, const std::vector<Judged>& results) {
  for (std::size_t i = 0; i < std::min(texts.size(), results.size()); ++i) {
    if (!results[i].reached) continue;
    KA_ASSIGN(const std::size_t number, number_of(texts[i]));
    KA_TRY(file_.append_line(to_json_text({{"kind", "judged"}, {"text", number}, {"accepted", results[i].accepted}, {"reason", results[i].reason}, {"code", results[i].code}})));
  }
  return ok();
}

Status RecordingWriter::proposed(const Program& program, int round, const std::vector<Move>& moves, const std::string& silent) {
  KA_ASSIGN(const std::size_t number, number_of(program.text));
  Json list = Json::array();
  for (const Move& move : moves) {
    Json one = {{"what", move.what}, {"bottleneck", move.bottleneck}};
    if (move.refused.empty()) {
      KA_ASSIGN(one["text"], number_of(move.text));
    }
    for (const auto& [name, words] : {std::pair("by", &move.by), std::pair("expected", &move.expected), std::pair("refused", &move.refused)}) {
      if (!words->empty()) one[name] = *words;
    }
    if (move.anew) one["anew"] = true;
    list.push_back(std::move(one));
  }
  Json line = {{"kind", "proposed"}, {"program", number}, {"round", round}, {"moves", list}};
  if (!silent.empty()) line["silent"] = silent;
  return file_.append_line(to_json_text(line));
}

Status RecordingWriter::timed(const std::vector<std::string>& texts, Effort effort, const Result<Samples>& samples) {
  KA_ASSIGN(const std::vector<std::size_t> numbers, numbers_of(texts));
  Json line = {{"kind", "timed"}, {"effort", effort_word(effort)}, {"texts", numbers}};
  if (samples) line["samples"] = *samples;
  else line["error"] = samples.error().message;
  return file_.append_line(to_json_text(line));
}

Result<std::vector<Judged>> RecordingDevice::judge(const std::vector<std::string>& texts, const Limit& limit) {
  KA_ASSIGN(std::vector<Judged> out, device_.judge(texts, limit));
  KA_TRY(writer_.judged(texts, out));
  return out;
}

Result<Samples> RecordingDevice::time(const std::vector<std::string>& texts, Effort effort) {
  Result<Samples> out = device_.time(texts, effort);
  if (!out && out.error().kind == ErrorKind::cancelled) return out;
  KA_TRY(writer_.timed(texts, effort, out));
  return out;
}

Result<std::vector<Move>> RecordingProposer::propose(const Program& program, const State& state, int bottlenecks) {
  KA_ASSIGN(std::vector<Move> out, proposer_.propose(program, state, bottlenecks));
  KA_TRY(writer_.proposed(program, state.round, out, silent()));
  return out;
}

}  // namespace ka::optimise
