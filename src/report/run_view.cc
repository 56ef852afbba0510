#include "report/run_view.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "model/run_directory.h"

namespace ka::report {
namespace {

constexpr std::size_t kMaxParts = 5000;
constexpr std::size_t kMaxEventsBytes = std::size_t{32} << 20;  // long searches tell a lot

std::vector<std::string> texts_in(const Json& object, const char* name) {
  std::vector<std::string> out;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return out;
  for (const Json& entry : *found) {
    if (entry.is_string()) out.push_back(entry.get<std::string>());
  }
  return out;
}

std::vector<PartCall> calls_of(const Json& part) {
  std::vector<PartCall> out;
  const auto calls = part.find("calls");
  if (calls == part.end() || !calls->is_array()) return out;
  for (const Json& call : *calls) {
    if (!call.is_object()) continue;
    const auto order = call.find("order");
    out.push_back({order != call.end() && order->is_number_integer() ? order->get<std::int64_t>() : 0,
                   texts_in(call, "inputs"), texts_in(call, "weights"), texts_in(call, "outputs")});
  }
  return out;
}

// An id names a folder; one that could not is damage, and nothing is looked for there.
void read_part_files(RunFiles& files, Part& part) {
  const std::string folder = fmt::format("kernels_out/{}", part.subgraph.id);
  if (part.subgraph.id.find('/') != std::string::npos || !model::check_artifact_name(folder)) {
    files.complain("subgraphs.json", fmt::format("subgraphs.json: \"{}\" is no id of a subgraph",
                                                 elide_middle(part.subgraph.id, 60)));
    return;
  }
  part.kernel_path = folder + "/kernel.py";
  part.kernel = files.text(part.kernel_path).value_or("");
  part.verdict = files.value(folder + "/verdict.json", model::verdict_from_json);
}

void read_parts(RunFiles& files, RunView& view) {
  const std::shared_ptr<const Json> list = files.json("subgraphs.json");
  if (!list) return;
  if (!list->is_array()) return files.complain("subgraphs.json", "expected a list of subgraphs");
  for (const Json& entry : *list) {
    if (view.parts.size() == kMaxParts)
      return files.complain("subgraphs.json",
                            fmt::format("only the first {} subgraphs are looked at", kMaxParts));
    std::optional<model::Subgraph> subgraph = files.taken("subgraphs.json", model::subgraph_from_json(entry));
    if (!subgraph) continue;
    Part& part = view.parts.emplace_back();
    part.subgraph = std::move(*subgraph);
    part.calls = calls_of(entry);
    read_part_files(files, part);
  }
}

// kernels_out/summary.json, and where that is missing what the summary of the run says.
void read_results(RunFiles& files, RunView& view) {
  std::vector<model::SubgraphResult> results;
  if (view.summary) results = view.summary->subgraphs;
  if (const std::shared_ptr<const Json> list = files.json("kernels_out/summary.json")) {
    // The list has no reader of its own: it is read as the part of a summary that it is.
    Json whole = model::to_json(view.summary.value_or(model::RunSummary{}));
    whole["subgraphs"] = *list;
    if (std::optional<model::RunSummary> read =
            files.taken("kernels_out/summary.json", model::run_summary_from_json(whole)))
      results = std::move(read->subgraphs);
  }
  for (Part& part : view.parts) {
    const auto found = std::find_if(results.begin(), results.end(),
                                    [&](const auto& result) { return result.id == part.subgraph.id; });
    if (found != results.end()) part.result = *found;
  }
}

void read_composition(RunFiles& files, RunView& view) {
  if (view.summary) view.composition = view.summary->composition;
  const std::shared_ptr<const Json> json = files.json("compose_out/summary.json");
  if (!json) return;
  Json whole = model::to_json(model::RunSummary{});
  whole["composition"] = *json;
  if (std::optional<model::RunSummary> read =
          files.taken("compose_out/summary.json", model::run_summary_from_json(whole)))
    view.composition = read->composition;
}

// The kernel of the whole program and what the judge said about it. A verdict of an earlier text of the file
// says nothing.
void read_whole(RunFiles& files, RunView& view) {
  constexpr std::pair<const char*, const char*> places[] = {
      {"output/best_kernel.py", "output/verdict.json"},  // auto --optimize
      {"compose_out/composed_kernel.py", "compose_out/verdict.json"},
      {"output/best_kernel.py", "verdict.json"},
      {"kernel.py", "verdict.json"}};
  for (const auto& [kernel, verdict] : places) {
    if (!files.has(kernel) || (std::string_view(verdict) == "output/verdict.json" && !files.has(verdict))) continue;
    view.kernel_path = kernel;
    view.kernel = files.text(kernel).value_or("");
    view.verdict = files.value(verdict, model::verdict_from_json);
    break;
  }
  if (view.kernel_path.empty()) view.verdict = files.value("verdict.json", model::verdict_from_json);
  if (view.verdict && !view.kernel.empty() && view.verdict->kernel.sha256.size() == 64 &&
      view.verdict->kernel.sha256 != sha256_hex(view.kernel)) {
    files.complain(
        "verdict.json",
        fmt::format("verdict.json is about another text than that of {}, and is left out", view.kernel_path));
    view.verdict.reset();
  }
}

// "2 kernels written: a_kernel, b_kernel"
std::vector<std::string> names_in(const std::string& message) {
  constexpr std::string_view written = " written: ";
  const std::size_t at = message.find(written);
  std::vector<std::string> out;
  if (at == std::string::npos) return out;
  for (const std::string& name : split(std::string_view(message).substr(at + written.size()), ','))
    out.push_back(trim(name));
  return out;
}

// "(/long/way/to/p.py:35)" -> "(p.py:35)": the page and the text say once where the program is.
std::string with_short_paths(const std::string& text, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return text;
  const std::string shorter = path.substr(slash + 1);
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, done)) {
    out += text.substr(done, at - done) + shorter;
    done = at + path.size();
  }
  return out + text.substr(done);
}

void take_event(const Json& event, RunView& view, std::map<std::string, double>& times,
                std::map<std::string, double>& by_part) {
  const auto text = [&](const char* name) {
    const auto found = event.find(name);
    return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  // A folder may be used again; what counts is the run that the summary is about.
  if (view.summary && text("time") < view.summary->started) return;
  const std::string stage = text("stage");
  if (stage == "synth") {
    if (std::vector<std::string> names = names_in(text("message")); !names.empty())
      view.kernel_names = std::move(names);
  }
  const auto fields = event.find("fields");
  if (fields == event.end() || !fields->is_object()) return;
  const auto seconds = fields->find("seconds"), id = fields->find("id");
  if (seconds == fields->end() || !seconds->is_number()) return;
  if (id != fields->end() && id->is_string())
    by_part[id->get<std::string>()] = seconds->get<double>();
  else if (!stage.empty())
    times[stage] += seconds->get<double>();
}

void read_events(RunFiles& files, RunView& view) {
  const std::optional<std::string> text = files.text("events.jsonl", kMaxEventsBytes);
  std::map<std::string, double> times, by_part;
  if (text) {
    for (const std::string& line : split(*text, '\n')) {
      if (line.empty()) continue;
      const Result<Json> event = parse_json(line, "events.jsonl");
      // The last line may be half written.
      if (event && event->is_object()) take_event(*event, view, times, by_part);
    }
  }
  view.times = view.summary && !view.summary->times.empty() ? view.summary->times : times;
  for (Part& part : view.parts) {
    const auto found = by_part.find(part.subgraph.id);
    if (found != by_part.end()) part.seconds = found->second;
  }
  if (view.kernel_names.size() != view.graph.kernels.size()) view.kernel_names.clear();
}

// kernels_out/<part>/workers/worker_2/round_1.json; compose_out/workers/... for the composition; or neither, for the whole program.
void read_attempts(RunFiles& files, RunView& view) {
  constexpr std::string_view kParts = "kernels_out/", kComposition = "compose_out/", kWorkers = "workers/worker_";
  const auto number = [](const Json& json, const char* name) { return json.contains(name) && json[name].is_number_integer() ? json[name].get<std::int64_t>() : 0; };
  const auto text = [](const Json& json, const char* name) { return json.contains(name) && json[name].is_string() ? one_line(json[name].get<std::string>()) : ""; };
  for (const FileEntry& entry : view.files) {
    const std::size_t at = entry.name.find(kWorkers);
    if (at == std::string::npos || entry.is_link || !entry.name.ends_with(".json")) continue;
    const std::shared_ptr<const Json> json = files.json(entry.name);
    if (!json || !json->is_object()) continue;
    const std::string part = entry.name.starts_with(kComposition)                          ? "the composition"
                             : entry.name.starts_with(kParts) && at > kParts.size() ? entry.name.substr(kParts.size(), at - kParts.size() - 1)
                                                                                     : "";
    view.attempts.push_back({part, number(*json, "worker"), number(*json, "round"), json->value("accepted", Json(false)) == Json(true), text(*json, "rule"), text(*json, "reason")});
  }
  std::sort(view.attempts.begin(), view.attempts.end(), [](const ModelAttempt& a, const ModelAttempt& b) { return std::tie(a.part, a.worker, a.round) < std::tie(b.part, b.worker, b.round); });
  if (!files.has("orchestrator/cut.json")) return;
  if (const std::shared_ptr<const Json> cut = files.json("orchestrator/cut.json"); cut && cut->is_object()) view.cut_advice = fmt::format("{}: {}", text(*cut, "model"), text(*cut, "message"));
}

void read_store(RunFiles& files, RunView& view) {
  if (!files.has("taken_winner.json")) return;
  const std::shared_ptr<const Json> json = files.json("taken_winner.json");
  if (!json || !json->is_object() || !json->contains("message") || !(*json)["message"].is_string()) return;
  view.store = one_line((*json)["message"].get<std::string>());
  view.from_store = json->value("accepted", Json()) == true;
}

}  // namespace

Result<RunView> read_run(const std::string& path) {
  RunView view;
  RunFiles files(path);
  view.files = list_files(path);
  if (view.files.empty()) return not_found(fmt::format("{} holds no files that could be shown", path));
  view.row = look_at(path);
  if (!files.has("run.json")) files.complain("run.json", "it is missing");
  view.info = files.value("run.json", model::run_info_from_json);
  view.route = files.value("route.json", model::route_from_json);
  view.summary = files.value("summary.json", model::run_summary_from_json);
  view.sentence = files.value(model::kSentenceFile, model::sentence_record_from_json);
  // A folder may have been used again for a file.
  if (view.sentence && view.summary && view.sentence->problem_sha256 != view.summary->problem_sha256) view.sentence.reset();
  if (const std::optional<std::string> journal = files.text("journal.jsonl")) {
    if (std::optional<model::JournalText> read =
            files.taken("journal.jsonl", model::parse_journal(*journal, "journal.jsonl")))
      view.steps = std::move(read->entries);
  }
  view.graph = read_graph_notes(with_short_paths(files.text("graph.txt").value_or(""), view.row.problem));
  read_whole(files, view);
  read_parts(files, view);
  read_results(files, view);
  read_composition(files, view);
  read_events(files, view);
  read_attempts(files, view);
  read_store(files, view);
  view.search = read_search(files);
  view.python = files.text("refactored.py").value_or("");
  view.complaints = files.complaints();
  const bool something = view.info || view.route || view.summary || view.verdict || !view.steps.empty() ||
                         !view.kernel.empty() || !view.parts.empty();
  if (!something)
    return invalid_input(
        fmt::format("{}: nothing of it can be shown: {}", path,
                    view.complaints.empty() ? "it has no file of a run" : view.complaints[0]));
  return view;
}

}  // namespace ka::report
