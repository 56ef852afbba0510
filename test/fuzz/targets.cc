#include "fuzz/targets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/capi/request.h"
#include "app/cli/bench.h"
#include "app/cli/ceilings.h"
#include "app/cli/command.h"
#include "app/cli/config_file.h"
#include "app/cli/env_file.h"
#include "app/cli/live_state.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "bench/baseline_cache.h"
#include "bench/suite_table.h"
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
#include "model/sentence_record.h"
#include "model/subgraph.h"
#include "model/suite.h"
#include "model/timing.h"
#include "model/verdict.h"
#include "optimise/recorded_device.h"
#include "os/gpu.h"
#include "pipeline/conversations.h"
#include "pipeline/dispatch.h"
#include "problem/sentence.h"
#include "profile/instruction_mix.h"
#include "profile/ncu_csv.h"
#include "report/suite_page.h"
#include "route/cache.h"
#include "store/winner.h"
#include "synth/prompt/normal_form.h"
#include "synth/prompt/reply.h"
#include "synth/prompt/reply_json.h"
#include "synth/prompt/text_template.h"
#include "synth/llm/failure.h"
#include "synth/llm/models.h"
#include "synth/llm/sse.h"
#include "synth/llm/wire.h"

namespace ka::fuzz {
namespace {

void check_sentence(const Error& error) {
  KA_CHECK(!error.message.empty());
  KA_CHECK(std::none_of(error.message.begin(), error.message.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
}

// Bad input is one sentence, and it is the input's fault.
void check_refusal(const Error& error) {
  KA_CHECK(error.kind == ErrorKind::invalid_input || error.kind == ErrorKind::unsupported);
  check_sentence(error);
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

void winners(std::string_view bytes) {
  const auto read = store::parse_export(bytes, "winners.json");
  if (!good(read)) return;
  const auto again = store::parse_export(store::export_text(*read), "winners.json");
  KA_CHECK(again && *again == *read);
  for (const store::Winner& one : *read) {
    KA_CHECK(store::text_for(one, 2, one.weights).value() == one.kernel);
    const Result<std::string> adapted = store::text_for(one, 2, std::vector<std::string>(one.weights.size(), "w"));
    KA_CHECK(!adapted || *adapted == one.kernel || adapted->find("\ndef kernel_function(") != std::string::npos);
    KA_CHECK(!store::told(one).empty());
  }
}

void gpus(std::string_view bytes) {
  const Result<std::vector<ir::Gpu>> read = ir::read_gpus(bytes);
  if (good(read)) KA_CHECK(!read->empty());
}

// A row of a suite that goes on, and what is made of it.
void suite_row(std::string_view bytes) {
  const Result<Json> json = parse_json(bytes, "row");
  if (!good(json)) return;
  const Result<model::SuiteTask> task = model::suite_task_from_json(*json);
  if (!good(task)) return;
  const model::SuiteSummary summary = bench::summary_of({*task}, {"eager", "compile"});
  KA_CHECK(summary.timed + summary.failed + summary.left == 1);
  KA_CHECK(!bench::suite_csv({*task}, summary.baselines).empty() && !bench::suite_text({*task}, summary).empty());
  KA_CHECK(!report::suite_page({*task}, summary, {}).empty() && !to_json_text(model::to_json(summary)).empty());
}

// A kept baseline.
void baseline(std::string_view bytes) {
  const bench::BaselineKey key{{"NVIDIA H200", "580.1", "700.00", "2.11.0", "3.6.0"}, "ab12", "", "train", "cuda_events", 0, "compile"};
  const Result<bench::CachedBaseline> read = bench::read_baseline(std::string(bytes), key);
  if (!good(read)) return;
  KA_CHECK(bench::read_baseline(bench::baseline_text(key, *read), key)->baseline == read->baseline);
  KA_CHECK(bench::scaled(*read, read->eager, read->eager).median_ms > 0);
}

// nvidia-smi's table.
void gpu_table(std::string_view bytes) { KA_CHECK(os::parse_gpu_table(bytes).size() <= bytes.size()); }

// Ceilings that were measured.
void ceilings(std::string_view bytes) {
  const Result<Json> json = parse_json(bytes, "file");
  if (!good(json)) return;
  const Result<bench::Ceilings> read = bench::ceilings_from_json(*json);
  if (!good(read)) return;
  KA_CHECK(!app::ceilings_text(*read, nullptr).empty());
  const Json written = bench::to_json(*read);
  KA_CHECK(bench::to_json(bench::ceilings_from_json(written).value()) == written);
}

// A recording of a search: it is read, and searched through.
void recording(std::string_view bytes) {
  const Result<optimise::Recording> read = optimise::parse_recording(bytes, "r.jsonl");
  if (!good(read) || read->texts.empty()) return;
  optimise::RecordedDevice device(*read);
  optimise::RecordedProposer proposer(*read);
  optimise::State state;
  state.programs = {{0, -1, 0, read->texts[0], "", "", 0}};
  optimise::SearchOptions options;
  options.rounds = 3;
  const Status done = optimise::search(state, options, device, proposer, [](const optimise::State&) { return ok(); });
  if (!done) return check_sentence(done.error());
  KA_CHECK(!state.stop.empty() && state.best_program().ms <= state.input_ms);
}

// The table of Nsight Compute. What it says instead of one is the world's fault.
void ncu(std::string_view bytes) {
  const Result<std::vector<profile::CountedLaunch>> read = profile::parse_ncu(bytes);
  if (!read) return check_sentence(read.error());
  std::int64_t launches = 0;
  for (const model::KernelProfile& kernel : profile::aggregated(*read)) {
    launches += kernel.launches;
    KA_CHECK(!kernel.name.empty() && kernel.num_warps >= 1);
    for (const auto& [name, number] : kernel.metrics) KA_CHECK(std::isfinite(number));
  }
  KA_CHECK(launches == static_cast<std::int64_t>(read->size()));
}

// Compiled code as text, in both forms: the kinds add up.
void machine_code(std::string_view bytes) {
  for (const profile::CodeForm form : {profile::CodeForm::sass, profile::CodeForm::ptx}) {
    std::int64_t sum = 0, total = 0;
    for (const auto& [kind, count] : profile::instruction_mix(bytes, form)) (kind == "total" ? total : sum) += count;
    KA_CHECK(sum == total);
  }
}

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

// A model's reply, in one piece or two, with edits of a kernel that it may know: a refusal is a sentence, a file is not empty, and its normal form is its own.
void model_reply(std::string_view bytes) {
  prompt::Asked asked;
  asked.previous = "import triton\n\ndef kernel_function(x):\n    y = x\n    return y\n";
  const std::size_t half = bytes.size() / 2;
  for (const bool truncated : {false, true})
    for (const prompt::Reply& read : {prompt::read_reply(asked, bytes, truncated), prompt::read_continued(asked, bytes.substr(0, half), bytes.substr(half), truncated)}) {
      if (const auto* refusal = std::get_if<prompt::Refusal>(&read)) check_refusal(invalid_input(refusal->sentence));
      const auto* file = std::get_if<prompt::WholeFile>(&read);
      if (file == nullptr) continue;
      KA_CHECK(!file->text.empty());
      const std::string form = prompt::normal_form(file->text);
      KA_CHECK(prompt::normal_form(form) == form);
    }
}

// A prompt of the user's own: what is given stands in the text as it is, or there is a sentence with file and line.
void text_template(std::string_view bytes) {
  const Result<prompt::Template> text = prompt::Template::parse(bytes, "seed.md");
  if (!good(text)) return;
  prompt::Values values;
  for (const std::string& name : text->names())
    if (name.find('.') == std::string::npos) values[name] = "{{" + name + "}}";
  good(text->render(values));
  KA_CHECK(prompt::unused_names(*text, values).empty());
}

// A sentence: a program and one line about it, or a reason.
void sentence(std::string_view bytes) {
  const Result<problem::SentenceProblem> read = problem::problem_of_sentence(bytes);
  if (!good(read)) return;
  KA_CHECK(!read->operators.empty() && read->understood.find('\n') == std::string::npos);
  KA_CHECK(read->text.find("def forward(self, ") != std::string::npos && read->text.find("\"\"\"", 3) == read->text.find("\n\"\"\"\n") + 1);
}

struct SseRead {
  std::vector<llm::SseEvent> events;
  bool good = true;
};

SseRead read_sse(std::string_view bytes, std::size_t step) {
  SseRead out;
  llm::SseReader reader(
      [&](const llm::SseEvent& event) {
        out.events.push_back(event);
        return ok();
      },
      1000);
  for (std::size_t at = 0; at < bytes.size() && out.good; at += step) out.good = static_cast<bool>(reader.feed(bytes.substr(at, step)));
  if (out.good) out.good = static_cast<bool>(reader.finish());
  return out;
}

// Where a stream is cut into pieces makes no difference.
void sse(std::string_view bytes) {
  const SseRead whole = read_sse(bytes, bytes.size() + 1);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}}) {
    const SseRead cut = read_sse(bytes, step);
    KA_CHECK(cut.good == whole.good && cut.events == whole.events);
  }
  for (const llm::SseEvent& event : whole.events) KA_CHECK(event.data.size() <= 1000 && event.name.find_first_of("\r\n") == std::string::npos);
}

struct ReplyRead {
  llm::Reply reply;
  Status status = ok();
};

ReplyRead read_reply(const llm::Wire& wire, std::string_view bytes, std::size_t step) {
  ReplyRead out;
  const std::unique_ptr<llm::ReplyReader> reader = wire.reader(2, {});
  for (std::size_t at = 0; at < bytes.size() && out.status; at += step) out.status = reader->feed(bytes.substr(at, step));
  if (out.status) out.status = reader->finish();
  out.reply = reader->reply();
  return out;
}

// A reply of a model: read, or refused in one sentence, the same however it is cut.
template <const llm::Wire& wire>
void reply(std::string_view bytes) {
  const ReplyRead whole = read_reply(wire, bytes, bytes.size() + 1), cut = read_reply(wire, bytes, 5);
  KA_CHECK(static_cast<bool>(whole.status) == static_cast<bool>(cut.status));
  KA_CHECK(whole.reply.answers.size() <= 2 && whole.reply.usage.input_tokens >= 0 && whole.reply.usage.output_tokens >= 0);
  if (!whole.status) return check_sentence(whole.status.error());
  KA_CHECK(!whole.reply.answers.empty() && whole.reply.answers == cut.reply.answers && whole.reply.usage == cut.reply.usage);
}

// What a server says about a failure: two bytes of status, a line for Retry-After, then the body.
void provider_error(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const int status = 400 + static_cast<unsigned char>(bytes[0]) % 4 * 100 + static_cast<unsigned char>(bytes[1]) % 100;
  const std::string_view rest = bytes.substr(2);
  const std::string_view line = rest.substr(0, rest.find('\n'));
  const llm::Failure failure = llm::failure_of({status, {{"Retry-After", std::string(line)}}}, rest.substr(std::min(line.size() + 1, rest.size())), {}, WallTime{});
  check_sentence(failure.error);
  KA_CHECK(failure.error.message.size() < 1000 && (!failure.retry_after || failure.retry_after->count() >= 0));
}

// A recorded answer, as a replay reads it; what is written of it reads as the same.
void conversation(std::string_view bytes) {
  std::string recorded(bytes), written;
  const pipeline::Artifacts own{"own", [](const std::string&) -> Result<std::string> { return not_found("nothing"); },
                                [&](const std::string&, const std::string& text) {
                                  written = text;
                                  return ok();
                                }};
  const pipeline::Artifacts replayed{"recording", [&](const std::string&) -> Result<std::string> { return recorded; }, own.write};
  llm::ChatRequest request;
  request.messages = {{llm::Role::user, "which?"}};
  const auto asked = [&] { return pipeline::Conversations(own, {}, {}, replayed, nullptr).ask("whole/worker_1", request, {}); };
  const Result<llm::ChatReply> read = asked();
  if (!read) return check_sentence(read.error());
  KA_CHECK(read->usage.input_tokens >= 0 && read->usage.output_tokens >= 0 && read->usage.dollars >= 0);
  const std::string first = recorded = written;
  KA_CHECK(static_cast<bool>(asked()));
  KA_CHECK(written == first);
}

void json_reply(std::string_view bytes) {
  const Result<Json> read = prompt::read_json_reply(bytes);
  if (good(read)) KA_CHECK(read->is_object());
}

void models(std::string_view bytes) {
  const Result<std::vector<llm::Model>> read = llm::read_models(bytes, "models.json");
  if (!good(read)) return;
  for (const llm::Model& model : *read) KA_CHECK(!model.name.empty() && !model.providers.empty());
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
    {"anthropic_reply", reply<llm::kAnthropic>},
    {"baseline", baseline},
    {"candidate", value<model::candidate_from_json>},
    {"ceilings", ceilings},
    {"chat_reply", reply<llm::kOpenAiChat>},
    {"command_line", command_line},
    {"config_file", config_file},
    {"conversation", conversation},
    {"diagnosis", value<model::diagnosis_from_json>},
    {"env_file", env_file},
    {"exported_graph", exported_graph},
    {"gpu_table", gpu_table},
    {"gpus", gpus},
    {"job_request", job_request},
    {"journal", journal},
    {"json_reply", json_reply},
    {"live_frame", live_frame},
    {"machine_code", machine_code},
    {"models", models},
    {"ncu", ncu},
    {"part_kernels", part_kernels, 20},
    {"problem", value<model::problem_from_json>},
    {"profile", value<model::profile_from_json>},
    {"recording", recording, 40},
    {"reply", model_reply},
    {"provider_error", provider_error},
    {"relay_reply", reply<llm::kRelay>},
    {"responses_reply", reply<llm::kOpenAiResponses>},
    {"route", value<model::route_from_json>},
    {"router_cache", router_cache},
    {"run_info", value<model::run_info_from_json>},
    {"run_summary", value<model::run_summary_from_json>},
    {"sentence", sentence},
    {"sentence_record", value<model::sentence_record_from_json>},
    {"sse", sse},
    {"subgraph", value<model::subgraph_from_json>},
    {"subgraphs", subgraphs, 30},
    {"suite_row", suite_row},
    {"term", term},
    {"text_template", text_template},
    {"timing", value<model::timing_from_json>},
    {"verdict", value<model::verdict_from_json>},
    {"winners", winners},
});

}  // namespace

std::span<const Target> all_targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto row = std::find_if(kTargets.begin(), kTargets.end(), [&](const Target& target) { return target.name == name; });
  return row == kTargets.end() ? nullptr : &*row;
}

}  // namespace ka::fuzz
