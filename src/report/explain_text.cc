// The explanation for a terminal: sections whose first word stands at the left margin, everything else
// indented.
#include <algorithm>

#include <fmt/format.h>

#include "base/quantity.h"
#include "base/strings.h"
#include "report/explain.h"
#include "report/search_text.h"

namespace ka::report {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kShown = 5;  // cases of one reason, slowest parts, decisions of one kind

// Characters, where each byte that continues one does not count.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Lines of at most kColumns: the first begins with `first`, the others with as many blanks. A word that is
// longer stays whole: it is a path or a command that somebody may want to copy.
void add(std::string& out, const std::string& first, std::string_view text) {
  const std::string indent(width_of(first), ' ');
  std::string line = first;
  bool empty = true;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!empty && width_of(line) + 1 + width_of(word) > kColumns) {
      out += line + "\n";
      line = indent;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  while (line.ends_with(' ')) line.pop_back();
  out += line + "\n";
}

void add_lines(std::string& out, const std::string& first, const std::string& text) {
  for (const std::string& line : split(text, '\n')) add(out, first, line);
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void route_text(std::string& out, const WhyRoute& why, const std::string& word) {
  out += "\n";
  add(out, "route     ",
      fmt::format("{}, decided by {}, confidence {:g}", word,
                  why.decided_by.empty() ? "nobody knows whom" : why.decided_by, why.confidence));
  add(out, "          ",
      why.decided.empty() ? why.rationale : fmt::format("{}: {}", why.decided, why.rationale));
  for (const auto& [name, reason] : why.also)
    add(out, "          ", fmt::format("{} would have matched too: {}", name, reason));
  std::vector<std::string> names;
  for (const auto& [name, reason] : why.not_matched) names.push_back(name);
  if (!names.empty()) add(out, "          ", fmt::format("did not match: {}", join(names, ", ")));
}

void cut_text(std::string& out, const WhyCut& cut) {
  add(out, "  ",
      fmt::format("{}{}, {}: {}", cut.name, cut.count > 1 ? fmt::format(" (x{})", cut.count) : "", cut.kind,
                  ops_text(cut.ops, 60)));
  if (!cut.where.empty()) add(out, "      ", fmt::format("in {}", elide_middle(cut.where, 200)));
  if (!cut.reads.empty()) add(out, "      ", fmt::format("reads {}", join(cut.reads, ", ")));
  if (!cut.cost.empty()) add(out, "      ", cut.cost);
  if (!cut.kept.empty()) add(out, "      ", fmt::format("cut here: {}", cut.kept));
}

void some(std::string& out, const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out += fmt::format("\n{}\n", heading);
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) add(out, "  - ", lines[i]);
  if (lines.size() > kShown) out += fmt::format("    and {} more (--json has all)\n", lines.size() - kShown);
}

void cuts_text(std::string& out, const Explanation& why, const RunView& view) {
  if (why.cuts.empty()) return;
  const char* noun = view.parts.empty() ? "kernel" : "part";
  out += "\n";
  const std::string from =
      view.graph.operations > 0 ? fmt::format(" from {}", counted(view.graph.operations, "operation")) : "";
  add(out, "cuts      ", counted(why.cuts.size(), noun) + from);
  if (!view.graph.total.empty())
    add(out, "          ", fmt::format("{} on {}", view.graph.total, view.graph.gpu));
  for (const WhyCut& cut : why.cuts) cut_text(out, cut);
  some(out, "decided by cost", view.graph.decisions);
  some(out, "rewritten", view.graph.rewrites);
}

void refusals_text(std::string& out, const Explanation& why, const RunView& view) {
  if (!why.refusals.empty()) out += "\nnot fused\n";
  for (const WhyNot& row : why.refusals) {
    add(out, "  - ", fmt::format("{} ({})", row.reason, counted(row.cases.size(), "time")));
    for (std::size_t i = 0; i < std::min(row.cases.size(), kShown); ++i) add(out, "      ", row.cases[i]);
    if (row.cases.size() > kShown)
      out += fmt::format("      and {} more (--json has all)\n", row.cases.size() - kShown);
  }
  some(out, "sizes that the program does not take", view.graph.not_exported);
}

void verdicts_text(std::string& out, const Explanation& why) {
  out += "\n";
  if (why.verdicts.empty() && why.parts_judged == 0)
    add(out, "verdict   ", "nobody has judged the result");
  else
    out += "verdict\n";
  if (why.parts_judged > 0)
    add(out, "  ", fmt::format("{} of {} accepted", why.parts_accepted, counted(why.parts_judged, "part")));
  for (const WhyVerdict& row : why.verdicts) {
    add(out, "  ",
        fmt::format("{}: {}{}", row.subject, row.accepted ? "accepted" : "refused",
                    row.rule.empty() ? "" : fmt::format(" by the rule {}", row.rule)));
    add(out, "      ", row.reason);
    if (!row.detail.empty()) add_lines(out, "      ", row.detail);
    if (!row.again.empty()) out += fmt::format("      {}\n", row.again);  // whole: it is there to be copied
  }
}

void times_text(std::string& out, const char* heading, std::vector<TimeShare> rows, std::size_t most) {
  constexpr double kWorthSaying = 0.005;
  std::erase_if(rows, [](const TimeShare& row) { return row.share < kWorthSaying; });
  if (rows.empty()) return;
  out += fmt::format("\n{}\n", heading);
  std::size_t width = 0;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i)
    width = std::max(width, std::min<std::size_t>(width_of(rows[i].name), 40));
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const TimeShare& row = rows[i];
    constexpr double kBar = 30;
    std::string line =
        fmt::format("  {:<{}}  {:>11}  {:>4.0f} %  {}", row.name, width, seconds_text(row.seconds),
                    100 * row.share, std::string(static_cast<std::size_t>(row.share * kBar + 0.5), '#'));
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  if (rows.size() > most) out += fmt::format("  and {} more (--json has all)\n", rows.size() - most);
}

}  // namespace

namespace {

void attempts_text(std::string& out, const RunView& view) {
  constexpr std::size_t kMostAttempts = 40;
  if (view.attempts.empty() && view.cut_advice.empty()) return;
  out += "\nlanguage models\n";
  if (!view.cut_advice.empty()) add(out, "  ", "asked for another cut, " + view.cut_advice);
  for (std::size_t i = 0; i < std::min(kMostAttempts, view.attempts.size()); ++i) {
    const ModelAttempt& one = view.attempts[i];
    const std::string reason = one.rule.empty() ? one.reason : fmt::format("{}: {}", one.rule, one.reason);
    add(out, "  ", fmt::format("{}worker {}, round {}: {}", one.part.empty() ? "" : one.part + ", ", one.worker, one.round, one.accepted ? "accepted" : reason));
  }
  if (view.attempts.size() > kMostAttempts) out += fmt::format("  and {} more\n", view.attempts.size() - kMostAttempts);
}

}  // namespace

std::string to_text(const Explanation& why, const RunView& view) {
  constexpr std::size_t kParts = 10;
  std::string out = fmt::format("{}  {}\n", view.row.id, to_string(view.row.state));
  add(out, "  ", view.row.message);
  if (!view.row.problem.empty())
    add(out, "  ",
        fmt::format("problem {}{}", view.row.problem,
                    view.row.seconds ? ", " + seconds_text(*view.row.seconds) : ""));
  if (view.sentence) {
    add(out, "  ", fmt::format("the sentence: {}", one_line(view.sentence->sentence)));
    add(out, "  ", fmt::format("understood by {}: {}", view.sentence->by == "rules" ? "rule" : one_line(view.sentence->by), one_line(view.sentence->understood)));
    if (const model::SentenceRecord& asked = *view.sentence; asked.questions > 0)
      add(out, "  ", fmt::format("{} question{} about it, {} tokens, {:.4f} dollars", asked.questions, asked.questions == 1 ? "" : "s", asked.input_tokens + asked.output_tokens, asked.dollars));
  }
  for (const std::string& complaint : view.complaints) add(out, "  not shown: ", complaint);
  if (why.route) route_text(out, *why.route, view.row.route.empty() ? why.route->strategy : view.row.route);
  if (!view.store.empty()) {
    out += "\n";
    add(out, "store     ", view.store);
    if (view.from_store && !why.cuts.empty()) add(out, "          ", "cuts and refusals are those of the built-in generator, which was not needed");
  }
  cuts_text(out, why, view);
  refusals_text(out, why, view);
  attempts_text(out, view);
  if (view.search) {
    out += "\n";
    tell_search(*view.search, [&](const std::string& first, const std::string& text) { add(out, first, text); });
  }
  verdicts_text(out, why);
  times_text(out, "time", why.times, kParts * 2);
  times_text(out, "time of the judge (its steps overlap)", why.judge_times, kParts);
  times_text(out, "slowest parts", why.part_times, kParts);
  return mended(std::move(out));
}

}  // namespace ka::report
