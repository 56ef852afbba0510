#include "report/suite_page.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/strings.h"
#include "report/page_sections.h"
#include "report/suite_plots.h"

namespace ka::report {
namespace {

using model::SuiteTask;
using model::TaskEnd;

constexpr std::size_t kWorstTasks = 10;
constexpr std::size_t kMaxTold = 300;

void add_fact(Html& html, Literal name, std::string_view text) {
  if (!text.empty()) html.raw("<dt>").raw(name).raw("</dt><dd>").text(text).raw("</dd>");
}

void add_cell(Html& html, std::string_view text) { html.tag("<td class=\"num\">", text, "</td>"); }

std::string ratio_cell(const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

std::string share_cell(int count, int all) { return all == 0 ? "-" : fmt::format("{:.0f} %", 100.0 * count / all); }

void add_suite_header(Html& html, const model::SuiteSummary& summary, const SuiteAbout& about) {
  html.raw("<a class=\"skip\" href=\"#speed\">to the numbers</a>\n<header>\n<h1>").text(about.suite).raw("</h1>\n<p class=\"lead\">");
  html.text(fmt::format("{} of {} tasks verified, {} timed, {} failed", summary.verified, summary.tasks, summary.timed, summary.failed));
  if (summary.left > 0) html.text(fmt::format(", {} left", summary.left));
  html.raw("</p>\n<dl>");
  add_fact(html, "command", about.command);
  add_fact(html, "device", about.device);
  add_fact(html, "ended", about.when);
  add_fact(html, "degenerate", summary.degenerate > 0 ? fmt::format("{} of the tasks: the results say nothing about the inputs", summary.degenerate) : "");
  add_fact(html, "algebraic", summary.algebraic > 0 ? fmt::format("{} of the tasks: the kernels do less work than the program's text says", summary.algebraic) : "");
  html.raw("</dl>\n");
  if (!about.stopped.empty()) html.tag("<p class=\"warn\">ended by ", about.stopped, " before all tasks were done</p>\n");
  html.raw(
      "</header>\n<nav aria-label=\"sections\"><a href=\"#speed\">speed</a><a href=\"#bars\">ratios</a><a href=\"#fast\">fast_p</a><a href=\"#floor\">floor</a><a "
      "href=\"#families\">families</a><a href=\"#worst\">worst</a><a href=\"#tasks\">all tasks</a></nav>\n<main>\n");
}

void add_cuts(Html& html, const model::SuiteSummary& summary) {
  for (const model::SuiteCut& cut : summary.cuts) {
    html.raw("<h3>").text(fmt::format("{} ({})", cut.name, cut.tasks));
    html.raw(
        "</h3><table><tr><th>baseline</th><th>geometric mean</th><th>without failures</th><th>faster</th><th>certainly faster</th><th>certainly "
        "slower</th><th>timed</th><th>failed</th><th>cached</th></tr>\n");
    for (const model::SuiteSpeed& speed : cut.speeds) {
      html.tag("<tr><td>", speed.baseline, "</td>");
      for (const std::string& cell : {ratio_cell(speed.geomean), ratio_cell(speed.geomean_timed), share_cell(speed.faster, speed.tasks),
                                      share_cell(speed.certainly_faster, speed.tasks), share_cell(speed.certainly_slower, speed.tasks), std::to_string(speed.timed),
                                      std::to_string(speed.failed), std::to_string(speed.cached)})
        add_cell(html, cell);
      html.raw("</tr>\n");
    }
    html.raw("</table>\n");
    const model::SuiteEfficiency& floor = cut.memory_bound;
    if (floor.tasks > 0) {
      html.raw("<p>").text(fmt::format("Memory-bound tasks: {:.0f} % of the floor's speed (median of {}; quartiles ", 100 * floor.median, floor.tasks));
      html.text(fmt::format("{:.0f} and {:.0f} %).", 100 * floor.q1, 100 * floor.q3)).raw("</p>\n");
    }
    if (floor.above > 0) html.tag("<p class=\"warn\">", fmt::format("{} of them faster than the floor: a mistake, or a cheat", floor.above), "</p>\n");
  }
}

void add_speeds(Html& html, const model::SuiteSummary& summary) {
  html.raw(
      "<section id=\"speed\"><h2>Speed</h2>\n<p class=\"small soft\">The baseline's time over the kernel's, geometric mean over tasks: above 1 the kernels are faster. A task "
      "without a right kernel, or without a time, counts as ");
  html.text(fmt::format("{:g}", model::kFailedRatio));
  html.raw("; the second mean leaves it out. \"best\" is the fastest baseline of each task. Shares are of all tasks that count.</p>\n");
  add_cuts(html, summary);
  html.raw("</section>\n");
}

void add_after(Html& html, const model::SuiteAfter& after) {
  html.raw("<section id=\"after\"><h2>Speed after optimisation</h2>\n<p>");
  html.text(fmt::format("{} tasks searched: {} with a faster kernel, {} failed; {} times the default kernels' speed (geometric mean).", after.searched, after.faster, after.failed,
                        ratio_cell(after.gain)));
  html.raw("</p>\n<p class=\"small soft\">The same tables with the kernel that the search has found for a task; where it has found none, the default "
           "one. Both were timed in the same processes.</p>\n");
  add_cuts(html, after.summary);
  html.raw("</section>\n");
}

void add_families(Html& html, const model::SuiteSummary& summary) {
  html.raw(
      "<section id=\"families\"><h2>Families</h2>\n<p class=\"small soft\">By the family of kernels that most of a task's time goes into, against the best baseline of each "
      "task.</p>\n<table><tr><th>family</th><th>tasks</th><th>verified</th><th>geometric mean</th><th>without failures</th><th>faster</th><th>floor's speed (median)</th></tr>\n");
  for (const model::SuiteFamily& family : summary.families) {
    html.tag("<tr><td>", family.family, "</td>");
    const std::string floor = family.efficiency.tasks == 0 ? "-" : fmt::format("{:.0f} %", 100 * family.efficiency.median);
    for (const std::string& cell : {std::to_string(family.tasks), std::to_string(family.verified), ratio_cell(family.best.geomean), ratio_cell(family.best.geomean_timed),
                                    share_cell(family.best.faster, family.best.tasks), floor})
      add_cell(html, cell);
    html.raw("</tr>\n");
  }
  html.raw("</table></section>\n");
}

void add_task_head(Html& html, const std::vector<std::string>& baselines) {
  html.raw("<table><tr><th>task</th><th>kernel</th>");
  for (const std::string& baseline : baselines) html.tag("<th>", baseline, "</th>");
  html.raw("<th>best (95 % interval)</th><th>floor's speed</th><th>cut</th><th>marks</th></tr>\n");
}

std::string cut_text(const SuiteTask& task) {
  std::vector<std::string> families;
  for (const auto& [family, count] : task.families) families.push_back(fmt::format("{} {}", count, family));
  if (families.empty()) return "";
  const char* const parts = task.parts == 1 ? "part" : "parts";
  const char* const launches = task.launches == 1 ? "launch" : "launches";
  return fmt::format("{}: {}; {} {}, {} {}", task.route, join(families, ", "), task.parts, parts, task.launches, launches);
}

std::string words_of_search(const model::SuiteOptimized& search) {
  if (!search.error.empty()) return "search failed: " + elide_middle(search.error, kMaxTold);
  if (!search.faster) return fmt::format("search found nothing faster ({})", search.stop);
  const std::string moves = search.moves.empty() ? "" : ": " + elide_middle(join(search.moves, ", "), kMaxTold);
  const std::string no_time = search.no_time.empty() ? "" : "; no time: " + elide_middle(search.no_time, kMaxTold);
  if (!search.kernel_ms) return fmt::format("optimised {:.3f} times by the search{}{}", search.ratio, moves, no_time);
  return fmt::format("optimised {:.4f} ms, {:.3f} times the default ({:.3f} to {:.3f}){}", *search.kernel_ms, search.gain.ratio, search.gain.low, search.gain.high, moves);
}

std::string marks_of(const SuiteTask& task) {
  std::vector<std::string> out;
  if (!task.tier.empty()) out.push_back(task.tier);
  if (task.algebraic) out.push_back("algebraic");
  if (!task.degenerate.empty()) out.push_back("degenerate: " + task.degenerate);
  if (const auto& search = task.optimized) out.push_back(words_of_search(*search));
  for (const auto& [baseline, why] : task.failed) out.push_back(fmt::format("no {}: {}", baseline, elide_middle(why, kMaxTold)));
  return join(out, "; ");
}

void add_task(Html& html, const SuiteTask& task, const std::vector<std::string>& baselines) {
  html.tag("<tr><td>", task.name, "</td>");
  if (task.end == TaskEnd::failed) {
    html.raw("<td colspan=\"").number(baselines.size() + 3).raw("\">");
    add_badge(html, Mark::bad, task.is_verified() ? "no time" : task.status);
    html.raw(" ").text(elide_middle(task.reason, kMaxTold)).raw("</td>");
  } else {
    add_cell(html, fmt::format("{:.4f} ms", *task.kernel_ms));
    for (const std::string& baseline : baselines) {
      const auto found = task.baselines.find(baseline);
      add_cell(html, found == task.baselines.end() ? "-" : fmt::format("{:.4f} ms, {:.2f}{}", found->second.ms, found->second.ratio, found->second.cached ? " (cached)" : ""));
    }
    const auto* best = task.best();
    add_cell(html, best == nullptr ? "-" : fmt::format("{:.3f} ({:.3f} to {:.3f})", best->second.ratio, best->second.low, best->second.high));
    add_cell(html, task.efficiency() ? fmt::format("{:.0f} % ({})", 100 * *task.efficiency(), task.is_memory_bound() ? "memory" : "arithmetic") : "-");
  }
  html.tag("<td>", cut_text(task), "</td>").tag("<td class=\"small\">", marks_of(task), "</td></tr>\n");
}

void add_tasks(Html& html, const std::vector<SuiteTask>& tasks, const model::SuiteSummary& summary) {
  std::map<std::string, const SuiteTask*> by_name;
  for (const SuiteTask& task : tasks) by_name[task.name] = &task;
  const auto add_first = [&](std::size_t count) {
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"tasks\">");
    add_task_head(html, summary.baselines);
    for (std::size_t i = 0; i < std::min(count, summary.worst_first.size()); ++i) add_task(html, *by_name.at(summary.worst_first[i]), summary.baselines);
    html.raw("</table></div>\n");
  };
  html.raw("<section id=\"worst\"><h2>Worst tasks</h2>\n");
  add_first(kWorstTasks);
  html.raw("</section>\n<section id=\"tasks\"><h2>All tasks, worst first</h2>\n<details><summary>").number(summary.worst_first.size()).raw(" tasks</summary>\n");
  add_first(summary.worst_first.size());
  html.raw("</details></section>\n");
}

}  // namespace

std::string suite_page(const std::vector<SuiteTask>& tasks, const model::SuiteSummary& summary, const SuiteAbout& about, const std::optional<model::SuiteAfter>& after) {
  Html head, html;
  add_page_head(head, fmt::format("{}: {} tasks", about.suite, summary.tasks));
  html.raw("</style>\n</head>\n<body>\n");
  add_suite_header(html, summary, about);
  add_speeds(html, summary);
  if (after) add_after(html, *after);
  const std::vector<model::SuiteSpeed>& speeds = summary.cuts.at(0).speeds;
  html.raw("<section id=\"bars\"><h2>Ratios, task by task</h2>\n");
  for (auto speed = speeds.rbegin(); speed != speeds.rend(); ++speed) {
    html.tag("<h3>", speed->baseline, "</h3>\n");
    add_ratio_bars(html, tasks, speed->baseline);
  }
  html.raw("</section>\n<section id=\"fast\"><h2>fast_p</h2>\n<p class=\"small soft\">Share of tasks that are verified and at least p times as fast as the baseline.</p>\n");
  add_fast_p(html, speeds);
  html.raw(
      "</section>\n<section id=\"floor\"><h2>Roofline</h2>\n<p class=\"small soft\">Upwards: the least time that the GPU needs for the program over the kernel's; the line at "
      "100 % is the roof. To the right: least time of arithmetic over least time of memory; left of 1 a task is memory-bound.</p>\n");
  add_roofline(html, tasks);
  html.raw("</section>\n");
  add_families(html, summary);
  add_tasks(html, tasks, summary);
  html.raw("</main>\n<footer>kernelagent ").text(KA_VERSION).raw("</footer>\n</body>\n</html>\n");
  return head.str() + kPageStyle + kSuiteStyle + html.str();
}

}  // namespace ka::report
