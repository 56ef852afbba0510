#include "fuzz/targets.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/capi/request.h"
#include "app/cli/bench.h"
#include "app/cli/command.h"
#include "app/cli/config_file.h"
#include "app/cli/env_file.h"
#include "app/cli/live_state.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "graph/exported.h"
#include "graph/fragment.h"
#include "graph/import.h"
#include "graph/reference_text.h"
#include "graph/term.h"
#include "ir/gpu.h"
#include "model/candidate.h"
#include "model/diagnosis.h"
#include "model/journal.h"
#include "model/problem.h"
#include "model/profile.h"
#include "model/route.h"
#include "model/run_info.h"
#include "model/run_summary.h"
#include "model/subgraph.h"
#include "model/timing.h"
#include "model/verdict.h"
#include "os/gpu.h"
#include "pipeline/dispatch.h"
#include "route/cache.h"

namespace ka::fuzz {
namespace {

// Bad input is one sentence, and it is the input's fault.
void check_refusal(const Error& error) {
  KA_CHECK(error.kind == ErrorKind::invalid_input || error.kind == ErrorKind::unsupported);
  KA_CHECK(!error.message.empty());
  KA_CHECK(std::none_of(error.message.begin(), error.message.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
}

template <typename T>
bool good(const Result<T>& result) {
  if (!result) check_refusal(result.error());
  return static_cast<bool>(result);
}

// A value that can be read is written as something that reads as the same bytes.
template <auto Read>
void value(std::string_view bytes) {
  const Result<Json> json = parse_json(bytes, "file");
  if (!good(json)) return;
  const auto read = Read(*json);
  if (!good(read)) return;
  const Json written = model::to_json(*read);
  const auto again = Read(written);
  KA_CHECK(static_cast<bool>(again));
  KA_CHECK(to_json_text(model::to_json(*again)) == to_json_text(written));
}

void journal(std::string_view bytes) {
  const Result<model::JournalText> read = model::parse_journal(bytes, "journal.jsonl");
  if (!good(read)) return;
  KA_CHECK(read->good_bytes <= bytes.size());
  KA_CHECK(read->cut.empty() == (read->good_bytes == bytes.size()));
  const Result<model::JournalText> again = model::parse_journal(bytes.substr(0, read->good_bytes), "journal.jsonl");
  KA_CHECK(again && again->entries == read->entries && again->cut.empty());
  for (const model::JournalEntry& entry : read->entries) {
    const Result<std::string> line = model::journal_line(entry);
    KA_CHECK(static_cast<bool>(line));
    const Result<model::JournalEntry> parsed = model::parse_journal_line(*line);
    KA_CHECK(parsed && *parsed == entry);
  }
}

void router_cache(std::string_view bytes) {
  const auto read = route::parse_cache(bytes, "router_cache.json");
  if (!good(read)) return;
  const std::string written = route::cache_text(*read);
  const auto again = route::parse_cache(written, "router_cache.json");
  KA_CHECK(again && route::cache_text(*again) == written);
}

void gpus(std::string_view bytes) {
  const Result<std::vector<ir::Gpu>> read = ir::read_gpus(bytes);
  if (good(read)) KA_CHECK(!read->empty());
}

// nvidia-smi's table.
void gpu_table(std::string_view bytes) { KA_CHECK(os::parse_gpu_table(bytes).size() <= bytes.size()); }

// What the importer relies on: only numbers differ between samples.
void exported_graph(std::string_view bytes) {
  const Result<Json> json = parse_json(bytes, "export");
  if (!good(json)) return;
  const Result<graph::Exported> read = graph::read_exported(*json);
  if (!good(read)) return;
  KA_CHECK(!read->samples.empty());
  const graph::ExportedGraph& first = read->samples[0];
  for (const graph::ExportedGraph& sample : read->samples) {
    KA_CHECK(sample.arguments.size() == first.arguments.size() && sample.nodes.size() == first.nodes.size());
    for (std::size_t i = 0; i < first.arguments.size(); ++i) {
      const auto &mine = sample.arguments[i].tensor, &theirs = first.arguments[i].tensor;
      KA_CHECK(mine.has_value() == theirs.has_value() && (!mine || mine->shape.size() == theirs->shape.size()));
    }
  }
}

// subgraphs.json: an entry that is accepted is a program that can be written down as a problem.
void subgraphs(std::string_view bytes) {
  const Result<std::vector<model::Subgraph>> read = pipeline::read_parts(bytes, "subgraphs.json");
  if (!good(read)) return;
  for (const model::Subgraph& subgraph : *read) {
    const Result<graph::Exported> exported = graph::exported_of(subgraph);
    KA_CHECK(static_cast<bool>(exported));
    const Result<graph::Imported> imported = graph::import_program(*exported);
    if (good(imported)) KA_CHECK(!graph::problem_text(subgraph, *imported).empty());
  }
}

// The same as far as the kernels: they are written, or refused by name. A hundred times slower than reading.
void part_kernels(std::string_view bytes) {
  const Result<std::vector<model::Subgraph>> read = model::read_subgraphs(bytes, "subgraphs.json");
  if (!good(read)) return;
  for (const model::Subgraph& subgraph : *read) {
    const Result<graph::Exported> exported = graph::exported_of(subgraph);
    if (!good(exported)) return;
    pipeline::Generated made;
    if (good(pipeline::write_kernels(*exported, {}, {}, [](const char*, const std::string&) {}, made))) KA_CHECK(!made.file.text.empty());
  }
}

// Terms are ours, so a bad one is an internal error; a row that somebody adds must still not crash the parser.
void term(std::string_view bytes) { static_cast<void>(graph::parse_term(bytes)); }

// One word per line, the command first.
void command_line(std::string_view bytes) {
  std::vector<std::string> words = split(bytes, '\n');
  const app::Command* command = app::find_command(words[0]);
  if (command == nullptr) return;
  words.erase(words.begin());
  const Result<app::Arguments> arguments = app::Arguments::parse(words, command->flags);
  if (!good(arguments)) return;
  constexpr std::array<std::string_view, 2> words_of_choice = {"train", "eval"};
  for (const app::Flag& flag : command->flags) {
    good(arguments->number(flag.name, 0));
    good(arguments->whole_number(flag.name, 0));
    good(arguments->choice(flag.name, "train", words_of_choice));
    if (!arguments->has(flag.name)) KA_CHECK(!good(arguments->required(flag.name)));
  }
  good(app::contenders_of(arguments->text("--baseline")));
}

// Columns, rows, then one event per line: stage, name, message, id, state, each ended by a tab.
void live_frame(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const int columns = static_cast<unsigned char>(bytes[0]), rows = static_cast<unsigned char>(bytes[1]);
  app::LiveState state;
  WallTime time{};
  for (const std::string& line : split(bytes.substr(2), '\n')) {
    std::vector<std::string> cells = split(line, '\t');
    cells.resize(5);
    Event event{LogLevel::info, cells[0], cells[1], cells[2], {}};
    if (!cells[3].empty()) event.fields = {{"id", cells[3]}, {"state", cells[4]}};
    app::apply(state, event, time += std::chrono::milliseconds(700));
  }
  const std::vector<app::FrameLine> lines = app::frame(state, columns, rows, time);
  KA_CHECK(!lines.empty() && lines.size() <= static_cast<std::size_t>(std::max(rows - 1, 1)));
  for (const app::FrameLine& line : lines) {
    KA_CHECK(app::display_width(line.text) <= static_cast<std::size_t>(std::max(columns - 1, 1)));
    KA_CHECK(line.mark + line.mark_bytes <= line.text.size());
    KA_CHECK(std::none_of(line.text.begin(), line.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
  }
}

void env_file(std::string_view bytes) {
  const Result<app::EnvFile> got = app::parse_env_file(bytes, ".env");
  if (!good(got)) return;
  for (const auto& [name, entry] : *got) KA_CHECK(!name.empty() && name.find('=') == std::string::npos && entry.line >= 1 && entry.value.find('\0') == std::string::npos);
}

void config_file(std::string_view bytes) {
  const Result<std::vector<app::ConfigEntry>> got = app::parse_config(bytes, "c.yml");
  if (!good(got)) return;
  std::set<std::string> keys;
  for (const app::ConfigEntry& entry : *got) KA_CHECK(keys.insert(entry.key).second && entry.line >= 1 && (!entry.null || entry.value.empty()));
}

void job_request(std::string_view bytes) {
  const Result<capi::JobRequest> got = capi::parse_request(bytes, {"A=1"});
  if (!good(got)) return;
  KA_CHECK(!got->words.empty() && !got->words[0].starts_with("-"));
  for (const std::string& entry : got->environment) KA_CHECK(entry.find('=') != std::string::npos && entry[0] != '=');
}

constexpr auto kTargets = std::to_array<Target>({
    {"candidate", value<model::candidate_from_json>},
    {"command_line", command_line},
    {"config_file", config_file},
    {"diagnosis", value<model::diagnosis_from_json>},
    {"env_file", env_file},
    {"exported_graph", exported_graph},
    {"gpu_table", gpu_table},
    {"gpus", gpus},
    {"job_request", job_request},
    {"journal", journal},
    {"live_frame", live_frame},
    {"part_kernels", part_kernels, 20},
    {"problem", value<model::problem_from_json>},
    {"profile", value<model::profile_from_json>},
    {"route", value<model::route_from_json>},
    {"router_cache", router_cache},
    {"run_info", value<model::run_info_from_json>},
    {"run_summary", value<model::run_summary_from_json>},
    {"subgraph", value<model::subgraph_from_json>},
    {"subgraphs", subgraphs, 30},
    {"term", term},
    {"timing", value<model::timing_from_json>},
    {"verdict", value<model::verdict_from_json>},
});

}  // namespace

std::span<const Target> all_targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto row = std::find_if(kTargets.begin(), kTargets.end(), [&](const Target& target) { return target.name == name; });
  return row == kTargets.end() ? nullptr : &*row;
}

}  // namespace ka::fuzz
