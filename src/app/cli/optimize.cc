// The search runs on the judge and the clock of this machine. After every round all that it knows is in the run directory: a run that was stopped in any way goes on, and the
// best kernel so far is always there.
#include "app/cli/optimize.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/earlier_run.h"
#include "app/cli/optimize_config.h"
#include "app/cli/optimize_files.h"
#include "app/cli/optimize_model.h"
#include "app/cli/recordings.h"
#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "app/cli/settings.h"
#include "app/cli/verify.h"
#include "app/cli/winners.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "model/run_summary.h"
#include "optimise/knobs.h"
#include "optimise/recorded_device.h"
#include "optimise/roofline.h"
#include "os/clock.h"
#include "os/files.h"
#include "pipeline/generated_moves.h"
#include "pipeline/machine_gpu.h"
#include "pipeline/optimise_device.h"
#include "pipeline/program_work.h"
#include "problem/problem_file.h"

namespace ka::app {
namespace {

constexpr const char* kInputFile = "input/kernel.py";
constexpr const char* kStateFile = "program_database.json";
constexpr const char* kBestFile = "output/best_kernel.py";
constexpr double kMaxMinutes = 100'000;

struct OptimizeRequest {
  verify::ProblemSource problem;
  std::string kernel;
  verify::JudgeOptions judge;
  optimise::SearchOptions search;
  std::size_t jobs = 1;
  double minutes = kMaxMinutes;
  std::string record;                            // a file to write; empty: none
  std::optional<optimise::Recording> recording;  // that answers in the machine's place
  std::string command;
  std::string bottleneck;  // taken for the only one; empty: diagnosed
  bool only_forms = false;  // of the built-in generator's kernels; nothing else is tried
  bool algebraic = true;   // the built-in generator may change the amount of work
  bool keeps_winner = true;
};

Result<int> count_of(const Arguments& arguments, const char* flag, int otherwise, int most) {
  const Result<std::uint64_t> value = arguments.whole_number(flag, static_cast<std::uint64_t>(otherwise));
  if (!value || *value < 1 || *value > static_cast<std::uint64_t>(most)) return invalid_input(fmt::format("{}: a whole number from 1 to {}", flag, most));
  return static_cast<int>(*value);
}

Status read_search(const Arguments& arguments, OptimizeRequest& request) {
  constexpr std::array<std::string_view, 2> strategies = {"beam_search", "greedy"};
  KA_ASSIGN(const std::string strategy, arguments.choice("--strategy", "beam_search", strategies));
  KA_ASSIGN(request.search.width, count_of(arguments, "--beam-width", 2, 64));
  if (strategy == "greedy") {
    if (arguments.has("--beam-width") && arguments.settings().config().empty()) return invalid_input("--beam-width is of beam_search; greedy follows one program");
    request.search.width = 1;
  }
  KA_ASSIGN(request.search.bottlenecks, count_of(arguments, "--bottlenecks", 2, 16));
  KA_ASSIGN(request.search.rounds, count_of(arguments, "--max-rounds", 10, 1000));
  KA_ASSIGN(request.search.patience, count_of(arguments, "--patience", 3, 1000));
  if (arguments.has("--bottleneck-override")) {
    constexpr std::array<std::string_view, 3> categories = {"memory", "compute", "underutilized"};
    KA_ASSIGN(request.bottleneck, arguments.choice("--bottleneck-override", "", categories));
  }
  KA_ASSIGN(const std::string moves, arguments.choice("--moves", kAllMoves, kMoveKinds));
  request.only_forms = moves == kFormMoves;
  request.algebraic = !arguments.has("--no-algebraic");
  request.keeps_winner = !arguments.has("--no-store");
  KA_ASSIGN(request.search.target, arguments.number("--target-sol", 0.95));
  if (request.search.target <= 0 || request.search.target > 1) return invalid_input("--target-sol: more than 0 and at most 1");
  KA_ASSIGN(request.minutes, arguments.number("--max-minutes", kMaxMinutes));
  if (request.minutes <= 0 || request.minutes > kMaxMinutes) return invalid_input(fmt::format("--max-minutes: more than 0 and at most {:g}", kMaxMinutes));
  const int cores = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
  KA_ASSIGN(const int jobs, count_of(arguments, "--workers", cores, 256));
  request.jobs = static_cast<std::size_t>(jobs);
  request.search.seed = request.judge.seed;
  return ok();
}

Result<OptimizeRequest> request_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  if (!arguments.positional().empty()) return invalid_input(fmt::format("unexpected argument \"{}\"; the problem is given with --problem", arguments.positional()[0]));
  OptimizeRequest request;
  KA_ASSIGN(const std::string problem, arguments.required("--problem"));
  KA_ASSIGN(const std::string kernel, arguments.required("--kernel"));
  KA_ASSIGN(const problem::ProblemFile file, problem::read_problem(problem));
  KA_ASSIGN(request.kernel, problem::read_source(kernel));
  KA_ASSIGN(const std::string mode, arguments.choice("--mode", "train", modes));
  request.problem = {file.path, file.object, file.text, mode};
  request.record = arguments.text("--record");
  KA_ASSIGN(request.recording, recording_of(arguments, request.problem));
  Arguments judging = arguments;
  if (request.recording) judging.set("--device", "cpu");  // nothing is judged
  KA_ASSIGN(request.judge, judge_options(judging));
  if (!request.recording && request.judge.device != "cuda" && arguments.text("--device") != "cpu") {
    return environment_error("optimize times kernels, which needs an NVIDIA GPU, and this machine has none (--device cpu tries the command)");
  }
  KA_TRY(read_search(arguments, request));
  request.command = fmt::format("kernelagent optimize --problem {} --kernel {}", quote_shell(problem), quote_shell(kernel));
  return request;
}

// The least time that the program can take on the GPU, as measured or by its data sheet, and the smaller of both; 0 where that is not known, or where nothing is timed on one.
struct Floors {
  double ms = 0, least_ms = 0;
  std::string basis;
  Json roofline;  // of the program, for its report
};
Floors recorded_floors(const optimise::RecordingHead& head) { return {head.floor_ms, head.least_ms, head.floor_basis, {}}; }
Floors floors_of(const graph::Exported& exported, const std::string& precision, const pipeline::MachineGpu& gpu) {
  if (!gpu.peaks()) return {};
  const Result<optimise::Work> work = pipeline::program_work(exported, precision, gpu.facts);
  if (!work) return {};
  const auto ms_by = [&](const optimise::Peaks& peaks) { return 1e3 * optimise::floor_of(*work, peaks, precision == "default" ? "" : precision).seconds(); };
  const double ms = ms_by(*gpu.peaks());
  const optimise::Floor floor = optimise::floor_of(*work, *gpu.peaks(), precision == "default" ? "" : precision);
  return {ms, gpu.sheet ? std::min(ms, ms_by(*gpu.sheet)) : ms, gpu.peaks()->basis, roofline_json(*work, floor)};
}

// What the program's graph tells: its floors, and other kernels for it.
struct Study {
  Floors floors;
  std::vector<optimise::Move> moves;
  std::optional<graph::Exported> exported;
};
Result<Study> study(const OptimizeRequest& request, const std::optional<pipeline::MachineGpu>& gpu, bridge::WarmInterpreter& interpreter, EventLog& log, const os::CancelToken& cancel) {
  Study out;
  pipeline::GenerateChoices choices;
  if (gpu) choices.gpu = gpu->facts;
  choices.algebraic = request.algebraic;
  Result<graph::Exported> exported = pipeline::export_program(request.problem, request.judge, choices, interpreter, cancel, &log);
  if (!exported && exported.error().kind == ErrorKind::cancelled) return exported.error();
  if (!exported) return out;
  const std::string name = request.problem.path.substr(request.problem.path.rfind('/') + 1);
  const auto moves_of = request.only_forms ? pipeline::form_moves : pipeline::generated_moves;
  out.moves = moves_of(*exported, request.judge.precision, fmt::format("Triton kernels for {}.", name), choices);
  if (gpu) out.floors = floors_of(*exported, request.judge.precision, *gpu);
  out.exported = std::move(*exported);
  return out;
}

// What the search waits for, by name, in seconds.
using Waits = std::map<std::string, double>;

class Waiting {
 public:
  Waiting(Waits& waits, const char* name) : waits_(waits), name_(name) {}
  ~Waiting() { waits_[name_] += os::seconds_since(begin_); }

 private:
  Waits& waits_;
  const char* name_;
  const os::TimePoint begin_ = std::chrono::steady_clock::now();
};

class WatchedDevice : public optimise::Device {
 public:
  WatchedDevice(optimise::Device& device, Waits& waits) : device_(device), waits_(waits) {}
  Result<std::vector<optimise::Judged>> judge(const std::vector<std::string>& texts, const optimise::Limit& limit) override {
    const Waiting waiting(waits_, "judge");
    return device_.judge(texts, limit);
  }
  Result<optimise::Samples> time(const std::vector<std::string>& texts, optimise::Effort effort) override {
    const Waiting waiting(waits_, effort == optimise::Effort::last ? "last race" : "timing");
    return device_.time(texts, effort);
  }

 private:
  optimise::Device& device_;
  Waits& waits_;
};

class WatchedProposer : public optimise::Proposer {
 public:
  WatchedProposer(optimise::Proposer& proposer, Waits& waits) : proposer_(proposer), waits_(waits) {}
  Result<std::vector<optimise::Move>> propose(const optimise::Program& program, const optimise::State& state, int bottlenecks) override {
    const Waiting waiting(waits_, "moves");
    return proposer_.propose(program, state, bottlenecks);
  }
  std::string silent() const override { return proposer_.silent(); }

 private:
  optimise::Proposer& proposer_;
  Waits& waits_;
};

class Optimisation {
 public:
  Optimisation(const OptimizeRequest& request, RunOutput& output, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, os::GpuPool* gpus, SearchModel& model)
      : request_(request), output_(output), interpreter_(interpreter), cancel_(cancel), model_(model), means_{interpreter, cancel, &output.log(), nullptr, gpus} {}

  Status begin(const std::map<std::string, std::string>& request_files) {
    KA_TRY(output_.open());
    if (const Result<std::string> text = output_.directory().read_artifact(kStateFile)) {
      KA_ASSIGN(const Json json, parse_json(*text, output_.path(kStateFile)));
      KA_ASSIGN(state_, optimise::state_from_json(json));
      if (const Result<std::string> samples = output_.directory().read_artifact("timings.jsonl")) earlier_samples_ = *samples;
      return ok();
    }
    state_.programs = {{0, -1, 0, request_.kernel, "", "", 0}};
    return output_.write(request_files);
  }

  Status search(const std::function<std::string()>& limit) {
    optimise::SearchOptions options = request_.search;
    options.limit = limit;
    if (request_.judge.device == "cuda") gpu_ = pipeline::machine_gpu();
    Study program;
    if (!request_.recording || model_.takes_part()) {
      const Waiting waiting(waits_, "program");
      KA_ASSIGN(program, study(request_, gpu_, interpreter_, output_.log(), cancel_));
    }
    floors_ = request_.recording ? recorded_floors(request_.recording->head) : program.floors;
    options.floor_ms = floors_.ms;
    options.least_ms = floors_.least_ms;
    state_.stop.clear();  // a run that goes on has other limits
    Diagnoses diagnoses(request_.problem, request_.judge, request_.bottleneck, gpu_ ? gpu_->facts : ir::default_gpu(), interpreter_, cancel_);
    const ModelBrief brief{request_.problem, request_.judge, program.exported, gpu_, floors_.ms, options.target, floors_.basis};
    if (request_.recording) {
      optimise::RecordedDevice device(*request_.recording);
      optimise::RecordedProposer recorded(*request_.recording, !model_.takes_part());
      KA_ASSIGN(optimise::Proposer* const proposer, model_.join(recorded, brief, diagnoses, means_, output_));
      return search(options, device, *proposer, nullptr);
    }
    pipeline::MachineDevice device(request_.problem, request_.judge, request_.jobs, means_, (gpu_ ? gpu_->facts : ir::default_gpu()).cuda->arch);
    if (state_.input_ms > 0) KA_TRY(know_again(device));
    const auto find = [this](const std::string& text) { return optimise::find_knobs(text, interpreter_, cancel_); };
    optimise::KnobProposer knobs(find, [&](const optimise::Program& one) { return diagnoses.categories(one); });
    pipeline::NoMoves none;
    optimise::Proposer& others = request_.only_forms ? static_cast<optimise::Proposer&>(none) : knobs;
    pipeline::GeneratedFirst built_in(program.moves, request_.judge.device == "cuda" && !request_.only_forms, others);
    KA_ASSIGN(optimise::Proposer* const proposer, model_.join(built_in, brief, diagnoses, means_, output_));
    if (request_.record.empty()) return search(options, device, *proposer, &device);
    KA_ASSIGN(optimise::RecordingHead head, recording_head(request_.problem, request_.judge, gpu_, interpreter_, cancel_));
    head.floor_ms = floors_.ms, head.least_ms = floors_.least_ms, head.floor_basis = floors_.basis;
    KA_ASSIGN(optimise::RecordingWriter writer, optimise::RecordingWriter::open(request_.record, head, state_.input_ms > 0));
    optimise::RecordingDevice recording(device, writer);
    optimise::RecordingProposer noting(*proposer, writer);
    return search(options, recording, noting, &device);
  }

  // `machine`: whose samples are kept; null where none are taken.
  Status search(const optimise::SearchOptions& options, optimise::Device& device, optimise::Proposer& proposer, const pipeline::MachineDevice* machine) {
    WatchedDevice watched(device, waits_);
    WatchedProposer asked(proposer, waits_);
    std::vector<optimise::Program> parents = state_.programs;  // of the round that is going on
    return optimise::search(state_, options, watched, asked, [&](const optimise::State& state) {
      const optimise::Program& best = state.best_program();
      const std::string when = state.has_finished ? "last race" : fmt::format("round {}", state.round);
      output_.log().info("optimise", state.has_finished ? "last_race" : "round",
                         fmt::format("{}: {:.4f} ms, {:.2f} times as fast as the given kernel", when, best.ms, state.input_ms / best.ms));
      std::map<std::string, std::string> files;
      if (!state.has_finished) {  // the last race adds nothing to the files of its round
        files = round_files(parents, state, run_id(), model_.talks());
        files.merge(model_.files());
      }
      files.insert({{kStateFile, to_pretty_json_text(optimise::to_json(state))},
                    {kBestFile, best.text},
                    {"timings.jsonl", earlier_samples_ + (machine == nullptr ? "" : lines_of(machine->timings()))}});
      parents = state.programs;
      return output_.write(files);
    });
  }

  // The best once more, with other numbers and at the given sizes; where it is refused the next that the last race has found to be faster, the given kernel last.
  Status judge_again() {
    if (request_.recording) {
      KA_ASSIGN(verdict_, recorded_verdict(*request_.recording, request_.problem, {output_.path(kBestFile), state_.best_program().text}));
      return ok();
    }
    const Waiting waiting(waits_, "last verdict");
    verify::JudgeOptions judge = request_.judge;
    judge.seed += 1;
    std::vector<const optimise::Program*> order;
    for (const optimise::Finish& finish : state_.finish) order.push_back(program(finish.program));
    order.push_back(&state_.programs[0]);
    for (const optimise::Program* const one : order) {
      if (one == nullptr) continue;
      KA_ASSIGN(verdict_, pipeline::ask_judge(request_.problem, {output_.path(kBestFile), one->text}, judge, means_, nullptr));
      if (verdict_->accepted || one->id == 0) {
        state_.best = one->id;
        break;
      }
      refused_ += fmt::format("{}the kernel of round {} is refused with other numbers ({}: {})", refused_.empty() ? "" : "; ", one->round, verdict_->rule, verdict_->reason);
    }
    return refused_.empty() ? ok() : output_.write({{kBestFile, state_.best_program().text}});
  }

  // A search that has found something puts it into the store, for others. Where all forms were tried, the one that stays is found.
  Status remember(const std::string& store) {
    if ((state_.best == 0 && !request_.only_forms) || !verdict_->accepted || request_.recording || !request_.keeps_winner) return ok();
    const optimise::Program& best = state_.best_program();
    const SearchEnd end{request_.problem, request_.judge, best.text, run_id(), state_.input_ms, best.ms, floors_.ms, best.path, verdict_->versions, verdict_->kernel.entry};
    const Result<store::Winner> winner = winner_of(end, means_);
    if (!winner && winner.error().kind == ErrorKind::cancelled) return winner.error();
    if (!winner) kept_ = fmt::format("not kept as a winner: {}", winner.error().message);
    if (!winner) return ok();
    KA_TRY(output_.write({{kWinnerFile, to_pretty_json_text(store::to_json(*winner))}}));
    signature_ = winner->signature;
    kept_ = remember_winner(*winner, store);
    return ok();
  }

  Json result() const {
    const optimise::Program& best = state_.best_program();
    std::map<std::string, int> outcomes;
    for (const optimise::Attempt& one : state_.attempts) ++outcomes[one.outcome];
    Json top = Json::array();
    for (const optimise::Program& one : state_.programs) {
      top.push_back({{"program_id", one.id}, {"parent_id", one.parent}, {"generation", one.round}, {"move", one.move}, {"time_ms", one.ms}});
    }
    const optimise::Finish* const finish = finish_of_best();
    return {{"success", verdict_ && verdict_->accepted},
            {"folder", output_.folder()},
            {"kernel", output_.path(kBestFile)},
            {"kernel_code", best.text},
            {"kernel_sha256", sha256_hex(best.text)},
            {"best_time_ms", best.ms},
            {"initial_kernel_time_ms", state_.input_ms},
            {"speedup", best.ms > 0 ? state_.input_ms / best.ms : 0},
            {"last_race", finish == nullptr ? Json() : optimise::to_json(*finish)},
            {"total_rounds", state_.round},
            {"candidates", outcomes},
            {"moves", best.path},
            {"floor_ms", floors_.ms},
            {"roofline", floors_.roofline},
            {"floor_basis", floors_.basis},
            {"efficiency", floors_.ms > 0 ? optimise::efficiency(floors_.ms, best.ms) : 0},
            {"stop", state_.stop},
            {"message", message()},
            {"device", device_word()},
            {"recording", request_.recording ? request_.recording->head.in_words() : ""},
            {"top_kernels", top},
            {"winner", kept_.empty() ? Json() : Json{{"signature", signature_}, {"message", kept_}}},
            {"models", model_.json()},
            {"verdict", verdict_ ? model::to_json(*verdict_) : Json()}};
  }

  std::string text() const {
    const optimise::Program& best = state_.best_program();
    const std::string whose = request_.recording                ? "; by " + request_.recording->head.in_words()
                              : request_.judge.device == "cpu" ? "; by the interpreter, which says nothing about a GPU"
                                                               : "";
    std::string out = fmt::format("{}\n  {:.4f} ms, {:.3f} times as fast as the given kernel ({:.4f} ms){}\n", output_.path(kBestFile), best.ms, state_.input_ms / best.ms, state_.input_ms, whose);
    if (const optimise::Finish* const finish = finish_of_best()) out += fmt::format("  in a race of its own: between {:.3f} and {:.3f} times\n", finish->low, finish->high);
    if (floors_.ms > 0) out += fmt::format("  {:.1f} % of the least possible time {} ({:.4f} ms)\n", 100 * optimise::efficiency(floors_.ms, best.ms), floors_.basis, floors_.ms);
    if (optimise::efficiency(floors_.ms, best.ms) > 1) {
      out += "  more than 100 %: the floor is wrong (kernelagent doctor --measure-ceilings measures again), the time is, or the kernel does less than the program\n";
    }
    for (const std::string& move : best.path) out += fmt::format("  {}\n", move);
    out += fmt::format("  ended after round {}, {} candidates: {}\n", state_.round, state_.attempts.size(), state_.stop);
    out += model_.text("  ");
    if (!message().empty()) out += fmt::format("  {}\n", message());
    if (!kept_.empty()) out += fmt::format("  {}\n", kept_);
    return out;
  }

  const std::optional<model::Verdict>& verdict() const { return verdict_; }

  model::RunSummary summary(const std::string& started) const {
    const optimise::Program& best = state_.best_program();
    model::RunSummary out;
    out.run_id = run_id();
    out.command = request_.command;
    out.problem_path = request_.problem.path;
    out.problem_sha256 = sha256_hex(request_.problem.text);
    out.route = "optimize";
    out.success = verdict_->accepted;
    out.exit_code = out.success ? 0 : 1;
    out.message = fmt::format("{:.3f} times as fast as the given kernel; {}", best.ms > 0 ? state_.input_ms / best.ms : 1, message().empty() ? state_.stop : message());
    if (const std::string silent = model_.silent(); !silent.empty() && out.message.find(silent) == std::string::npos) out.message += "; " + silent;
    out.started = started;
    out.finished = utc_timestamp(system_wall_clock()());
    out.device = device_word();
    if (!request_.recording) out.times = waits_;
    out.composition = model::Composition{out.success, kBestFile, sha256_hex(best.text), out.success, {}, out.message, {}};
    out.speed = {{"input", state_.input_ms, best.ms > 0 ? state_.input_ms / best.ms : 1, {}}};
    out.versions = {{"kernelagent", verdict_->versions.kernelagent}, {"python", verdict_->versions.python}, {"torch", verdict_->versions.torch}, {"triton", verdict_->versions.triton}};
    return out;
  }

 private:
  std::string device_word() const { return request_.recording ? "recorded" : request_.judge.device; }
  std::string run_id() const { return output_.folder().substr(output_.folder().rfind('/') + 1); }

  const optimise::Program* program(int id) const {
    const auto found = std::find_if(state_.programs.begin(), state_.programs.end(), [id](const optimise::Program& one) { return one.id == id; });
    return found == state_.programs.end() ? nullptr : &*found;
  }
  const optimise::Finish* finish_of_best() const {
    const auto found = std::find_if(state_.finish.begin(), state_.finish.end(), [this](const optimise::Finish& one) { return one.program == state_.best; });
    return found == state_.finish.end() ? nullptr : &*found;
  }
  // Why the result is not what the rounds have found.
  std::string message() const {
    if (refused_.empty() && state_.has_finished && state_.finish.empty()) return "what the rounds have found was not certainly faster in a race of its own; the given kernel stays";
    return refused_;
  }

  // The device learns entries from the judge; a run that goes on asks it again about what is still in the race. What it no longer accepts is in it no more.
  Status know_again(pipeline::MachineDevice& device) {
    std::vector<std::string> texts;
    for (const optimise::Program& one : state_.programs) texts.push_back(one.text);
    KA_ASSIGN(const std::vector<optimise::Judged> judged, device.judge(texts, {}));
    if (!judged[0].accepted) return invalid_input(fmt::format("the kernel to begin with is refused now: {}", judged[0].reason));
    for (std::size_t i = judged.size(); i-- > 1;) {
      if (judged[i].accepted) continue;
      const optimise::Program& one = state_.programs[i];
      refused_ += fmt::format("{}the kernel of round {} is refused now ({})", refused_.empty() ? "" : "; ", one.round, judged[i].reason);
      if (state_.best == one.id) state_.best = 0;
      state_.programs.erase(state_.programs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return ok();
  }

  const OptimizeRequest& request_;
  RunOutput& output_;
  bridge::WarmInterpreter& interpreter_;
  const os::CancelToken& cancel_;
  SearchModel& model_;
  pipeline::Means means_;
  optimise::State state_;
  std::optional<pipeline::MachineGpu> gpu_;
  Floors floors_;
  std::string earlier_samples_, refused_, kept_, signature_;
  Waits waits_;  // of this part of the run
  std::optional<model::Verdict> verdict_;
};

// The words of the run that goes on, with what may be said anew.
Result<Arguments> words_of(const EarlierRun& run, const Arguments& given) {
  constexpr std::array<std::string_view, 1> kRounds = {"--max-rounds"};
  const std::vector<std::string> others = given.words(kOfOneCommand, {"--resume", "--max-rounds"});
  if (!others.empty()) return invalid_input(fmt::format("--resume: the run goes on as it was begun; {} cannot be given for it", fmt::join(others, " ")));
  KA_ASSIGN(Arguments out, Arguments::parse(run.words, kOptimizeFlags));
  out.take(given, kOfOneCommand);
  out.take(given, kRounds);
  KA_ASSIGN(Settings settings, Settings::load(out));
  out.attach(std::make_shared<const Settings>(std::move(settings)));
  return out;
}

}  // namespace

Result<OptimizeEnd> optimize(const Arguments& given, AppContext& context) {
  const std::string started = utc_timestamp(system_wall_clock()());
  Arguments arguments = given;
  std::optional<EarlierRun> resumed;
  if (given.has("--resume")) {
    KA_ASSIGN(const std::string run, given.required("--resume"));
    KA_ASSIGN(resumed, earlier_run(run));
    KA_ASSIGN(arguments, words_of(*resumed, given));
  }
  KA_ASSIGN(const bool dry, is_dry_run(arguments));
  if (dry) return invalid_input("--resume: a run whose platform is noop has nothing to go on with");
  KA_ASSIGN(const OptimizeRequest request, request_of(arguments));
  if (resumed && resumed->problem_text != request.problem.text) {
    return invalid_input(fmt::format("--resume: {} is not what it was when the run began ({}/{})", request.problem.path, resumed->folder, kProblemFile));
  }
  if (!resumed && !request.record.empty() && os::exists(request.record)) {
    return invalid_input(fmt::format("--record: {} is there already; a recording goes into a new file", request.record));
  }
  KA_ASSIGN(RunOutput output, RunOutput::plan(arguments, request.command, resumed ? resumed->folder : "", ".optimize"));
  if (!resumed && output.exists()) return invalid_input(fmt::format("--out: {} holds a run already; --resume goes on with it", output.folder()));
  KA_ASSIGN(SearchModel model, SearchModel::plan(arguments.settings(), request.recording.has_value(), output.log()));
  KA_ASSIGN(const std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(request.judge.device, "optimize", request.jobs, output.log()));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(60 * request.minutes);
  model.ends({std::chrono::time_point_cast<std::chrono::steady_clock::duration>(end)});
  Optimisation work(request, output, interpreter, context.cancel, gpus.get(), model);
  const std::vector<std::string> words = arguments.words(kOfOneCommand, {"--out", "--resume"});
  const Json asked = {{"words", words}, {"problem_sha256", sha256_hex(request.problem.text)}};
  KA_TRY(work.begin({{kRequestFile, to_pretty_json_text(asked)}, {kProblemFile, request.problem.text}, {kInputFile, request.kernel}}));
  KA_TRY(work.search([&] { return std::chrono::steady_clock::now() < end ? "" : fmt::format("the limit of {:g} minutes (--max-minutes)", request.minutes); }));
  KA_TRY(work.judge_again());
  KA_TRY(work.remember(arguments.settings().text("store")));
  Json result = work.result();
  result["config_notes"] = config_notes(arguments);
  KA_TRY(output.keep("summary", {{"optimize.json", to_pretty_json_text(result)}, {"verdict.json", to_pretty_json_text(model::to_json(*work.verdict()))},
                                 {"summary.json", to_pretty_json_text(model::to_json(work.summary(started)))}}));
  output.settle();
  return OptimizeEnd{to_pretty_json_text(result), work.text(), work.verdict()->accepted ? 0 : 1};
}

Result<int> run_optimize(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(const bool dry, is_dry_run(arguments));
  if (dry && !arguments.has("--resume")) return run_dry(arguments, context);
  KA_ASSIGN(const OptimizeEnd end, optimize(arguments, context));
  for (const std::string& note : config_notes(arguments)) {
    if (!arguments.has("--json")) fmt::print("{}\n", note);
  }
  fmt::print("{}", arguments.has("--json") ? end.json : end.text);
  return end.code;
}

}  // namespace ka::app
