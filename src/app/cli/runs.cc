#include "app/cli/runs.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/winners.h"
#include "base/json_fields.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "model/journal.h"
#include "model/run_summary.h"
#include "report/run_files.h"
#include "report/run_list.h"

namespace ka::app {
namespace {

// "2026-11-16T02:22:01.351Z" -> "2026-11-16 02:22"
std::string minute_of(const report::RunRow& row) {
  std::string text = utc_timestamp(row.at).substr(0, 16);
  text[10] = ' ';
  return text;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string size_line(const std::vector<report::RunRow>& rows) {
  std::uint64_t bytes = 0;
  for (const report::RunRow& row : rows) bytes += row.bytes;
  return fmt::format("{} run{}, {}", rows.size(), rows.size() == 1 ? "" : "s", bytes_text(bytes));
}

int list(const std::vector<report::RunRow>& rows, const std::string& root, bool json) {
  if (json) {
    Json out = Json::array();
    for (const report::RunRow& row : rows) out.push_back(report::to_json(row));
    fmt::print("{}", to_pretty_json_text(out));
    return 0;
  }
  if (rows.empty()) {
    fmt::print("no runs below {}/.fuse and {}/.optimize\n", root, root);
    return 0;
  }
  std::size_t width = 2;
  for (const report::RunRow& row : rows) width = std::max(width, std::min<std::size_t>(row.id.size(), 40));
  fmt::print("{:<{}}  {:<16}  {:<12}  {:<6}  {:>10}  {:>10}  problem\n", "id", width, "began (UTC)", "state",
             "route", "took", "size");
  for (const report::RunRow& row : rows) {
    fmt::print("{:<{}}  {:<16}  {:<12}  {:<6}  {:>10}  {:>10}  {}\n", row.id, width, minute_of(row),
               report::to_string(row.state), row.route.empty() ? "-" : row.route,
               row.seconds ? seconds_text(*row.seconds) : "-", bytes_text(row.bytes),
               elide_middle(file_name(row.problem), 40));
    if (row.state == report::RunState::damaged) fmt::print("  {}\n", row.message);
  }
  fmt::print("{}\n", size_line(rows));
  return 0;
}

std::string steps_text(const std::vector<model::JournalEntry>& steps) {
  std::string out;
  for (const model::JournalEntry& step : steps) {
    std::vector<std::string> names;
    for (const model::ArtifactRef& artifact : step.artifacts) names.push_back(artifact.path);
    out += fmt::format("  {:>3}  {:<10} {:<16} {}\n", step.seq, step.step, step.key, join(names, ", "));
  }
  return out;
}

std::string summary_text(const model::RunSummary& summary) {
  std::string out = fmt::format("  {:<10} {}\n", "device", summary.device);
  if (summary.composition) {
    const model::Composition& whole = *summary.composition;
    out +=
        fmt::format("  {:<10} {} ({})\n", "result", whole.path, whole.verified ? "verified" : "not verified");
    if (!whole.torch_parts.empty())
      out += fmt::format("  {:<10} {}\n", "PyTorch", join(whole.torch_parts, ", "));
  }
  if (!summary.subgraphs.empty()) {
    const auto good = std::count_if(summary.subgraphs.begin(), summary.subgraphs.end(),
                                    [](const auto& part) { return part.success; });
    out += fmt::format("  {:<10} {} of {} with a kernel\n", "subgraphs", good, summary.subgraphs.size());
  }
  for (const model::SubgraphResult& part : summary.subgraphs) {
    if (!part.success) out += fmt::format("  {:<10} {}: {}\n", "", part.id, part.message);
  }
  for (const model::SpeedLine& line : summary.speed)
    out += fmt::format("  {:<10} {:.3f} ms, the result is {:.2f} times as fast\n", line.contender,
                       line.median_ms, line.speedup);
  for (const auto& [name, version] : summary.versions) out += fmt::format("  {:<10} {}\n", name, version);
  return out;
}

int show(const std::string& path, bool json) {
  const report::RunRow row = report::look_at(path);
  report::RunFiles files(path);
  const std::optional<std::string> journal = files.text("journal.jsonl");
  std::optional<model::JournalText> steps;
  if (journal) steps = files.taken("journal.jsonl", model::parse_journal(*journal, "journal.jsonl"));
  const std::optional<model::RunSummary> summary = files.value("summary.json", model::run_summary_from_json);
  const std::vector<report::FileEntry> entries = report::list_files(path);
  if (json) {
    Json out = {{"run", report::to_json(row)},
                {"files", Json::array()},
                {"steps", Json::array()},
                {"complaints", files.complaints()}};
    for (const report::FileEntry& file : entries)
      out["files"].push_back({{"name", file.name}, {"bytes", file.bytes}, {"is_link", file.is_link}});
    if (steps) {
      for (const model::JournalEntry& step : steps->entries) {
        Json artifacts = Json::array();
        for (const model::ArtifactRef& ref : step.artifacts) artifacts.push_back(ref.path);
        out["steps"].push_back(
            {{"seq", step.seq}, {"step", step.step}, {"key", step.key}, {"artifacts", artifacts}});
      }
    }
    out["summary"] = summary ? model::to_json(*summary) : Json();
    fmt::print("{}", to_pretty_json_text(out));
    return 0;
  }
  fmt::print("{}  {}\n  {}\n", row.id, report::to_string(row.state), row.message);
  const std::string began = row.started.empty() ? "?" : row.started;
  for (const auto& [name, text] : {std::pair<const char*, std::string>{"command", row.command},
                                   {"problem", row.problem},
                                   {"route", row.route},
                                   {"began", began},
                                   {"took", row.seconds ? seconds_text(*row.seconds) : ""},
                                   {"size", bytes_text(row.bytes)},
                                   {"folder", row.path}})
    if (!text.empty()) fmt::print("  {:<10} {}\n", name, text);
  if (summary) fmt::print("{}", report::mended(summary_text(*summary)));
  if (steps && !steps->entries.empty()) fmt::print("\nsteps\n{}", report::mended(steps_text(steps->entries)));
  fmt::print("\nfiles\n");
  for (const report::FileEntry& file : entries)
    fmt::print("  {:>10}  {}{}\n", bytes_text(file.bytes), file.name, file.is_link ? " (a link)" : "");
  for (const std::string& complaint : files.complaints()) fmt::print("\n{}\n", complaint);
  return 0;
}

// All of them are looked for before the first one goes.
Result<int> remove(const std::string& root, std::span<const std::string> words) {
  if (words.empty()) return invalid_input("rm: which? Give ids, beginnings of ids, or paths");
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    KA_ASSIGN(std::string path, report::find_removable_run(root, word));
    if (report::look_at(path).state == report::RunState::going_on)
      return invalid_input(fmt::format("{} is going on; it is not removed", path));
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  KA_TRY(report::sweep_removed(root));
  for (const std::string& path : paths) {
    KA_TRY(report::remove_run(path));
    fmt::print("removed {}\n", path);
  }
  return 0;
}

Result<report::GcLimits> gc_limits(const Arguments& arguments) {
  report::GcLimits limits;
  if (arguments.has("--older-than")) {
    const Result<std::chrono::seconds> age = parse_duration(arguments.text("--older-than"));
    if (!age) return age.error().with("--older-than");
    limits.older_than = *age;
  }
  if (arguments.has("--larger-than")) {
    const Result<std::uint64_t> bytes = parse_bytes(arguments.text("--larger-than"));
    if (!bytes) return bytes.error().with("--larger-than");
    limits.larger_than = *bytes;
  }
  if (arguments.has("--keep")) {
    KA_ASSIGN(std::uint64_t keep, arguments.whole_number("--keep", 0));
    limits.keep = static_cast<std::size_t>(keep);
  }
  return limits;
}

Result<int> collect(const Arguments& arguments, const std::string& root) {
  KA_ASSIGN(report::GcLimits limits, gc_limits(arguments));
  if (!limits.older_than && !limits.larger_than && !limits.keep)
    return invalid_input("gc: say what may go: --older-than TIME, --larger-than SIZE or --keep N");
  KA_ASSIGN(std::vector<report::RunRow> runs, report::list_runs(root));
  const bool dry = arguments.has("--dry-run");
  if (!dry) KA_TRY(report::sweep_removed(root));
  std::vector<report::RunRow> gone;
  for (const report::RunRow& row : report::gc_plan(runs, limits, system_wall_clock()())) {
    KA_ASSIGN(std::string path, report::find_removable_run(root, row.path));
    const Status removed = dry ? ok() : report::remove_run(path);
    if (!removed && removed.error().kind == ErrorKind::invalid_input)
      continue;  // somebody has gone on with it meanwhile
    if (!removed) return removed.error();
    fmt::print("{} {}  {}  {}\n", dry ? "would remove" : "removed", path, minute_of(row),
               bytes_text(row.bytes));
    gone.push_back(row);
  }
  fmt::print("{} {} of {}\n", dry ? "would remove" : "removed", size_line(gone), size_line(runs));
  return 0;
}

}  // namespace

Result<std::string> runs_root(const Arguments& arguments) {
  if (!arguments.has("--root")) return std::string(".");
  KA_ASSIGN(std::string root, arguments.required("--root"));
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  return root;
}

Result<std::string> named_run(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.positional();
  if (words.empty()) return invalid_input("which run? Give its id, a beginning of it, its path, or last");
  if (words.size() > 1) return invalid_input(fmt::format("unexpected argument \"{}\"", words[1]));
  KA_ASSIGN(std::string root, runs_root(arguments));
  return report::find_run(root, words[0]);
}

Result<int> run_runs(const Arguments& arguments, AppContext&) {
  constexpr std::array<std::string_view, 5> actions = {"list", "show", "rm", "gc", "winners"};
  const std::vector<std::string>& words = arguments.positional();
  const std::string action = words.empty() ? "list" : words[0];
  if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
    const std::optional<std::string> near = closest(action, actions);
    return invalid_input(fmt::format("unknown action \"{}\"{}; accepted: list, show RUN, rm RUN..., gc, winners",
                                     action, near ? fmt::format(" (did you mean \"{}\"?)", *near) : ""));
  }
  for (const std::string_view flag : {"--older-than", "--larger-than", "--keep", "--dry-run"})
    if (action != "gc" && arguments.has(flag))
      return invalid_input(fmt::format("{}: only gc takes it", flag));
  for (const std::string_view flag : {"--export", "--import", "--remove", "--rebuild"})
    if (action != "winners" && arguments.has(flag))
      return invalid_input(fmt::format("{}: only winners takes it", flag));
  if (arguments.has("--json") && (action == "rm" || action == "gc"))
    return invalid_input("--json: only list, show and winners print JSON");
  KA_ASSIGN(std::string root, runs_root(arguments));
  if (action == "rm") return remove(root, std::span(words).subspan(1));
  if (words.size() > (action == "show" ? 2U : 1U))
    return invalid_input(fmt::format("{}: unexpected argument \"{}\"", action, words.back()));
  if (action == "gc") return collect(arguments, root);
  if (action == "winners") return run_winners(arguments, root);
  if (action == "list") {
    KA_ASSIGN(std::vector<report::RunRow> rows, report::list_runs(root));
    return list(rows, root, arguments.has("--json"));
  }
  if (words.size() < 2)
    return invalid_input("show: which run? Give its id, a beginning of it, its path, or last");
  KA_ASSIGN(std::string path, report::find_run(root, words[1]));
  return show(path, arguments.has("--json"));
}

}  // namespace ka::app
