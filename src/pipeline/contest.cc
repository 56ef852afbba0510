#include "pipeline/contest.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"
#include "graph/problem_facts.h"
#include "pipeline/race.h"

namespace ka::pipeline {
namespace {

Contender won(ModelKernel made, const std::string& message = {}) {
  return {std::move(made.kernel), std::move(made.verdict), "model", made.worker, made.rounds, message.empty() ? made.message : message, std::move(made.attempts)};
}

// The built-in kernel, with what the models did.
Contender stays(Contender built_in, ModelKernel made, const std::string& why) {
  built_in.attempts = std::move(made.attempts);
  built_in.message += (built_in.message.empty() ? "" : "; ") + why;
  built_in.rounds = std::max(built_in.rounds, made.rounds);
  return built_in;
}

}  // namespace

Result<prompt::Task> task_of(const verify::ProblemSource& problem, const graph::Exported& exported, const verify::JudgeOptions& judge, const GenerateChoices& choices, const Means& means) {
  KA_ASSIGN(const bridge::InterpreterFacts facts, means.interpreter.start(means.cancel));
  prompt::Task task;
  task.program = problem.text;
  task.problem = graph::problem_facts(exported);
  task.problem.path = problem.path;
  task.problem.sha256 = sha256_hex(problem.text);
  task.problem.mode = problem.mode;
  task.operators = graph::operator_names(exported);
  if (!judge.entry.empty()) task.entry = judge.entry;
  if (judge.precision != "default") task.tier = judge.precision;
  task.machine = {choices.platform, choices.gpu, choices.platform == "cuda" ? fmt::format("sm_{}", judge.target_arch) : "", facts.triton, facts.torch};
  if (judge.test) task.test = judge.test->text;
  task.no_cusolver = means.models->no_cusolver;
  return task;
}

Result<Contender> contest(ModelWork work, Contender built_in, const Means& means) {
  const bool accepted = built_in.verdict && built_in.verdict->accepted;
  if (accepted && means.models->only_where_needed) return built_in;
  if (accepted) work.task.starting_point = built_in.kernel;
  KA_ASSIGN(ModelKernel made, ask_workers(work, *means.models, means));
  if (made.kernel.empty()) return stays(std::move(built_in), made, made.message);
  if (!accepted) return won(std::move(made));
  const std::string whose = fmt::format("the kernel of {} (worker {}, round {})", means.models->model, made.worker, made.rounds);
  made.attempts["model_kernel.py"] = made.kernel;
  if (work.judge.device != "cuda") return stays(std::move(built_in), made, fmt::format("{} is accepted too, and without a GPU nobody can tell which is faster: the built-in one stays", whose));
  const Result<double> times = speed_up(work.problem, work.judge, {work.folder + "kernel.py", built_in.kernel, built_in.verdict->kernel.entry, built_in.verdict->precision.tier},
                                        {work.folder + "model_kernel.py", made.kernel, made.verdict->kernel.entry, made.verdict->precision.tier}, means);
  if (!times && times.error().kind == ErrorKind::cancelled) return times.error();
  if (!times) return stays(std::move(built_in), made, fmt::format("{} is accepted too and could not be timed ({}): the built-in one stays", whose, times.error().message));
  if (*times < kFasterBy) return stays(std::move(built_in), made, fmt::format("{} is accepted too and {:.2f} times as fast: the built-in one stays", whose, *times));
  return won(std::move(made), fmt::format("{} is {:.2f} times as fast as the built-in one", whose, *times));
}

}  // namespace ka::pipeline
