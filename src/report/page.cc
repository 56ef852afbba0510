#include "report/page.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/quantity.h"
#include "base/strings.h"
#include "report/page_search.h"
#include "report/page_sections.h"

namespace ka::report {
namespace {

constexpr std::size_t kMaxLines = 400;  // of lists that a program of any size may fill

Mark mark_of(RunState state) {
  switch (state) {
    case RunState::verified:
      return Mark::good;
    case RunState::not_achieved:
    case RunState::damaged:
      return Mark::bad;
    case RunState::interrupted:
      return Mark::torch;
    case RunState::unverified:
    case RunState::going_on:
      return Mark::unknown;
  }
  return Mark::unknown;
}

std::string title_of(const RunView& view) {
  const std::string name = std::filesystem::path(view.row.problem).filename().string();
  return name.empty() ? view.row.id : name;
}

void add_pair(Html& html, Literal name, std::string_view text) {
  if (!text.empty()) html.raw("<dt>").raw(name).raw("</dt><dd>").text(text).raw("</dd>");
}

void add_header(Html& html, const RunView& view) {
  html.raw("<a class=\"skip\" href=\"#graph\">to the graph</a>\n<header>\n<h1>")
      .text(title_of(view))
      .raw(" ");
  add_badge(html, mark_of(view.row.state), to_string(view.row.state));
  html.raw("</h1>\n").tag("<p class=\"lead\">", view.row.message, "</p>\n<dl>");
  add_pair(html, "run", view.row.id);
  add_pair(html, "problem", view.row.problem);
  if (view.sentence) {
    add_pair(html, "sentence", view.sentence->sentence);
    add_pair(html, "understood as", view.sentence->understood);
  }
  add_pair(html, "command", view.row.command);
  add_pair(html, "route", view.row.route);
  add_pair(html, "began", view.row.started);
  if (view.row.seconds) add_pair(html, "took", seconds_text(*view.row.seconds));
  if (view.composition && !view.composition->torch_parts.empty())
    add_pair(html, "left to PyTorch", join(view.composition->torch_parts, ", "));
  html.raw("</dl>\n");
  for (const std::string& complaint : view.complaints)
    html.raw("<p class=\"warn\">not shown: ").text(complaint).raw("</p>\n");
  html.raw("</header>\n<nav aria-label=\"sections\">").raw(view.search ? Literal("<a href=\"#search\">search</a>") : Literal(""));
  html.raw("<a href=\"#graph\">graph</a><a href=\"#kernels\">")
      .raw(view.parts.empty() ? Literal("kernels") : Literal("parts"));
  html.raw(
      "</a><a href=\"#program\">program</a><a href=\"#verdict\">verdict</a><a href=\"#times\">times</a><a "
      "href=\"#why\">why</a><a href=\"#environment\">environment</a><a "
      "href=\"#files\">files</a></nav>\n<main>\n");
}

void add_graph(Html& html, const RunView& view) {
  html.raw("<section id=\"graph\"><h2>Graph</h2>\n");
  const Drawing drawing = drawing_of(view);
  if (drawing.boxes.empty())
    html.raw("<p class=\"soft\">This run has left no graph.</p>\n");
  else
    html.raw("<p class=\"small soft\">Each box is one ")
        .raw(view.parts.empty() ? Literal("kernel") : Literal("part of the program"))
        .raw(
            "; a dot on an arrow is a cut: a value that one writes to memory and another reads.</p>\n<div "
            "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"graph\">\n");
  add_svg(html, drawing);
  if (!drawing.boxes.empty()) html.raw("</div>\n");
  if (drawing.left_out > 0)
    html.tag("<p class=\"warn\">", fmt::format("{} further boxes are not drawn", drawing.left_out), "</p>\n");
  if (!view.graph.total.empty())
    html.raw("<p class=\"small\">")
        .text(view.graph.total)
        .raw(" <span class=\"soft\">on ")
        .text(view.graph.gpu)
        .raw("</span></p>\n");
  html.raw("</section>\n");
}

void add_times(Html& html, Literal heading, const std::vector<TimeShare>& rows) {
  if (rows.empty()) return;
  html.raw("<h3>").raw(heading).raw("</h3><table>");
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxLines); ++i) {
    html.tag("<tr><td>", rows[i].name, "</td><td class=\"num\">")
        .text(seconds_text(rows[i].seconds))
        .raw("</td><td class=\"num\">")
        .text(fmt::format("{:.0f} %", 100 * rows[i].share));
    html.raw("</td><td width=\"50%\"><div class=\"track\"><div class=\"bar\" style=\"width:")
        .number(100 * rows[i].share)
        .raw("%\"></div></div></td></tr>\n");
  }
  html.raw("</table>\n");
}

void add_list(Html& html, Literal heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  html.raw("<details><summary>").raw(heading).raw(" (").number(lines.size()).raw(")</summary><ul>");
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) html.tag("<li>", lines[i], "</li>");
  if (lines.size() > kMaxLines) html.raw("<li>and ").number(lines.size() - kMaxLines).raw(" more</li>");
  html.raw("</ul></details>\n");
}

void add_why(Html& html, const RunView& view, const Explanation& why) {
  html.raw("<section id=\"why\"><h2>Why</h2>\n");
  if (why.route) {
    html.raw("<p>Route: <strong>")
        .text(view.row.route.empty() ? why.route->strategy : view.row.route)
        .raw("</strong>, decided by ")
        .text(why.route->decided_by)
        .raw(". ")
        .text(why.route->rationale)
        .raw("</p>\n<table>");
    for (const model::RouteRule& rule : view.route->rules) {
      const bool decided = rule.matched && rule.name == why.route->decided;
      html.raw("<tr><td>")
          .raw(decided        ? Literal("decided")
               : rule.matched ? Literal("yes")
                              : Literal("no"))
          .raw("</td><td>")
          .text(rule.name)
          .raw("</td><td>")
          .text(rule.reason)
          .raw("</td></tr>\n");
    }
    html.raw("</table>\n");
  }
  for (const WhyNot& row : why.refusals) {
    html.raw("<details><summary>not fused: ")
        .text(row.reason)
        .raw(" (")
        .number(row.cases.size())
        .raw(")</summary><ul>");
    for (std::size_t i = 0; i < std::min(row.cases.size(), kMaxLines); ++i)
      html.tag("<li>", row.cases[i], "</li>");
    html.raw("</ul></details>\n");
  }
  add_list(html, "decided by cost", view.graph.decisions);
  add_list(html, "rewritten", view.graph.rewrites);
  add_list(html, "sizes that the program does not take", view.graph.not_exported);
  html.raw("</section>\n");
}

void add_environment(Html& html, const RunView& view) {
  html.raw("<section id=\"environment\"><h2>Environment</h2><dl>");
  if (view.info) add_pair(html, "kernelagent", view.info->version);
  if (view.summary) {
    add_pair(html, "device", view.summary->device);
    for (const auto& [name, version] : view.summary->versions) {
      if (name != "kernelagent") html.tag("<dt>", name, "</dt>").tag("<dd>", version, "</dd>");
    }
    if (view.summary->dollars > 0)
      add_pair(html, "paid", fmt::format("{:.2f} dollars", view.summary->dollars));
  }
  add_pair(html, "costs for", view.graph.gpu);
  if (view.verdict) {
    add_pair(html, "sandbox", view.verdict->sandbox.level);
    for (const model::MissingPart& missing : view.verdict->sandbox.missing)
      html.tag("<dt>", missing.part, "</dt>").tag("<dd>", missing.reason, "</dd>");
  }
  html.raw("</dl></section>\n");
}

void add_speed(Html& html, const RunView& view) {
  if (!view.summary || view.summary->speed.empty()) return;
  html.raw("<h3>Speed</h3><table>");
  for (const model::SpeedLine& line : view.summary->speed)
    html.tag("<tr><td>", line.contender, "</td><td class=\"num\">")
        .text(fmt::format("{:.3f} ms", line.median_ms))
        .raw("</td><td>")
        .text(fmt::format("the result is {:.2f} times as fast", line.speedup))
        .raw("</td></tr>");
  html.raw("</table>\n");
}

void add_files(Html& html, const RunView& view) {
  html.raw("<section id=\"files\"><h2>Files and steps</h2>\n");
  if (!view.steps.empty()) {
    html.raw("<details><summary>finished steps (").number(view.steps.size()).raw(")</summary><table>");
    for (std::size_t i = 0; i < std::min(view.steps.size(), kMaxLines); ++i) {
      const model::JournalEntry& step = view.steps[i];
      std::vector<std::string> names;
      for (const model::ArtifactRef& ref : step.artifacts) names.push_back(ref.path);
      html.raw("<tr><td class=\"num\">")
          .number(static_cast<std::size_t>(step.seq))
          .raw("</td><td>")
          .text(step.step)
          .raw("</td><td>")
          .text(step.key)
          .raw("</td><td>")
          .text(join(names, ", "))
          .raw("</td></tr>\n");
    }
    html.raw("</table></details>\n");
  }
  std::vector<FileEntry> files = view.files;
  std::erase_if(files, [](const FileEntry& file) { return file.name == kPageName; });
  html.raw("<details><summary>files (").number(files.size()).raw(")</summary><table>");
  for (std::size_t i = 0; i < std::min(files.size(), kMaxLines); ++i)
    html.tag("<tr><td class=\"num\">", bytes_text(files[i].bytes), "</td><td>")
        .text(files[i].name)
        .raw(files[i].is_link ? Literal(" (a link)") : Literal(""))
        .raw("</td></tr>\n");
  if (files.size() > kMaxLines)
    html.raw("<tr><td></td><td>and ").number(files.size() - kMaxLines).raw(" more</td></tr>");
  html.raw("</table></details></section>\n");
}

}  // namespace

std::string report_page(const RunView& view) {
  const Explanation why = explain(view);
  Sources sources;
  Html head, html, program;
  add_page_head(head, fmt::format("{}: {}", title_of(view), to_string(view.row.state)));
  html.raw("</style>\n</head>\n<body>\n");
  add_header(html, view);
  add_search(html, view);
  add_graph(html, view);
  program.raw("<section id=\"program\"><h2>Program</h2>\n");
  if (view.kernel.empty())
    program.raw("<p class=\"soft\">This run has left no kernel file.</p>\n");
  else
    sources.add(program, view.kernel_path, view.kernel, 0, true);  // first: it has the room before the parts
  if (!view.python.empty()) sources.add(program, "refactored.py", view.python, view.parts.size() + 1, false);
  program.raw("</section>\n");
  html.raw("<section id=\"kernels\"><h2>")
      .raw(view.parts.empty() ? Literal("Kernels") : Literal("Parts"))
      .raw("</h2>\n");
  if (!view.parts.empty())
    add_part_cards(html, view, sources);
  else if (!why.cuts.empty())
    add_kernel_cards(html, view, why);
  else
    html.raw("<p class=\"soft\">Nothing is known about them.</p>\n");
  html.raw("</section>\n").add(program);
  html.raw("<section id=\"verdict\"><h2>Verdict</h2>\n");
  if (view.verdict)
    add_verdict(html, *view.verdict);
  else
    html.raw("<p class=\"soft\">Nobody has judged the result.</p>\n");
  html.raw("</section>\n<section id=\"times\"><h2>Times</h2>\n");
  add_speed(html, view);
  add_times(html, "stages", why.times);
  add_times(html, "the judge (its steps overlap)", why.judge_times);
  add_times(html, "parts", why.part_times);
  html.raw("</section>\n");
  add_why(html, view, why);
  add_environment(html, view);
  add_files(html, view);
  html.raw("</main>\n<footer>kernelagent ").text(KA_VERSION).raw("</footer>\n</body>\n</html>\n");
  return head.str() + kPageStyle + html.str();
}

}  // namespace ka::report
