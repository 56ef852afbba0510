#include "pipeline/ask_cut.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "graph/fragment.h"
#include "ir/python_text.h"
#include "partition/regroup.h"
#include "pipeline/compose_files.h"
#include "pipeline/extract.h"
#include "pipeline/race.h"
#include "synth/prompt/reply_json.h"

namespace ka::pipeline {
namespace {

constexpr int kMostRounds = 3;
constexpr std::size_t kMostOperations = 2000;

using Groups = std::vector<std::vector<int>>;  // of operators

// Operators that something depends on.
std::vector<int> needed(const ir::Program& program) {
  std::set<int> out;
  std::vector<int> waiting;
  for (const std::vector<ir::ProgramRef>* refs : {&program.outputs, &program.updates}) {
    for (const ir::ProgramRef& ref : *refs) waiting.push_back(ref.op);
  }
  for (std::size_t op = 0; op < program.ops.size(); ++op) {
    if (program.ops[op].draws) waiting.push_back(static_cast<int>(op));
  }
  while (!waiting.empty()) {
    const int op = waiting.back();
    waiting.pop_back();
    if (op < 0 || !out.insert(op).second) continue;
    for (const ir::ProgramRef& read : program.ops[static_cast<std::size_t>(op)].reads) waiting.push_back(read.op);
  }
  return {out.begin(), out.end()};
}

Groups in_normal_form(Groups groups) {
  for (std::vector<int>& group : groups) std::sort(group.begin(), group.end());
  std::erase_if(groups, [](const std::vector<int>& group) { return group.empty(); });
  std::sort(groups.begin(), groups.end());
  return groups;
}

// A cut with the kernels that the built-in generator writes for it.
struct Tried {
  Extracted extracted;
  std::map<std::string, std::string> kernels;  // by id
  double seconds = 0, bytes = 0, launches = 0;  // of one call of the program, by estimate
  std::size_t parts = 0;
};

class CutTalk {
 public:
  CutTalk(const RunOptions& options, OpenProgram& program, const Means& means)
      : options_(options), open_(program), means_(means), exported_(program.whole.exported), program_(graph::program_of(exported_)), wanted_(needed(program_)), rules_(program.parts) {
    for (const int op : wanted_) ids_.emplace(node(op).name, op);
  }

  Result<std::string> run() {
    if (const Status asked = ask(); !asked) {
      open_.parts = rules_;
      if (asked.error().kind == ErrorKind::cancelled) return asked.error();
      message_ = fmt::format("{}: the cut of the rules stands", asked.error().message);
    }
    if (means_.log != nullptr) means_.log->info("extract", chosen_ ? "model_cut" : "rules_cut", fmt::format("{}: {}", means_.models->model, message_));
    Json out = {{"decided_by", chosen_ ? "model" : "rules"}, {"model", means_.models->model}, {"message", message_}, {"rules", told_}, {"rounds", rounds_}};
    return to_pretty_json_text(out);
  }

 private:
  const graph::ExportedNode& node(int op) const { return exported_.samples[0].nodes[static_cast<std::size_t>(op)]; }
  std::string name(int op) const { return node(op).name; }

  static Json told(const Tried& tried) { return {{"parts", tried.parts}, {"launches", tried.launches}, {"bytes", tried.bytes}, {"seconds", tried.seconds}}; }

  // An operator that several parts compute is shown in the first.
  Groups groups_of_rules() const {
    Groups out;
    std::set<int> seen;
    for (const ir::Part& part : rules_) {
      out.emplace_back();
      for (const int op : part.ops) {
        if (seen.insert(op).second) out.back().push_back(op);
      }
    }
    return in_normal_form(std::move(out));
  }

  prompt::PartitionPrompt question(const Groups& groups, double seconds) const {
    prompt::PartitionPrompt out;
    out.program = options_.problem.text;
    out.seconds = seconds;
    out.machine.platform = options_.dispatch.choices.platform;
    out.machine.gpu = options_.dispatch.choices.gpu;
    for (const int op : wanted_) {
      const graph::ExportedNode& one = node(op);
      std::vector<std::string> made, reads;
      for (const std::optional<graph::TensorFacts>& output : one.outputs) {
        if (output) made.push_back(fmt::format("{} ({})", ir::to_string(output->dtype), fmt::join(output->shape, ", ")));
      }
      for (const ir::ProgramRef& read : program_.ops[static_cast<std::size_t>(op)].reads) reads.push_back(graph::value_name(exported_, read));
      out.operations.push_back({one.name, fmt::format("{} -> {}", ir::short_name(one.op), fmt::join(made, ", ")), join(reads, ", ")});
    }
    for (const std::vector<int>& group : groups) {
      out.groups.emplace_back();
      for (const int op : group) out.groups.back().push_back(name(op));
    }
    return out;
  }

  // Each answer that cannot be used goes back with the reason.
  Status ask() {
    if (wanted_.size() > kMostOperations) return invalid_input(fmt::format("the program has {} operations, more than a model is shown", wanted_.size()));
    KA_ASSIGN(const std::string seed, means_.models->conversations.seed());
    KA_ASSIGN(const Tried by_rules, tried(rules_));
    told_ = told(by_rules);
    const Groups shown = groups_of_rules();
    prompt::PartitionPrompt prompt = question(shown, by_rules.seconds);
    std::set<Groups> seen = {shown};
    for (int round = 1; round <= std::min(kMostRounds, means_.models->rounds); ++round) {
      llm::ChatRequest request;
      request.model = means_.models->model;
      request.effort = means_.models->effort;
      KA_ASSIGN(request.messages, prompt::partition_messages(means_.models->prompts, prompt, seed));
      KA_ASSIGN(const llm::ChatReply reply, means_.models->conversations.ask("extract", request, means_.cancel));
      reason_.clear();
      const Result<Groups> groups = read(reply.answers.empty() ? "" : reply.answers[0].text);
      if (groups && !seen.insert(*groups).second) {
        note(round, "the cut is the one of the rules, or was proposed before");
        return ok();
      }
      const Status taken = groups ? try_cut(*groups, by_rules) : Status(groups.error());
      if (taken) {
        note(round, message_);
        return ok();
      }
      if (taken.error().kind == ErrorKind::cancelled) return taken;
      open_.parts = rules_;
      prompt.complaint = taken.error().message;
      note(round, prompt.complaint);
    }
    return ok();
  }

  void note(int round, const std::string& what) {
    rounds_.push_back({{"round", round}, {"reason", reason_}, {"outcome", what}});
    message_ = chosen_ ? what : fmt::format("{}; the cut of the rules stands", what);
  }

  Result<Groups> read(std::string_view answer) {
    KA_ASSIGN(const Json json, prompt::read_json_reply(answer));
    constexpr const char* kForm = "\"groups\" must be a list of lists of ids";
    if (const auto why = json.find("reason"); why != json.end() && why->is_string()) reason_ = elide_middle(why->get<std::string>(), 400);
    const auto groups = json.find("groups");
    if (groups == json.end() || !groups->is_array()) return invalid_input(kForm);
    Groups out;
    for (const Json& group : *groups) {
      if (!group.is_array()) return invalid_input(kForm);
      out.emplace_back();
      for (const Json& id : group) {
        if (!id.is_string()) return invalid_input(kForm);
        const auto found = ids_.find(id.get<std::string>());
        if (found == ids_.end()) return invalid_input(fmt::format("\"{}\" is no operation of the list", elide_middle(id.get<std::string>(), 60)));
        out.back().push_back(found->second);
      }
    }
    return in_normal_form(std::move(out));
  }

  // Executes the refactored program of this cut beside the original, and writes its kernels.
  Result<Tried> tried(const std::vector<ir::Part>& parts) {
    open_.parts = parts;
    Tried out;
    out.parts = parts.size();
    KA_ASSIGN(out.extracted, extract(options_.problem, open_, options_.dispatch.judge.seed, means_.cancel));
    for (const model::Subgraph& subgraph : out.extracted.subgraphs) {
      Result<WrittenPart> written = write_part(subgraph, options_.dispatch);
      if (!written) return written.error().with(subgraph.id);
      const auto calls = static_cast<double>(subgraph.calls.size());
      out.seconds += calls * written->cost.seconds;
      out.bytes += calls * written->cost.bytes;
      out.launches += calls * written->cost.launches;
      out.kernels[subgraph.id] = std::move(written->text);
    }
    return out;
  }

  // Ok: it is taken. Otherwise the error says why not, for the model.
  Status try_cut(const Groups& groups, const Tried& by_rules) {
    KA_ASSIGN(const std::vector<ir::Part> parts, partition::parts_of_groups(program_, wanted_, groups, [this](int op) { return name(op); }));
    KA_ASSIGN(const Tried mine, tried(parts));
    const bool on_gpu = options_.dispatch.judge.device == "cuda" && options_.verify;
    const double estimate = mine.seconds > 0 ? by_rules.seconds / mine.seconds : 0;
    const std::string figures = fmt::format("{} parts, {:g} launches and {} instead of {}, {:g} and {}", mine.parts, mine.launches, bytes_text(mine.bytes), by_rules.parts, by_rules.launches, bytes_text(by_rules.bytes));
    if (!on_gpu && estimate < kFasterBy) return invalid_input(fmt::format("the cut is not faster: {:.2f} times as fast by estimate ({})", estimate, figures));
    Means alone = means_;
    alone.models = nullptr;
    if (!options_.verify) return take(parts, fmt::format("{:.2f} times as fast by estimate ({}); not judged", estimate, figures));
    KA_ASSIGN(const ComposeFiles composed, compose_files(options_, mine.extracted.subgraphs, mine.extracted.frame, mine.kernels, alone));
    if (!composed.composition.verified) return invalid_input(fmt::format("the composed program of this cut is refused: {}", composed.composition.message));
    if (!on_gpu) return take(parts, fmt::format("{:.2f} times as fast by estimate ({}); its composed program is accepted", estimate, figures));
    RunOptions unjudged = options_;
    unjudged.verify = false;
    KA_ASSIGN(const ComposeFiles before, compose_files(unjudged, by_rules.extracted.subgraphs, by_rules.extracted.frame, by_rules.kernels, alone));
    const std::string entry = composed.verdict->kernel.entry, tier = composed.verdict->precision.tier;
    KA_ASSIGN(const double times, speed_up(options_.problem, options_.dispatch.judge, {"composed_by_rules.py", before.program, entry, tier}, {"composed_kernel.py", composed.program, entry, tier}, alone));
    if (times < kFasterBy) return invalid_input(fmt::format("the cut is not faster: {:.2f} times as fast on the GPU ({})", times, figures));
    return take(parts, fmt::format("{:.2f} times as fast on the GPU ({})", times, figures));
  }

  Status take(const std::vector<ir::Part>& parts, const std::string& message) {
    open_.parts = parts;
    chosen_ = true;
    message_ = message;
    return ok();
  }

  static std::string bytes_text(double bytes) { return fmt::format("{:.3g} MB", bytes / 1e6); }

  const RunOptions& options_;
  OpenProgram& open_;
  const Means& means_;
  const graph::Exported& exported_;
  const ir::Program program_;
  const std::vector<int> wanted_;
  const std::vector<ir::Part> rules_;
  std::map<std::string, int> ids_;
  Json told_, rounds_ = Json::array();
  bool chosen_ = false;
  std::string message_, reason_;
};

}  // namespace

Result<std::string> ask_cut(const RunOptions& options, OpenProgram& program, const Means& means) { return CutTalk(options, program, means).run(); }

}  // namespace ka::pipeline
