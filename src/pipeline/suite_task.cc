#include "pipeline/suite_task.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "model/run_directory.h"
#include "os/files.h"
#include "pipeline/judging.h"
#include "pipeline/program_work.h"
#include "pipeline/run.h"
#include "problem/problem_file.h"
#include "route/decide.h"

namespace ka::pipeline {
namespace {

constexpr std::size_t kMaxReason = 400;

// Whether it may have been for want of memory, which others use at the same time, that a GPU did not get to an answer at the given sizes.
bool lacked_room(const Result<model::Verdict>& judged) {
  if (!judged) return judged.error().kind != ErrorKind::cancelled && judged.error().message.find("memory") != std::string::npos;
  return judged->accepted ? judged->problem.scaled : judged->rule == "run.memory" || judged->rule == "run.crash";
}

std::string family_of(const ir::PlannedKernel& kernel, const ir::Graph& graph) {
  const auto is_convolution = [&](int node) { return graph.nodes[static_cast<std::size_t>(node)].origin.find("conv") != std::string::npos; };
  if (kernel.kind == ir::KernelKind::matmul && std::any_of(kernel.nodes.begin(), kernel.nodes.end(), is_convolution)) return "convolution";
  return to_string(kernel.kind);
}

void tell_families(const Generated& made, Json& row) {
  std::map<std::string, int> counts;
  std::map<std::string, double> seconds;
  for (std::size_t i = 0; i < made.plan.kernels.size(); ++i) {
    const std::string family = family_of(made.plan.kernels[i], made.program.graph);
    ++counts[family];
    seconds[family] += i < made.cost.kernels.size() ? made.cost.kernels[i].seconds() : 0;
  }
  row["families"] = counts;
  const auto most = std::max_element(seconds.begin(), seconds.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  row["family"] = most == seconds.end() ? "" : most->first;
}

// Whether the rewritten program looks at anything that it is given.
bool reads_an_input(const ir::Graph& graph) {
  std::set<ir::ValueId> seen(graph.outputs.begin(), graph.outputs.end());
  std::vector<ir::ValueId> todo(seen.begin(), seen.end());
  while (!todo.empty()) {
    const ir::Node* maker = graph.maker(todo.back());
    todo.pop_back();
    for (const ir::ValueId value : maker == nullptr ? std::vector<ir::ValueId>{} : maker->inputs) {
      if (seen.insert(value).second) todo.push_back(value);
    }
  }
  const auto is_read = [&](const ir::Argument& argument) { return argument.kind == ir::ArgumentKind::input && seen.contains(argument.value); };
  return std::any_of(graph.arguments.begin(), graph.arguments.end(), is_read);
}

void tell_run(const RunResult& result, Json& row) {
  std::size_t calls = 0;
  for (const model::Subgraph& subgraph : result.subgraphs) calls += subgraph.calls.size();
  row["parts"] = calls;
  row["unique_parts"] = result.subgraphs.size();
  row["launches"] = launches_of(result);
  row["status"] = "generated";
  for (const auto& [stage, seconds] : result.times) row["times"][stage] = seconds;
}

void tell_verdict(const model::Verdict& verdict, Json& row) {
  row["status"] = verdict.accepted ? "verified" : verdict.rule == "run.timeout" ? "timeout" : "refused";
  row["reason"] = verdict.accepted ? verdict.reason : elide_middle(fmt::format("{}: {}", verdict.rule, verdict.detail), kMaxReason);
  row["specialised"] = verdict.specialised;
  row["tier"] = verdict.precision.tier;
  row["sizes"] = {{"given", verdict.problem.given_sizes}, {"verified", verdict.problem.verified_sizes}, {"scaled", verdict.problem.scaled}};
  for (const model::CheckRun& check : verdict.checks) {
    if (check.name == "given sizes" && check.count == 0) row["sizes"]["why"] = check.note;
  }
  for (const auto& [step, seconds] : verdict.times) row["times"]["verify " + step] = seconds;
}

bool has_sum(const std::string& path, const Json& sum) {
  const Result<std::string> text = os::read_file(path);
  return text && sum.is_string() && sha256_hex(*text) == sum.get<std::string>();
}

}  // namespace

const char* row_status_of(const Error& error) {
  if (error.kind == ErrorKind::unsupported) return "unsupported";
  return error.message.find("time limit") != std::string::npos || error.kind == ErrorKind::timeout ? "timeout" : "error";
}

Json asked_of(const SuiteOptions& suite) {
  Json out = {{"mode", suite.mode}, {"route", suite.route}, {"precision", suite.options.precision}, {"seed", std::to_string(suite.options.seed)},
              {"algebraic", suite.choices.algebraic}};
  if (suite.takes_winners) out["winners"] = true;
  if (suite.choices.gpu.forms != ir::default_gpu().forms) {
    for (const ir::Form form : suite.choices.gpu.forms) out["forms"].push_back(ir::row_of(form).name);
    if (suite.choices.gpu.forms.empty()) out["forms"] = Json::array();
  }
  return out;
}

bool is_about_these_files(const Json& row, const SuiteOptions& suite) {
  if (!has_sum(fmt::format("{}/{}", suite.folder, row.value("name", "")), row.value("problem_sha256", Json()))) return false;
  if (!row.contains("kernel") || !row["kernel"].is_object()) return row.value("status", "") != "verified";
  const Json& kernel = row["kernel"];
  return kernel.contains("path") && kernel["path"].is_string() && has_sum(fmt::format("{}/{}", suite.out, kernel["path"].get<std::string>()), kernel.value("sha256", Json()));
}

bool wants_search(const Json& row, const SuiteOptions& suite) {
  if (row.value("status", "") != "verified") return false;
  const Json told = row.value("optimized", Json::object());
  const std::string state = told.value("state", "");
  if ((state != "ended" && state != "failed") || told.value("on", "") != suite.options.device || told.value("of", "") != row.at("kernel").value("sha256", "")) return true;
  if (state == "failed") return false;
  const Json kernel = told.value("kernel", Json::object());
  return !has_sum(fmt::format("{}/{}", suite.out, kernel.value("path", "")), kernel.value("sha256", Json()));
}

Status SuiteJudge::run(Json& row) {
  row["asked"] = asked_of(suite_);
  const std::string path = suite_.folder + "/" + name_;
  if (const Result<std::string> text = os::read_file(path)) row["problem_sha256"] = sha256_hex(*text);
  KA_ASSIGN(problem::ProblemFile file, problem::read_problem(path));
  problem_ = {file.path, file.object, file.text, suite_.mode};
  if (suite_.route != "direct") return routed(row);
  KA_ASSIGN(os::Turns::Turn beside, turns_.beside(cancel_));
  KA_ASSIGN(const Generated made, generate(problem_, suite_.options, suite_.choices, interpreter_, cancel_));
  row["plan"] = made.no_refactored.empty() ? "computes what the program computes" : made.no_refactored;
  tell(made, row);
  tell_work(made, row);
  KA_ASSIGN(const bool taken, from_store(made, beside, row));
  return taken ? ok() : direct(made, std::move(beside), row);
}

Result<model::Verdict> SuiteJudge::ask(const verify::KernelSource& kernel) const {
  return ask_judge(problem_, kernel, suite_.options, {interpreter_, cancel_, nullptr, nullptr, gpus_}, nullptr);
}

// A winner of an earlier search, where one is wanted and there is one; whether it is the row's kernel now.
Result<bool> SuiteJudge::from_store(const Generated& made, os::Turns::Turn& beside, Json& row) {
  if (!suite_.takes_winners) return false;
  const std::string path = fmt::format("{}/{}", suite_.out, name_);
  const Means means{interpreter_, cancel_, nullptr, nullptr, gpus_};
  KA_ASSIGN(const std::optional<TakenWinner> taken, try_winner(problem_, made.exported, path, suite_.options, suite_.verifies, suite_.winners, means));
  if (taken && !taken->accepted()) row["winner_refused"] = elide_middle(taken->message, kMaxReason);
  if (!taken || !taken->accepted()) return false;
  KA_TRY(os::make_dirs(path.substr(0, path.rfind('/'))));
  KA_TRY(os::write_file_atomic(path, taken->text));
  row["winner"] = taken->winner.signature;
  row["status"] = "generated";
  if (taken->verdict) KA_TRY(judged({path, taken->text}, *taken->verdict, std::move(beside), row));
  return true;
}

// One kernel file for the whole program.
Status SuiteJudge::direct(const Generated& made, os::Turns::Turn beside, Json& row) {
  const std::string path = fmt::format("{}/{}", suite_.out, name_);
  KA_TRY(os::make_dirs(path.substr(0, path.rfind('/'))));
  KA_TRY(os::write_file_atomic(path, made.file.text));
  row["launches"] = made.file.launches.size();
  row["status"] = "generated";
  if (!suite_.verifies) return ok();
  const verify::KernelSource kernel{path, made.file.text};
  return judged(kernel, ask(kernel), std::move(beside), row);
}

// By the route that auto would take, or that was asked for; the other one where it fails.
Status SuiteJudge::routed(Json& row) {
  KA_ASSIGN(os::Turns::Turn beside, turns_.beside(cancel_));
  const std::string folder = fmt::format("{}/{}", suite_.out, name_.substr(0, name_.size() - 3));
  RunOptions options;
  options.problem = problem_;
  options.dispatch = {suite_.options, suite_.choices, suite_.verifies, folder};
  options.jobs = suite_.parts;
  options.verify = suite_.verifies;
  KA_ASSIGN(OpenProgram program, plan_program(problem_, options.dispatch, interpreter_, cancel_, nullptr));
  const Generated whole = program.whole;
  tell(whole, row);
  tell_work(whole, row);
  KA_ASSIGN(const bool taken, from_store(whole, beside, row));
  if (taken) return ok();
  row["route"] = suite_.route == "auto" ? route::word_of(whole.route) : suite_.route;
  if (row["route"] == "direct") return direct(whole, std::move(beside), row);
  KA_TRY(os::remove_tree(folder));  // of an earlier suite; what this one has finished is not done again
  const model::RunInfo info{model::RunInfo::kSchema, std::filesystem::path(folder).filename().string(), utc_timestamp(system_wall_clock()()), "eval", KA_VERSION, {}};
  KA_ASSIGN(model::RunDirectory directory, model::RunDirectory::create(std::filesystem::path(folder).parent_path().string(), info));
  RunContext context{directory, interpreter_, cancel_, nullptr, std::move(program), nullptr, gpus_};
  Result<RunResult> result = pipeline::run(options, context);
  if (!result && result.error().kind != ErrorKind::unsupported) return result.error();
  if (!result || !result->composition.success) {
    std::string why = result ? result->composition.message : result.error().message;
    for (const model::SubgraphResult& part : result ? result->parts : std::vector<model::SubgraphResult>{})
      why += part.success ? "" : fmt::format("; {}: {}", part.id, part.message);
    row["fallback"] = elide_middle(why, kMaxReason);
    return direct(whole, std::move(beside), row);
  }
  tell_run(*result, row);
  if (!result->verdict) return ok();
  return judged({folder + "/" + result->composition.path, result->program}, *result->verdict, std::move(beside), row);
}

// What comes of a verdict: once more where memory may have lacked because of others, and its row.
Status SuiteJudge::judged(const verify::KernelSource& kernel, Result<model::Verdict> verdict, os::Turns::Turn beside, Json& row) {
  if (suite_.jobs > 1 && suite_.options.device == "cuda" && lacked_room(verdict)) {
    KA_TRY(beside.become_alone(cancel_));
    verdict = ask(kernel);
  }
  beside.end();
  if (!verdict) return verdict.error();
  tell_verdict(*verdict, row);
  row["verified_on"] = suite_.options.device;
  row["kernel"] = {{"path", kernel.path.substr(suite_.out.size() + 1)}, {"sha256", sha256_hex(kernel.text)}, {"entry", verdict->kernel.entry}};
  return ok();
}

void SuiteJudge::tell(const Generated& made, Json& row) const {
  row["kernels"] = made.file.kernels.size();
  row["route"] = route::word_of(made.route);
  row["generation_seconds"] = made.seconds;
  row["algebraic"] = std::any_of(made.rewrites.begin(), made.rewrites.end(), [](const auto& applied) { return applied.algebraic; });
  row["times"] = made.times;
  tell_families(made, row);
  if (!reads_an_input(made.program.graph)) row["degenerate"] = "the results depend on no input";
}

// What the program cannot do without, which is not that of a plan with rewrites that change the amount of work.
void SuiteJudge::tell_work(const Generated& made, Json& row) const {
  const Result<optimise::Work> work = program_work(made.exported, suite_.options.precision, made.gpu);
  if (work) row["work"] = {{"bytes", work->bytes}, {"product_flops", work->product_flops}, {"half_flops", work->half_flops}, {"other_flops", work->other_flops}};
}

}  // namespace ka::pipeline
