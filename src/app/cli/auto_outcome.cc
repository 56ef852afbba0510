#include "app/cli/auto_outcome.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/plain_words.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/wall_time.h"

namespace ka::app {
namespace {

// Who took a kernel out of the store has not counted its launches.
bool counts_launches(const pipeline::RunResult& result) {
  return !result.by_model && std::none_of(result.parts.begin(), result.parts.end(), [](const model::SubgraphResult& part) { return part.producer == pipeline::kFromStore; });
}

// What became of a winner of the store, for people.
std::string told_of(const std::string& store) {
  const Json json = Json::parse(store);
  const Json message = json.value("message", Json());
  return (message.is_string() ? message.get<std::string>() : "") + (json.value("accepted", Json()) == true ? "" : "; the run goes on without it");
}

// Before and after, for those who read the summary.
void add_search(const Json& told, model::RunSummary& summary) {
  summary.message += "; " + told.value("told", "");
  if (!told.value("success", false)) return;
  summary.speed = {{"before the search", told.value("initial_kernel_time_ms", 0.0), told.value("speedup", 1.0), {}}};
}

}  // namespace

model::RunSummary summary_of(const RunOutput& output, const std::vector<Outcome>& outcomes, const JobFacts& job, const std::string& started) {
  const Request& request = job.request;
  const Outcome& last = outcomes.back();
  model::RunSummary summary;
  summary.run_id = std::filesystem::path(output.folder()).filename().string();
  summary.command = request.command;
  summary.problem_path = request.problem.path;
  summary.problem_sha256 = sha256_hex(request.problem.text);
  summary.route = last.route;
  summary.success = last.success;
  summary.exit_code = last.success ? 0 : 1;
  summary.message = last.message;
  if (outcomes.size() > 1) summary.message += fmt::format(" (the route {} was tried first: {})", outcomes[0].route, outcomes[0].message);
  summary.started = started;
  summary.finished = utc_timestamp(system_wall_clock()());
  summary.device = request.options.device;
  summary.times = job.times;
  summary.dollars = job.spent.usage.dollars;
  if (last.parts) summary.subgraphs = last.parts->parts;
  const bool composed = last.parts && last.path == last.parts->composition.path;  // and not made faster afterwards
  summary.composition = composed ? last.parts->composition : model::Composition{last.success, last.path, sha256_hex(last.text), last.verified, {}, last.message, {}};
  for (const std::string& told : {job.forms, job.optimize}) {
    if (!told.empty()) add_search(Json::parse(told), summary);
  }
  if (last.verdict)
    summary.versions = {{"kernelagent", last.verdict->versions.kernelagent}, {"python", last.verdict->versions.python}, {"torch", last.verdict->versions.torch}, {"triton", last.verdict->versions.triton}};
  return summary;
}

Json json_of(const RunOutput& output, const std::vector<Outcome>& outcomes, const model::RunSummary& summary, const JobFacts& job) {
  const Outcome& last = outcomes.back();
  Json attempts = Json::array();
  for (const Outcome& one : outcomes) attempts.push_back({{"route", one.route}, {"success", one.success}, {"message", one.message}});
  Json details = {{"run_dir", output.folder()}, {"kernel_path", last.path.empty() ? "" : output.path(last.path)}, {"message", summary.message}, {"attempts", attempts},
                  {"decided", model::to_json(job.route)}, {"verdict", last.verdict ? model::to_json(*last.verdict) : Json()}, {"times", summary.times}};
  if (last.parts) {
    details["subgraphs"] = output.path("subgraphs.json");
    details["kernels_summary"] = output.path("kernels_out/summary.json");
    details["composition"] = model::to_json(last.parts->composition);
    if (counts_launches(*last.parts)) details["launches"] = pipeline::launches_of(*last.parts);
  }
  if (last.candidate) details.update({{"producer", last.candidate->producer}, {"worker_id", last.candidate->worker}, {"rounds", last.candidate->round}});
  if (job.spent.questions > 0) details["models"] = bill_json(job.spent);
  if (!job.store.empty()) details["store"] = Json::parse(job.store);
  if (!job.forms.empty()) details["forms"] = Json::parse(job.forms);
  if (!job.optimize.empty()) details["optimize"] = Json::parse(job.optimize);
  const Json route = last.route.empty() ? Json() : Json(last.route == "direct" ? "kernelagent" : "fuser");
  Json out = {{"route", route}, {"success", last.success}, {"details", details}, {"kernel_code", last.text.empty() ? Json() : Json(last.text)}};
  if (job.alone) out.update({{"folder", output.folder()}, {"kernel", details["kernel_path"]}, {"verdict", details["verdict"]}, {"message", last.message}, {"worker_id", details.value("worker_id", 0)}, {"rounds", details.value("rounds", 0)}, {"producer", details.value("producer", "")}});
  add_program(job.request, out);
  return out;
}

void print(const RunOutput& output, const std::vector<Outcome>& outcomes, const JobFacts& job) {
  const Outcome& last = outcomes.back();
  if (!job.store.empty()) fmt::print("{}\n", told_of(job.store));
  if (outcomes.size() > 1) fmt::print("the route {} failed: {}\n", outcomes[0].route, outcomes[0].message);
  if (last.parts) {
    std::size_t calls = 0, good = 0;
    for (const model::Subgraph& subgraph : last.parts->subgraphs) calls += subgraph.calls.size();
    for (const model::SubgraphResult& part : last.parts->parts) good += part.success ? 1 : 0;
    const std::string launches = last.parts->by_model ? "composed by a language model" : !counts_launches(*last.parts) ? "some from the store of winners" : fmt::format("{} launches", pipeline::launches_of(*last.parts));
    fmt::print("{} parts, {} of them unique; {} with a kernel; {}\n", calls, last.parts->subgraphs.size(), good, launches);
    for (const model::SubgraphResult& part : last.parts->parts) {
      if (!part.success && !part.message.starts_with("not reached: ")) fmt::print("  {}: {}\n", part.id, part.message);
    }
  }
  if (!last.path.empty() && !last.verdict) fmt::print("{}\n", output.path(last.path));
  if (last.verdict) fmt::print("{}", verify::verdict_text(*last.verdict));
  else fmt::print("{}\n", last.message);
  for (const std::string& told : {job.forms, job.optimize}) {
    if (!told.empty()) fmt::print("{}\n", Json::parse(told).value("told", ""));
  }
  if (last.parts && !last.parts->composition.torch_parts.empty()) fmt::print("still PyTorch: {}\n", fmt::join(last.parts->composition.torch_parts, ", "));
}

}  // namespace ka::app
