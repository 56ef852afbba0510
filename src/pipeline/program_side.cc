#include "pipeline/program_side.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "bridge/embedded.h"
#include "graph/operators.h"
#include "os/files.h"

namespace ka::pipeline {
namespace {

constexpr int kSchema = 1;
constexpr auto kKnownModules = std::to_array<std::string_view>({"__future__", "abc", "collections", "copy", "dataclasses", "enum", "functools", "itertools", "math", "numpy", "operator", "random", "torch", "typing"});

std::string digest_of_scripts() {
  std::string all;
  for (const bridge::EmbeddedScript& script : bridge::embedded_scripts()) all += script.source;
  return sha256_hex(all);
}

// Everything that the answers depend on.
std::string key_of(const verify::ProblemSource& problem, const verify::ReferenceOptions& options, const bridge::InterpreterFacts& facts) {
  const Json key = {{"schema", kSchema},          {"kernelagent", KA_VERSION},   {"python", facts.python}, {"torch", facts.torch},  {"triton", facts.triton}, {"numpy", facts.numpy}, {"seed", options.seed},
                    {"text", problem.text},       {"object", problem.object},    {"mode", problem.mode},   {"path", problem.path},  // places in it are named
                    {"operators", sha256_hex(join(graph::operator_spellings(), "\n"))}, {"scripts", digest_of_scripts()}};
  return sha256_hex(to_json_text(key));
}

// The oldest files, when there are too many. What cannot be removed stays.
void make_room(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) files.emplace_back(it->last_write_time(error), it->path());
  if (files.size() < kMostExports) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + kMostExports <= files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace

bool imports_only_known(std::string_view text) {
  for (const std::string& line : split(std::string(text), '\n')) {
    const std::string words = trim(line);
    const bool plain = words.starts_with("import "), from = words.starts_with("from ");
    if (!plain && !from) {
      if (words.find("__import__") != std::string::npos || words.find("importlib") != std::string::npos) return false;
      continue;
    }
    for (const std::string& one : split(words.substr(plain ? 7 : 5), plain ? ',' : '\n')) {
      const std::string name = trim(one);
      const std::string root = name.substr(0, name.find_first_of(". \t;("));
      if (std::find(kKnownModules.begin(), kKnownModules.end(), root) == kKnownModules.end()) return false;
    }
  }
  return true;
}

Result<ProgramSide> ProgramSide::open(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const std::string& cache, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  verify::ReferenceOptions reference;
  reference.exports = true;
  reference.seed = options.seed;
  reference.sandbox.limits = options.limits;
  reference.limit = options.limit;
  ProgramSide side(problem, std::move(reference), interpreter);
  if (!cache.empty() && imports_only_known(problem.text)) {
    KA_ASSIGN(const bridge::InterpreterFacts facts, interpreter.start(cancel));
    side.path_ = fmt::format("{}/{}.json", cache, key_of(problem, side.options_, facts));
    side.read();
  }
  if (side.said_.graphs.empty()) KA_TRY(side.process(cancel));  // what is wrong with the problem is said first
  return side;
}

Result<verify::ReferenceSide*> ProgramSide::process(const os::CancelToken& cancel) {
  if (!process_) {
    KA_ASSIGN(process_, verify::ReferenceSide::load(problem_, options_, *interpreter_, cancel));
  }
  return &*process_;
}

Result<std::string> ProgramSide::source_facts(const os::CancelToken& cancel) {
  if (said_.facts.empty()) {
    KA_ASSIGN(verify::ReferenceSide* const side, process(cancel));
    KA_ASSIGN(said_.facts, side->source_facts(cancel));
  }
  return said_.facts;
}

Result<std::string> ProgramSide::export_graphs(std::span<const std::string> operators, const os::CancelToken& cancel) {
  if (said_.graphs.empty()) {
    KA_ASSIGN(verify::ReferenceSide* const side, process(cancel));
    KA_ASSIGN(said_.graphs, side->export_graphs(operators, cancel));
    keep();
  }
  return said_.graphs;
}

Result<std::string> ProgramSide::syntax_error(const std::string& text, const os::CancelToken& cancel) {
  const std::string hash = sha256_hex(text);
  if (said_.python.contains(hash)) return std::string();
  KA_ASSIGN(verify::ReferenceSide* const side, process(cancel));
  KA_ASSIGN(std::string wrong, side->syntax_error(text, cancel));
  if (wrong.empty() && said_.python.insert(hash).second) keep();
  return wrong;
}

Result<std::string> ProgramSide::compare_refactored(const std::string& text, std::uint64_t seed, std::chrono::milliseconds limit, const os::CancelToken& cancel) {
  const std::string hash = sha256_hex(fmt::format("{}\n{}", seed, text));
  if (said_.same.contains(hash)) return std::string();
  KA_ASSIGN(verify::ReferenceSide* const side, process(cancel));
  KA_ASSIGN(std::string difference, side->compare_refactored(text, seed, limit, cancel));
  if (difference.empty() && said_.same.insert(hash).second) keep();
  return difference;
}

void ProgramSide::read() {
  const Result<std::string> text = os::read_file(path_);
  if (!text) return;
  const Json json = Json::parse(*text, nullptr, false);
  const auto texts = [&](const char* name) {
    std::set<std::string> out;
    for (const Json& one : json.value(name, Json::array())) {
      if (one.is_string()) out.insert(one.get<std::string>());
    }
    return out;
  };
  const auto is_text = [&](const char* name) { return json.contains(name) && json[name].is_string(); };
  if (!json.is_object() || !is_text("facts") || !is_text("graphs") || !is_text("sha256")) return;
  Said said{json["facts"], json["graphs"], texts("python"), texts("same")};
  if (json["sha256"] == sha256_hex(said.facts + "\n" + said.graphs)) said_ = std::move(said);
}

// A folder that cannot be written to stops nothing.
void ProgramSide::keep() const {
  if (path_.empty() || said_.facts.empty() || said_.graphs.empty()) return;
  const std::string folder = path_.substr(0, path_.rfind('/'));
  if (!os::make_dirs(folder)) return;
  if (!os::exists(path_)) make_room(folder);
  const Json json = {{"facts", said_.facts}, {"graphs", said_.graphs}, {"sha256", sha256_hex(said_.facts + "\n" + said_.graphs)}, {"python", said_.python}, {"same", said_.same}};
  [[maybe_unused]] const Status written = os::write_file_atomic(path_, to_json_text(json));
}

}  // namespace ka::pipeline
