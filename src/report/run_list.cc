#include "report/run_list.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>

#include "base/strings.h"
#include "model/journal.h"
#include "model/run_info.h"
#include "model/run_lock.h"
#include "model/run_summary.h"
#include "model/temporary_name.h"
#include "model/verdict.h"
#include "os/files.h"

namespace ka::report {

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 2> kFolders = {".fuse", ".optimize"};
constexpr const char* kRemoved = ".removed-";
constexpr const char* kLast = "last";

bool is_real_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

// A creation that was killed leaves nothing but these.
bool holds_nothing(const std::string& path) {
  const Result<std::vector<std::string>> names = os::list_dir(path);
  return names && std::all_of(names->begin(), names->end(), [](const std::string& name) {
           return name == "lock" || model::is_temporary_name(name);
         });
}

// A run, or what is left of one; other commands keep other folders there.
bool is_run(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return is_real_folder(path) &&
         (RunFiles(path).has("run.json") || name.starts_with("run_") || holds_nothing(path));
}

WallTime time_of_folder(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return {};
  return WallTime(
      std::chrono::duration_cast<WallTime::duration>(std::chrono::seconds(status.st_mtim.tv_sec)));
}

// "kernelagent auto --problem 'p q.py' --verify" -> "p q.py"; for runs that have no summary yet.
std::string problem_in(const std::string& command) {
  constexpr std::string_view flag = "--problem ";
  const std::size_t at = command.find(flag);
  if (at == std::string::npos) return {};
  const std::string rest = command.substr(at + flag.size());
  if (rest.starts_with('\'')) return rest.substr(1, rest.find('\'', 1) - 1);
  return rest.substr(0, rest.find(' '));
}

void take_summary(const model::RunSummary& summary, RunRow& row) {
  row.problem = summary.problem_path;
  row.route = summary.route;
  row.message = summary.message;
  const std::optional<WallTime> begin = parse_utc_timestamp(summary.started),
                                end = parse_utc_timestamp(summary.finished);
  if (begin) {
    row.started = summary.started;
    row.at = *begin;
  }
  if (begin && end && *end >= *begin) row.seconds = std::chrono::duration<double>(*end - *begin).count();
  const bool verified = summary.composition && summary.composition->verified;
  constexpr int kInterrupted = 130;
  if (summary.exit_code == kInterrupted)
    row.state = RunState::interrupted;
  else if (!summary.success)
    row.state = RunState::not_achieved;
  else
    row.state = verified ? RunState::verified : RunState::unverified;
}

// A measurement has no summary.
void take_bench(RunFiles& files, RunRow& row) {
  const std::optional<model::Verdict> verdict = files.value("verdict.json", model::verdict_from_json);
  if (!verdict) return;
  row.problem = verdict->problem.path;
  row.message = verdict->accepted ? "measured" : fmt::format("{}: {}", verdict->rule, verdict->reason);
  row.state = verdict->accepted ? RunState::verified : RunState::not_achieved;
}

std::string step_text(const model::JournalEntry& entry) {
  return entry.key.empty() ? entry.step : fmt::format("{} of {}", entry.step, entry.key);
}

}  // namespace

const char* to_string(RunState state) {
  switch (state) {
    case RunState::verified:
      return "verified";
    case RunState::unverified:
      return "not verified";
    case RunState::not_achieved:
      return "not achieved";
    case RunState::going_on:
      return "going on";
    case RunState::interrupted:
      return "interrupted";
    case RunState::damaged:
      return "damaged";
  }
  return "?";
}

RunRow look_at(const std::string& path) {
  RunRow row;
  row.path = path;
  row.id = one_line(path.substr(path.rfind('/') + 1));
  row.at = time_of_folder(path);
  row.bytes = disk_bytes(path);
  RunFiles files(path);
  // First: a run that ends while we look is then said to go on, and not to be interrupted.
  const bool held = model::RunLock::is_held(path + "/lock");
  const std::optional<model::RunInfo> info = files.value("run.json", model::run_info_from_json);
  if (info) {
    if (row.id == "." || row.id == "..") row.id = info->id;
    row.command = info->command;
    row.problem = problem_in(info->command);
    row.started = info->created;
    row.at = parse_utc_timestamp(info->created).value_or(row.at);
  } else if (!files.has("run.json") && !holds_nothing(path)) {
    files.complain("run.json", "it is missing");
  }
  const std::optional<std::string> journal = files.text("journal.jsonl");
  std::optional<model::JournalText> steps;
  if (journal) steps = files.taken("journal.jsonl", model::parse_journal(*journal, "journal.jsonl"));
  const std::string last = steps && !steps->entries.empty()
                               ? fmt::format("the last finished step is {}", step_text(steps->entries.back()))
                               : "no step is finished";
  const std::optional<model::RunSummary> summary = files.value("summary.json", model::run_summary_from_json);
  if (summary)
    take_summary(*summary, row);
  else if (files.has("bench.json"))
    take_bench(files, row);
  else if (files.has("profile.json"))
    std::tie(row.state, row.message) = std::pair(RunState::unverified, "profiled");
  else
    row.message = fmt::format("there is no summary; {}", last);
  if (held) {
    row.state = RunState::going_on;
    row.message = fmt::format("a process is at work on it; {}", last);
    row.seconds.reset();
  } else if (!files.complaints().empty()) {
    row.state = RunState::damaged;
    row.message = files.complaints()[0];
  }
  for (std::string* text : {&row.command, &row.problem, &row.route, &row.message, &row.started})
    *text = one_line(std::move(*text));
  return row;
}

Result<std::vector<RunRow>> list_runs(const std::string& root) {
  if (!os::is_directory(root)) return not_found(fmt::format("there is no folder {}", root));
  std::vector<RunRow> rows;
  for (const char* folder : kFolders) {
    const std::string base = root == "." ? std::string(folder) : fmt::format("{}/{}", root, folder);
    if (!os::is_directory(base)) continue;
    KA_ASSIGN(std::vector<std::string> names, os::list_dir(base));
    for (const std::string& name : names) {
      const std::string path = fmt::format("{}/{}", base, name);
      if (!name.starts_with(kRemoved) && is_run(path)) rows.push_back(look_at(path));
    }
  }
  std::sort(rows.begin(), rows.end(), [](const RunRow& a, const RunRow& b) {
    return std::tie(a.at, a.id, a.path) > std::tie(b.at, b.id, b.path);
  });
  return rows;
}

namespace {

// Names only: what became of them does not matter here.
std::vector<std::string> run_paths(const std::string& root) {
  std::vector<std::string> paths;
  for (const char* folder : kFolders) {
    const std::string base = root == "." ? std::string(folder) : fmt::format("{}/{}", root, folder);
    const Result<std::vector<std::string>> names = os::list_dir(base);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!name.starts_with(kRemoved) && is_run(base + "/" + name)) paths.push_back(base + "/" + name);
    }
  }
  return paths;
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Result<std::string> find_by_name(const std::string& root, const std::string& word) {
  std::vector<std::string> exact, begin;
  std::vector<std::string_view> known;
  const std::vector<std::string> paths = run_paths(root);
  for (const std::string& path : paths) {
    const std::string name = name_of(path);
    if (name == word) exact.push_back(path);
    // "20261116" or "1f3b" say more than "run_2026": a beginning of the part after "run_" will do.
    else if (name.starts_with(word) || name.starts_with("run_" + word))
      begin.push_back(path);
    known.push_back(std::string_view(path).substr(path.rfind('/') + 1));
  }
  const std::vector<std::string>& found = exact.empty() ? begin : exact;
  if (found.size() == 1) return found[0];
  if (found.size() > 1) {
    constexpr std::size_t kShown = 3;
    const std::vector<std::string> shown(
        found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), kShown)));
    return invalid_input(fmt::format("\"{}\" fits {} runs: {}{}; give more of the name", word, found.size(),
                                     join(shown, ", "), found.size() > kShown ? ", ..." : ""));
  }
  const std::optional<std::string> near = closest(word, known);
  return not_found(fmt::format("there is no run \"{}\" below {}/.fuse and {}/.optimize{}", word, root, root,
                               near ? fmt::format(" (did you mean \"{}\"?)", *near) : ""));
}

}  // namespace

Result<std::string> find_run(const std::string& root, const std::string& word) {
  if (word.empty()) return invalid_input("the name of a run is empty");
  if (word == kLast) {
    KA_ASSIGN(std::vector<RunRow> rows, list_runs(root));
    if (rows.empty())
      return not_found(fmt::format("there are no runs below {}/.fuse and {}/.optimize", root, root));
    return rows[0].path;
  }
  if (word.find('/') == std::string::npos && word != "." && word != "..") {
    Result<std::string> named = find_by_name(root, word);
    // A folder of the current one, when no run is called so.
    if (named || named.error().kind != ErrorKind::not_found || !is_real_folder(word) ||
        !RunFiles(word).has("run.json"))
      return named;
  }
  std::string path = word;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (!os::is_directory(path)) return not_found(fmt::format("there is no run directory {}", word));
  if (!RunFiles(path).has("run.json") && !name_of(path).starts_with("run_"))
    return not_found(fmt::format("{} is not a run directory: it has no run.json", word));
  return path;
}

Result<std::string> find_removable_run(const std::string& root, const std::string& word) {
  KA_ASSIGN(std::string path, find_run(root, word));
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  bool inside = false;
  for (const char* folder : kFolders) {
    // Both sides as the kernel resolves them: "x/../../other" and links are seen for what they are.
    const fs::path base = fs::weakly_canonical(fs::path(root), error) / folder;
    inside = inside || (!error && fs::weakly_canonical(whole.parent_path(), error) == base && !error &&
                        is_real_folder(base.string()));
  }
  if (!inside || name_of(path) == "." || name_of(path) == "..")
    return invalid_input(
        fmt::format("{} does not lie directly below {}/.fuse or {}/.optimize; other folders are not removed "
                    "(--root names another place)",
                    word, root, root));
  if (!is_real_folder(path))
    return invalid_input(fmt::format("{} is a link, and links are not followed", word));
  if (!is_run(path)) return invalid_input(fmt::format("{} is not a run directory", word));
  return path;
}

Status remove_run(const std::string& path) {
  std::error_code ignored;
  std::optional<model::RunLock> lock;
  // A link or a pipe in its place is nobody's lock.
  const fs::file_status status = fs::symlink_status(path + "/lock", ignored);
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    Result<model::RunLock> taken = model::RunLock::acquire(path + "/lock");
    if (!taken && taken.error().kind == ErrorKind::environment)
      return invalid_input(fmt::format("{}: {}; it is not removed", path, taken.error().message));
    if (!taken) return taken.error();
    lock.emplace(std::move(taken).value());
  }
  const std::string aside = fmt::format("{}/{}{}", path.substr(0, path.rfind('/')), kRemoved, name_of(path));
  KA_TRY(os::remove_tree(aside));
  if (::rename(path.c_str(), aside.c_str()) != 0) return errno_error("cannot remove " + path, errno);
  return os::remove_tree(aside);
}

Status sweep_removed(const std::string& root) {
  for (const char* folder : kFolders) {
    const std::string base = fmt::format("{}/{}", root, folder);
    if (!is_real_folder(base)) continue;
    KA_ASSIGN(std::vector<std::string> names, os::list_dir(base));
    for (const std::string& name : names) {
      if (name.starts_with(kRemoved)) KA_TRY(os::remove_tree(base + "/" + name));
    }
  }
  return ok();
}

std::vector<RunRow> gc_plan(const std::vector<RunRow>& runs, const GcLimits& limits, WallTime now) {
  std::vector<RunRow> newest_first = runs;
  std::sort(newest_first.begin(), newest_first.end(), [](const RunRow& a, const RunRow& b) {
    return std::tie(a.at, a.id, a.path) > std::tie(b.at, b.id, b.path);
  });
  std::uint64_t left = 0;
  for (const RunRow& row : runs) left += row.bytes;
  const bool all_others = !limits.older_than && !limits.larger_than;
  std::vector<RunRow> out;
  for (std::size_t i = newest_first.size(); i-- > limits.keep.value_or(0);) {
    const RunRow& row = newest_first[i];
    if (row.state == RunState::going_on) continue;
    const bool too_old = limits.older_than && now - row.at > *limits.older_than;
    const bool too_much = limits.larger_than && left > *limits.larger_than;
    if (!too_old && !too_much && !(all_others && limits.keep)) continue;
    left -= row.bytes;
    out.push_back(row);
  }
  return out;
}

}  // namespace ka::report
