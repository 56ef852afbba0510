#include "app/cli/winners.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/auto_optimize.h"
#include "app/cli/settings.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "graph/signature.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/gpu.h"

namespace ka::app {
namespace {

constexpr std::chrono::seconds kDriverLimit{10};
constexpr std::size_t kSignatureShown = 12;

std::string file_name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string table_of(const std::vector<store::Winner>& winners) {
  std::string out = fmt::format("{:<{}}  {:<20}  {:>10}  {:>8}  {:>8}  {:<16}  {:<20}  run\n", "signature", kSignatureShown, "GPU", "time", "gain", "of floor", "measured (UTC)", "problem");
  for (const store::Winner& one : winners) {
    std::string when = one.when.substr(0, 16);
    std::replace(when.begin(), when.end(), 'T', ' ');
    out += fmt::format("{:<{}}  {:<20}  {:>7.4f} ms  {:>7.2f}x  {:>8}  {:<16}  {:<20}  {}\n", one.signature.substr(0, kSignatureShown), kSignatureShown, elide_middle(one.gpu, 20), one.best_ms,
                       one.input_ms / one.best_ms, one.floor_ms > 0 ? fmt::format("{:.1f} %", 100 * one.efficiency()) : "-", when, elide_middle(one.problem, 20), one.run_id);
  }
  return out + fmt::format("{} winner{}\n", winners.size(), winners.size() == 1 ? "" : "s");
}

Result<int> list_winners(const std::string& path, bool json) {
  KA_ASSIGN(std::optional<store::Winners> store, store::Winners::look(path));
  std::vector<store::Winner> all;
  if (store) {
    KA_ASSIGN(all, store->all());
  }
  if (json) {
    Json out = Json::array();
    for (const store::Winner& one : all) out.push_back(store::to_json(one));
    fmt::print("{}", to_pretty_json_text(out));
  } else if (all.empty()) {
    fmt::print("no winners in {}\n", path);
  } else {
    fmt::print("{}", table_of(all));
  }
  return 0;
}

Result<int> export_winners(const std::string& path, const std::string& file) {
  KA_ASSIGN(std::optional<store::Winners> store, store::Winners::look(path));
  if (!store) return invalid_input(fmt::format("--export: there is no store of winners {}", path));
  KA_ASSIGN(const std::vector<store::Winner> all, store->all());
  KA_TRY(os::write_file_atomic(file, store::export_text(all)));
  fmt::print("{}: {} winner{}\n", file, all.size(), all.size() == 1 ? "" : "s");
  return 0;
}

// Read whole before the first one is put in.
Result<int> import_winners(const std::string& path, const std::string& file) {
  Result<std::string> text = os::read_file(file);
  if (!text) return invalid_input("--import: " + text.error().message);
  Result<std::vector<store::Winner>> read = store::parse_export(*text, file);
  if (!read) return read.error().with("--import");
  KA_ASSIGN(store::Winners store, store::Winners::open(path));
  std::size_t taken = 0;
  for (const store::Winner& one : *read) {
    KA_ASSIGN(const bool fresh, store.put(one));
    taken += fresh ? 1 : 0;
  }
  const std::string others = taken < read->size() ? fmt::format("; of the others {} has ones that are as fast", path) : "";
  fmt::print("{}: {} of {} winners taken{}\n", file, taken, read->size(), others);
  return 0;
}

// From what the searches have left in their folders. A store that is damaged is somebody's to move away first.
Result<int> rebuild_winners(const std::string& path, const std::string& root) {
  const std::string runs = root == "." ? ".optimize" : root + "/.optimize";
  const Result<std::vector<std::string>> names = os::list_dir(runs);
  if (!names) return invalid_input(fmt::format("--rebuild: {}", names.error().message));
  KA_ASSIGN(store::Winners store, store::Winners::open(path));
  std::size_t found = 0, taken = 0;
  for (const std::string& name : *names) {
    const std::string file = fmt::format("{}/{}/{}", runs, name, kWinnerFile);
    const Result<std::string> text = os::read_file(file);
    if (!text) continue;
    const Result<Json> json = parse_json(*text, file);
    const Result<store::Winner> one = json ? store::winner_from_json(*json) : Result<store::Winner>(json.error());
    if (!one) {
      fmt::print(stderr, "{} is left out: {}\n", file, one.error().message);
      continue;
    }
    ++found;
    KA_ASSIGN(const bool fresh, store.put(*one));
    taken += fresh ? 1 : 0;
  }
  fmt::print("{}: {} of {} winners of {} taken\n", path, taken, found, runs);
  return 0;
}

}  // namespace

std::string gpu_here() {
  const Result<std::vector<os::Gpu>> gpus = os::query_gpus(os::Deadline::in(kDriverLimit));
  if (!gpus || gpus->empty()) return "";
  const std::optional<std::vector<int>> visible = os::visible_gpus(*gpus, os::get_env("CUDA_VISIBLE_DEVICES"));
  const int first = visible && !visible->empty() ? (*visible)[0] : 0;
  for (const os::Gpu& gpu : *gpus) {
    if (gpu.index != first) continue;
    const ir::Gpu* const known = ir::gpu_by_title(gpu.name);
    return known != nullptr ? known->title : gpu.name;
  }
  return "";
}

Result<pipeline::WinnerSide> winner_side(const Arguments& arguments, const Request& request, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  pipeline::WinnerSide out;
  const bool says_how = arguments.has("--no-algebraic") || is_list_of_forms(arguments);
  if (arguments.has("--no-winners") || says_how || request.choices.platform != "cuda" || request.choices.emit != "kernel") return out;
  const std::string path = arguments.settings().text("store");
  if (!os::exists(path)) return out;
  const std::string here = arguments.has("--gpu") || request.options.device != "cuda" ? "" : gpu_here();
  out.gpus.push_back(here.empty() ? request.choices.gpu.title : here);
  if (arguments.text("--device") == "cpu") out.gpus.emplace_back(store::kInterpreter);
  KA_ASSIGN(const bridge::InterpreterFacts facts, interpreter.start(cancel));
  out.here = {KA_VERSION, facts.torch, facts.triton};
  out.path = path;
  return out;
}

Result<store::Winner> winner_of(const SearchEnd& end, const pipeline::Means& means) {
  store::Winner out;
  out.gpu = end.judge.device == "cuda" ? gpu_here() : store::kInterpreter;
  if (out.gpu.empty()) return environment_error("nobody knows which GPU it was timed on");
  KA_ASSIGN(const graph::Exported exported, pipeline::export_program(end.problem, end.judge, {}, means.interpreter, means.cancel, nullptr));
  out.signature = graph::signature_of(exported, end.problem.mode, end.judge.precision);
  out.device = end.judge.device;
  out.versions = {end.versions.kernelagent, end.versions.torch, end.versions.triton};
  out.kernel = end.kernel;
  out.kernel_sha256 = sha256_hex(end.kernel);
  out.entry = end.entry;
  out.weights = graph::weight_keywords(exported);
  out.input_ms = end.input_ms;
  out.best_ms = end.best_ms;
  out.floor_ms = end.floor_ms;
  out.moves = end.moves;
  out.when = utc_timestamp(system_wall_clock()());
  out.run_id = end.run_id;
  out.problem = file_name_of(end.problem.path);
  return out;
}

std::string remember_winner(const store::Winner& winner, const std::string& store) {
  Result<store::Winners> opened = store::Winners::open(store);
  const Result<bool> put = opened ? opened->put(winner) : Result<bool>(opened.error());
  if (!put) return fmt::format("not kept as a winner: {}", put.error().message);
  return *put ? fmt::format("kept as the winner for {} in {}", winner.gpu, store) : fmt::format("{} has a winner for {} that is at least as fast, and keeps it", store, winner.gpu);
}

Result<int> run_winners(const Arguments& arguments, const std::string& root) {
  constexpr std::array<std::string_view, 4> kDeeds = {"--export", "--import", "--remove", "--rebuild"};
  std::vector<std::string_view> asked;
  for (const std::string_view deed : kDeeds) {
    if (arguments.has(deed)) asked.push_back(deed);
  }
  if (asked.size() > 1) return invalid_input(fmt::format("winners: {} at a time is enough", fmt::join(asked, " or ")));
  if (!asked.empty() && arguments.has("--json")) return invalid_input("--json: only the list of winners is printed as JSON");
  std::string path = arguments.settings().text("store");
  if (path == store::kDefaultStore && root != ".") path = root + "/" + path;
  if (asked.empty()) return list_winners(path, arguments.has("--json"));
  if (asked[0] == "--rebuild") return rebuild_winners(path, root);
  KA_ASSIGN(const std::string value, arguments.required(asked[0]));
  if (asked[0] == "--export") return export_winners(path, value);
  if (asked[0] == "--import") return import_winners(path, value);
  KA_ASSIGN(std::optional<store::Winners> store, store::Winners::look(path));
  if (!store) return invalid_input(fmt::format("--remove: there is no store of winners {}", path));
  const Result<std::size_t> gone = store->remove(value);
  if (!gone) return gone.error().with("--remove");
  fmt::print("removed {} winner{}\n", *gone, *gone == 1 ? "" : "s");
  return 0;
}

}  // namespace ka::app
