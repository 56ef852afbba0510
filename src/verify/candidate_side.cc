#include "verify/candidate_side.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "verify/rules.h"

namespace ka::verify {
namespace {

constexpr std::size_t kCompiledAtOnce = 8;  // launches that share one time limit: a network has hundreds

constexpr std::size_t kDetailBytes = 2000;
constexpr std::size_t kSampledBytes = std::size_t{256} << 20;

Result<os::MemoryFile> source_file(const KernelSource& kernel) {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_kernel"));
  KA_TRY(file.write(kernel.text));
  return file;
}

// Text from a suspect, cut to a readable length.
std::string text_of(const Json& object, const char* field) {
  if (!object.is_object() || !object.contains(field) || !object[field].is_string()) return "";
  return elide_middle(object[field].get<std::string>(), kDetailBytes);
}

std::int64_t number_of(const Json& object, const char* field, std::int64_t otherwise) {
  if (!object.is_object() || !object.contains(field) || !object[field].is_number_integer()) return otherwise;
  return object[field].get<std::int64_t>();
}

bool flag_of(const Json& object, const char* field) {
  return object.is_object() && object.contains(field) && object[field].is_boolean() && object[field].get<bool>();
}

const Json& list_of(const Json& object, const char* field) {
  static const Json empty = Json::array();
  if (!object.is_object() || !object.contains(field) || !object[field].is_array()) return empty;
  return object[field];
}

const Json& object_of(const Json& object, const char* field) {
  static const Json empty = Json::object();
  if (!object.is_object() || !object.contains(field) || !object[field].is_object()) return empty;
  return object[field];
}

Refusal refusal_of_end(const bridge::Answer& answer, const std::string& tail) {
  const std::string printed = trim(tail).empty() ? "" : "; it had printed: " + elide_middle(trim(tail), 600);
  switch (answer.end) {
    case bridge::ChildEnd::timed_out:
      return {"run.timeout", "killed at the time limit" + printed};
    case bridge::ChildEnd::memory:
      return {"run.memory", "killed when the memory cap was reached"};
    case bridge::ChildEnd::signalled:
      return {"run.crash", fmt::format("killed by signal {}{}", answer.status.signal, printed)};
    case bridge::ChildEnd::garbled:
      return {"run.exit", "wrote to the judge's own channel"};
    case bridge::ChildEnd::exited:
    case bridge::ChildEnd::alive:
      break;
  }
  return {"run.exit", fmt::format("exit code {}{}", answer.status.code, printed)};
}

// Which rule an exception breaks. The names on the left are the error kinds of the protocol.
Refusal refusal_of_error(const Json& answer) {
  const Json error = answer.is_object() && answer.contains("error") ? answer["error"] : Json::object();
  const std::string kind = text_of(error, "kind");
  const std::string type = text_of(error, "type");
  const std::int64_t line = number_of(error, "line", 0);
  std::string detail = type.empty() ? text_of(error, "message") : type + ": " + text_of(error, "message");
  if (line > 0) detail += fmt::format(" (line {})", line);
  if (type == "MemoryError" || type == "OutOfMemoryError" || detail.find("DefaultCPUAllocator") != std::string::npos) return {"run.memory", detail};
  if (kind == "import") return {"run.import", detail};
  if (kind == "entry") return {"contract.entry", text_of(error, "message")};
  if (kind == "signature") return {"contract.signature", text_of(error, "message")};
  if (kind == "denied") return {"guard.compute", text_of(error, "message")};
  if (kind == "order") return {std::string(kOrderImpossible), text_of(error, "message")};
  if (kind == "compile") return {"compile.failed", detail};
  if (kind == "too_large") return {"contract.shape", text_of(error, "message")};
  if (kind == "structure") return {"contract.structure", text_of(error, "message")};
  return {"run.raised", detail};
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list) {
    if (item.is_string()) texts.push_back(elide_middle(item.get<std::string>(), 200));
    else if (item.is_number_integer()) texts.push_back(std::to_string(item.get<std::int64_t>()));
    else if (item.is_object()) texts.push_back(elide_middle(item.dump(-1, ' ', false, Json::error_handler_t::replace), 200));
  }
  return texts;
}

std::vector<std::string> denied_of(const Json& answer) {
  std::vector<std::string> denied;
  for (const Json& item : list_of(answer, "denied")) {
    const std::string where = text_of(item, "where");
    const std::string hint = text_of(item, "hint");
    denied.push_back(text_of(item, "op") + (where.empty() ? "" : " at " + where) + (hint.empty() ? "" : "; " + hint));
  }
  return denied;
}

Result<std::variant<RunOutcome, Refusal>> outcome_of(const Json& answer, const os::MemoryFile& file,
                                                     const std::string& device) {
  RunOutcome outcome;
  outcome.structure = text_of(answer, "structure");
  outcome.launches = to_json_text(list_of(answer, "launches"));
  outcome.launched = number_of(answer, "launched", 0);
  outcome.replays = number_of(answer, "replays", 0);
  outcome.denied = denied_of(answer);
  outcome.changed_inputs = texts_of(list_of(answer, "inputs_changed"));
  outcome.out_of_bounds = texts_of(list_of(answer, "out_of_bounds"));
  outcome.races = texts_of(list_of(answer, "races"));
  outcome.state = texts_of(list_of(answer, "state"));
  for (const Json& tuner : list_of(answer, "autotuners"))
    outcome.configs = std::max(outcome.configs, static_cast<int>(std::min<std::int64_t>(number_of(tuner, "left", 1), 512)));
  for (const auto& [name, item] : object_of(answer, "buffers_after").items()) {
    Result<ir::TensorSpec> spec = ir::tensor_spec_from_json(item);
    if (spec) outcome.buffers_after[name] = *spec;
  }
  outcome.threads = static_cast<int>(number_of(answer, "threads", 1));
  if (answer.contains("seconds") && answer["seconds"].is_number()) outcome.seconds = answer["seconds"].get<double>();
  KA_ASSIGN(outcome.bytes, file.map());
  const std::uint64_t size = outcome.bytes.bytes().size();
  std::erase_if(outcome.buffers_after, [&](const auto& entry) { return !ir::check_spec(entry.second, size, ir::Storage::dense); });
  Result<std::vector<ir::TensorSpec>> specs =
      checked_specs(list_of(answer, "outputs"), size, ir::Storage::dense, "output");
  if (!specs) return std::variant<RunOutcome, Refusal>(Refusal{"contract.dtype", specs.error().message});
  for (std::size_t i = 0; i < specs->size(); ++i) {
    const Json& item = list_of(answer, "outputs")[i];
    Output output;
    output.spec = (*specs)[i];
    output.touched_by_kernel = flag_of(item, "touched_by_kernel");
    output.aliases_input = item.contains("aliases_input") && !item["aliases_input"].is_null();
    output.fresh = !item.contains("fresh") || flag_of(item, "fresh");
    output.poisoned = number_of(item, "poison", 0);
    output.on_device = text_of(item, "device") == device;
    outcome.outputs.push_back(std::move(output));
  }
  return std::variant<RunOutcome, Refusal>(std::move(outcome));
}

// Positions and values are copied first: the suspect still holds the file.
Result<SampledPrograms> sampled_of(const Json& answer, const os::MemoryFile& file) {
  SampledPrograms seen;
  seen.why_not = text_of(answer, "why_not");
  if (answer.empty()) seen.why_not = "nothing was told";
  seen.programs = number_of(answer, "programs", 0);
  seen.of = number_of(answer, "of", 0);
  seen.out_of_bounds = texts_of(list_of(answer, "out_of_bounds"));
  seen.unwritten = texts_of(list_of(answer, "unwritten"));
  seen.state = texts_of(list_of(answer, "state"));
  seen.untouched = texts_of(list_of(answer, "untouched"));
  for (const Json& item : list_of(answer, "mostly_zeros"))
    seen.zeros.push_back({static_cast<std::size_t>(std::max<std::int64_t>(number_of(item, "output", 0), 0)),
                          number_of(item, "written", INT64_MAX), text_of(item, "text")});
  seen.shapes = list_of(answer, "shapes").dump();
  KA_ASSIGN(const std::string text, file.read_all(kSampledBytes));
  KA_ASSIGN(os::MemoryFile copy, os::MemoryFile::create("ka_values"));
  KA_TRY(copy.write(text));
  KA_ASSIGN(seen.bytes, copy.map());
  const std::span<const std::byte> bytes = seen.bytes.bytes();
  for (const Json& item : list_of(answer, "values")) {
    const Result<ir::DType> dtype = ir::parse_dtype(text_of(item, "dtype"));
    const std::int64_t count = number_of(item, "count", -1), positions = number_of(item, "positions", -1),
                       offset = number_of(item, "offset", -1), output = number_of(item, "output", -1);
    const auto fits = [&](std::int64_t first, std::size_t size) {
      return first >= 0 && static_cast<std::uint64_t>(first) <= bytes.size() &&
             static_cast<std::uint64_t>(count) <= (bytes.size() - static_cast<std::uint64_t>(first)) / size;
    };
    if (!dtype || count <= 0 || output < 0 || !fits(positions, 8) || !fits(offset, ir::size_of(*dtype))) continue;
    const auto n = static_cast<std::size_t>(count);
    seen.values.push_back({static_cast<std::size_t>(output), *dtype, count, bytes.subspan(static_cast<std::size_t>(positions), 8 * n),
                           bytes.subspan(static_cast<std::size_t>(offset), ir::size_of(*dtype) * n)});
  }
  return seen;
}

}  // namespace

CandidateSide::CandidateSide(bridge::Child child, os::MemoryFile source, std::string path, CandidateOptions options)
    : child_(std::move(child)), source_(std::move(source)), path_(std::move(path)), options_(std::move(options)) {}

Result<CandidateSide> CandidateSide::start(const KernelSource& kernel, const CandidateOptions& options,
                                           bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  KA_ASSIGN(bridge::Child child, interpreter.spawn("candidate", options.sandbox, cancel));
  KA_ASSIGN(os::MemoryFile source, source_file(kernel));
  return CandidateSide(std::move(child), std::move(source), kernel.path, options);
}

Result<std::variant<KernelFacts, Refusal>> CandidateSide::check(const std::string& entry, bool allow_random,
                                                                const os::CancelToken& cancel) {
  using Checked = std::variant<KernelFacts, Refusal>;
  const std::array fds = {source_.fd()};
  Json message = {{"cmd", "check"}, {"filename", path_}, {"allow_random", allow_random}, {"entry", nullptr}};
  if (!entry.empty()) message["entry"] = entry;
  KA_ASSIGN(bridge::Answer answer, child_.ask(message, fds, os::Deadline::in(std::chrono::seconds(20)), cancel));
  if (answer.end != bridge::ChildEnd::alive)
    return Checked(Refusal{"policy.syntax", "the file could not be parsed: " + trim(child_.output_tail())});
  KA_ASSIGN(Json json, parse_json(answer.text, "policy"));
  if (!flag_of(json, "ok")) return Checked(Refusal{"policy.syntax", refusal_of_error(json).detail});

  // The first violation gives the rule, all of them the detail.
  std::string rule, detail;
  for (const Json& violation : list_of(json, "violations")) {
    const std::string name = text_of(violation, "rule");
    if (find_rule(name) == nullptr) continue;
    if (rule.empty()) rule = name;
    detail += fmt::format("{}line {}: {}", detail.empty() ? "" : "\n", number_of(violation, "line", 0),
                          text_of(violation, "what"));
  }
  if (!rule.empty()) return Checked(Refusal{rule, elide_middle(detail, kDetailBytes)});

  KernelFacts facts;
  const Json known = json.contains("facts") ? json["facts"] : Json::object();
  for (const Json& name : list_of(known, "kernels"))
    if (name.is_string()) facts.kernels.push_back(name.get<std::string>());
  facts.uses_atomics = flag_of(known, "atomics");
  facts.captures_launches = flag_of(known, "captures");
  facts.entry = entry;
  for (const Json& name : list_of(known, "entry"))
    if (facts.entry.empty() && name.is_string()) facts.entry = name.get<std::string>();
  if (facts.entry.empty()) return Checked(Refusal{"contract.entry", "neither kernel_function nor ModelNew is defined"});
  return Checked(std::move(facts));
}

Refusal CandidateSide::ended(const bridge::Answer& answer) const {
  return refusal_of_end(answer, child_.output_tail());
}

Result<std::variant<Json, Refusal>> CandidateSide::ask(const Json& message, std::span<const int> fds,
                                                       const os::CancelToken& cancel) {
  KA_ASSIGN(bridge::Answer answer, child_.ask(message, fds, os::Deadline::in(options_.limit), cancel));
  if (answer.end != bridge::ChildEnd::alive) return std::variant<Json, Refusal>(ended(answer));
  Result<Json> json = parse_json(answer.text, "candidate");
  if (!json || !json->is_object()) return std::variant<Json, Refusal>(Refusal{"run.exit", "wrote to the judge's own channel"});
  const std::vector<std::string> denied = denied_of(*json);
  if (!denied.empty()) return std::variant<Json, Refusal>(Refusal{"guard.compute", denied.front()});
  if (flag_of(*json, "ok")) return std::variant<Json, Refusal>(std::move(*json));
  const std::string kind = text_of(object_of(*json, "error"), "kind");
  if (kind == "harness" || kind == "protocol")
    return internal_error("the candidate's harness failed: " + text_of(object_of(*json, "error"), "message"));
  if (kind == "needs_cuda" || kind == "needs_memory") return environment_error(text_of(object_of(*json, "error"), "message"));
  return std::variant<Json, Refusal>(refusal_of_error(*json));
}

Status CandidateSide::prepare(const os::CancelToken& cancel) {
  KA_ASSIGN(auto answer, ask({{"cmd", "prepare"}, {"interpret", options_.interpret}}, {}, cancel));
  if (const Refusal* refusal = std::get_if<Refusal>(&answer))  // nothing foreign has run: this is no fault of the kernel
    return environment_error("the candidate's process cannot be prepared: " + refusal->detail);
  return ok();
}

Result<std::optional<Refusal>> CandidateSide::import(const KernelFacts& facts, const ReferenceFacts& reference,
                                                     const os::CancelToken& cancel) {
  using Answer = std::optional<Refusal>;
  reference_ = reference;
  Json weights = Json::array(), names = Json::array();
  for (const Argument& argument : reference.inputs) names.push_back(argument.name);
  for (const Weight& weight : reference.weights)
    weights.push_back({{"name", weight.name}, {"argument", weight.argument}});
  const Json message = {{"cmd", "import"},
                        {"filename", path_},
                        {"entry", facts.entry},
                        {"device", options_.device},
                        {"interpret", options_.interpret},
                        {"mode", options_.mode},
                        {"input_names", names},
                        {"weights", weights},
                        {"inputs", reference.inputs.size()},
                        {"init_args", Json::parse(reference.init_arguments)},
                        {"random", reference.draws_random},
                        {"atomics", facts.uses_atomics}};
  const std::array fds = {source_.fd()};
  KA_ASSIGN(auto answer, ask(message, fds, cancel));
  if (Refusal* refusal = std::get_if<Refusal>(&answer)) return Answer(std::move(*refusal));
  tasks_at_start_ = child_.live_tasks();
  // A CUDA context brings threads of its own; without one a single thread is all there may be.
  if (options_.interpret && tasks_at_start_ > 1) return Answer(Refusal{"guard.process", "threads or processes were started on import"});
  return Answer();
}

Result<std::variant<RunOutcome, Refusal>> CandidateSide::run(const RunRequest& request, const os::CancelToken& cancel) {
  const Draw& draw = *request.draw;
  KA_ASSIGN(Arena arena, copy_arguments(draw.arguments, draw.bytes.bytes()));
  KA_ASSIGN(os::MemoryFile outputs, os::MemoryFile::create("ka_outputs"));
  std::uint64_t limit = 1 << 20;
  for (const ir::TensorSpec& spec : draw.outputs) limit += 2 * spec.nbytes + 4096;
  Json inputs = Json::array(), weights = Json::object();
  for (const Argument& argument : arena.arguments.inputs) inputs.push_back(to_json(argument));
  for (const auto& [name, spec] : arena.arguments.weights) weights[name] = ir::to_json(spec);
  Json buffers = Json::array();
  for (const Weight& weight : reference_.weights)
    if (std::ranges::find(reference_.updated_buffers, weight.name) != reference_.updated_buffers.end())
      buffers.push_back(weight.argument);
  const Json message = {{"cmd", "run"},
                        {"call_seed", draw.request.call_seed},
                        {"inputs", inputs},
                        {"weights", weights},
                        {"updated_buffers", buffers},
                        {"poison", request.poison},
                        {"poison_seed", draw.request.seed & 0xffffffff},
                        {"order", request.order},
                        {"rounding", request.other_rounding ? "other" : "nearest"},
                        {"config", request.config},
                        {"hidden", request.hidden},
                        {"reuse", request.reuse},
                        {"outputs_limit", limit}};
  const std::array fds = {arena.file.fd(), outputs.fd()};
  KA_ASSIGN(auto answer, ask(message, fds, cancel));
  if (Refusal* refusal = std::get_if<Refusal>(&answer)) return std::variant<RunOutcome, Refusal>(std::move(*refusal));
  return outcome_of(std::get<Json>(answer), outputs, options_.device);
}

Result<std::variant<GivenSizes, Refusal>> CandidateSide::at_given_sizes(const GivenDraw& drawn, const os::CancelToken& cancel) {
  using Found = std::variant<GivenSizes, Refusal>;
  Json message = Json::parse(drawn.arguments, nullptr, false);
  if (!message.is_object()) return Found(Refusal{"run.memory", "the given sizes are not known"});
  message["cmd"] = "dry";
  message["seed"] = drawn.request.seed;
  message["call_seed"] = drawn.request.call_seed;
  std::vector<int> fds;
  if (drawn.file) fds.push_back(drawn.file->fd());
  KA_ASSIGN(auto answer, ask(message, fds, cancel));
  if (Refusal* refusal = std::get_if<Refusal>(&answer)) return Found(std::move(*refusal));
  const Json launches = list_of(std::get<Json>(answer), "launches");
  return Found(GivenSizes{texts_of(list_of(std::get<Json>(answer), "hidden")), launches.dump(), launches.size()});
}

Result<std::variant<SampledPrograms, Refusal>> CandidateSide::sample_given_sizes(const os::CancelToken& cancel) {
  using Found = std::variant<SampledPrograms, Refusal>;
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_values"));
  const std::array fds = {file.fd()};
  KA_ASSIGN(auto answer, ask({{"cmd", "sample"}}, fds, cancel));
  if (Refusal* refusal = std::get_if<Refusal>(&answer)) return Found(std::move(*refusal));
  KA_ASSIGN(SampledPrograms seen, sampled_of(object_of(std::get<Json>(answer), "sampled"), file));
  return Found(std::move(seen));
}

Result<CompileReport> check_compiles(bridge::Child& compiler, const KernelSource& kernel, const std::string& launches,
                                     int arch, const CandidateOptions& options, const os::CancelToken& cancel) {
  KA_ASSIGN(os::MemoryFile source, source_file(kernel));
  const std::array fds = {source.fd()};
  const Json all = Json::parse(launches);
  CompileReport report;
  for (std::size_t first = 0; first < all.size(); first += kCompiledAtOnce) {
    Json some = Json::array();
    for (std::size_t k = first; k < std::min(all.size(), first + kCompiledAtOnce); ++k) some.push_back(all[k]);
    const Json message = {{"cmd", "compile"},
                          {"filename", kernel.path},
                          {"target", {{"backend", "cuda"}, {"arch", arch}, {"warp_size", 32}}},
                          {"launches", std::move(some)}};
    KA_ASSIGN(bridge::Answer answer, compiler.ask(message, fds, os::Deadline::in(options.limit), cancel));
    if (answer.end != bridge::ChildEnd::alive) {
      report.refusal = Refusal{"compile.failed", refusal_of_end(answer, compiler.output_tail()).detail};
      return report;
    }
    KA_ASSIGN(Json json, parse_json(answer.text, "compile"));
    if (!flag_of(json, "ok")) {
      report.refusal = Refusal{"compile.failed", refusal_of_error(json).detail};
      return report;
    }
    for (const Json& row : list_of(json, "kernels")) {
      ++report.kernels;
      if (!flag_of(row, "ok") && !report.refusal)
        report.refusal = Refusal{"compile.failed", text_of(row, "kernel") + ": " + text_of(row, "error")};
    }
  }
  return report;
}

}  // namespace ka::verify
