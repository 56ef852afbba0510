#include "report/page_search.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/quantity.h"
#include "report/line_diff.h"
#include "report/python_page.h"

namespace ka::report {
namespace search_page {
namespace {

constexpr double kWidth = 760, kHeight = 320, kLeft = 80, kRight = 20, kTop = 16, kBottom = 44;
constexpr std::size_t kMaxDots = 4000, kMaxRows = 400, kMaxDiffLines = 4000;
constexpr std::size_t kContext = 3;  // lines around a change

// A logarithmic scale over so many pixels; values outside stay at its ends.
struct LogScale {
  double low, high, from, to;
  double at(double value) const {
    const double share = (std::log10(std::max(value, 1e-300)) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
};

// 1, 2 and 5 of each power of ten, or only the powers where those would be too many.
std::vector<double> ticks(const LogScale& scale) {
  std::vector<double> out;
  const bool few = std::log10(scale.high / scale.low) > 2.5;
  for (double power = std::pow(10, std::floor(std::log10(scale.low))); power <= scale.high; power *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step > 1 && few) continue;
      if (const double value = step * power; value >= scale.low && value <= scale.high) out.push_back(value);
    }
  }
  return out;
}

std::string ms_text(double ms) { return ms >= 1e3 ? seconds_text(ms / 1e3) : ms >= 0.1 ? fmt::format("{:.4g} ms", ms) : fmt::format("{:.4g} us", 1e3 * ms); }
std::string rate_text(double flops) { return flops >= 1e12 ? fmt::format("{:g} Tflop/s", flops / 1e12) : flops >= 1e9 ? fmt::format("{:g} Gflop/s", flops / 1e9) : fmt::format("{:g} Mflop/s", flops / 1e6); }

void add_line(Html& html, Literal open, double x1, double y1, double x2, double y2) {
  html.raw(open).raw(" x1=\"").number(x1).raw("\" y1=\"").number(y1).raw("\" x2=\"").number(x2).raw("\" y2=\"").number(y2).raw("\"/>");
}

void add_label(Html& html, Literal open, double x, double y, std::string_view text) { html.raw(open).raw(" x=\"").number(x).raw("\" y=\"").number(y).raw("\">").text(text).raw("</text>"); }

void add_dot(Html& html, const SearchTry& one, double x, double y) {
  html.raw(one.outcome == "kept" ? Literal("<circle class=\"won\"") : Literal("<circle class=\"lost\""));
  html.raw(" r=\"5\" cx=\"").number(x).raw("\" cy=\"").number(y).raw("\"><title>");
  html.text(fmt::format("round {}: {} ({}), {}", one.round, one.move, outcome_text(one.outcome), one.ms ? ms_text(*one.ms) : "not timed")).raw("</title></circle>\n");
}

void add_frame(Html& html, const LogScale& y, std::string (*text)(double)) {
  for (const double value : ticks(y)) {
    add_line(html, "<line class=\"grid\"", kLeft, y.at(value), kWidth - kRight, y.at(value));
    add_label(html, "<text class=\"tick\" text-anchor=\"end\"", kLeft - 6, y.at(value) + 4, text(value));
  }
  add_line(html, "<line class=\"axis\"", kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom);
}

std::vector<const SearchTry*> timed_tries(const SearchView& search) {
  std::vector<const SearchTry*> out;
  for (const SearchRound& round : search.rounds) {
    for (const SearchTry& one : round.tries) {
      if (one.ms && out.size() < kMaxDots) out.push_back(&one);
    }
  }
  return out;
}

void open_svg(Html& html, Literal label) {
  html.raw("<svg class=\"chart\" role=\"img\" aria-label=\"").raw(label).raw("\" width=\"").number(kWidth).raw("\" height=\"").number(kHeight).raw("\" viewBox=\"0 0 ").number(kWidth).raw(" ").number(kHeight).raw("\">\n");
}

void add_rounds(Html& html, const SearchView& search) {
  const std::vector<const SearchTry*> tries = timed_tries(search);
  double low = search.floor_ms > 0 ? search.floor_ms : search.best_ms, high = search.input_ms;
  for (const SearchTry* const one : tries) low = std::min(low, *one->ms), high = std::max(high, *one->ms);
  if (!(low > 0) || !(high > 0)) return;
  const LogScale y{low / 1.3, high * 1.3, kHeight - kBottom, kTop};
  const double last = std::max<double>(1, static_cast<double>(search.rounds.size()));
  const auto x = [&](std::size_t round) { return kLeft + 20 + static_cast<double>(round) / last * (kWidth - kRight - kLeft - 40); };
  html.raw("<h3>Time per round</h3>\n");
  open_svg(html, "time per round");
  add_frame(html, y, ms_text);
  const std::size_t each = search.rounds.size() / 20 + 1;
  for (std::size_t round = 0; round <= search.rounds.size(); round += each) add_label(html, "<text class=\"tick\" text-anchor=\"middle\"", x(round), kHeight - kBottom + 18, round == 0 ? "given" : std::to_string(round));
  add_label(html, "<text class=\"tick\" text-anchor=\"middle\"", (kLeft + kWidth - kRight) / 2, kHeight - 8, "round");
  if (search.floor_ms > 0) {
    add_line(html, "<line class=\"roof\"", kLeft, y.at(search.floor_ms), kWidth - kRight, y.at(search.floor_ms));
    add_label(html, "<text class=\"tick\" text-anchor=\"end\"", kWidth - kRight, y.at(search.floor_ms) - 5, "the least possible time");
  }
  for (const SearchTry* const one : tries) add_dot(html, *one, x(one->round), y.at(*one->ms));
  html.raw("<path class=\"best\" d=\"M").number(x(0)).raw(" ").number(y.at(search.input_ms));
  for (const SearchRound& round : search.rounds) html.raw(" H").number(x(round.number)).raw(" V").number(y.at(round.best_ms));
  html.raw("\"/>\n</svg>\n");
}

void add_roofline(Html& html, const SearchView& search) {
  html.raw("<h3>Roofline</h3>\n");
  if (!search.roof) {
    html.raw(search.device == "cpu" ? Literal("<p class=\"soft\">There is none: the interpreter's times say nothing about a GPU.</p>\n") : Literal("<p class=\"soft\">There is none: the work of the program is not known.</p>\n"));
    return;
  }
  const SearchRoof& roof = *search.roof;
  const double intensity = roof.flops / roof.bytes, ridge = roof.peak_flops / roof.peak_bytes;
  const std::vector<const SearchTry*> tries = timed_tries(search);
  double slowest = search.input_ms;
  for (const SearchTry* const one : tries) slowest = std::max(slowest, *one->ms);
  const auto rate = [&](double ms) { return ms > 0 ? roof.flops / (ms / 1e3) : 0; };
  const LogScale x{std::min(intensity, ridge) / 16, std::max(intensity, ridge) * 16, kLeft, kWidth - kRight};
  const LogScale y{std::min(rate(slowest) / 2, roof.peak_bytes * x.low), roof.peak_flops * 3, kHeight - kBottom, kTop};
  open_svg(html, "roofline");
  add_frame(html, y, rate_text);
  for (const double value : ticks(x)) add_label(html, "<text class=\"tick\" text-anchor=\"middle\"", x.at(value), kHeight - kBottom + 18, fmt::format("{:g}", value));
  add_label(html, "<text class=\"tick\" text-anchor=\"middle\"", (kLeft + kWidth - kRight) / 2, kHeight - 8, "operations per byte that must be moved");
  html.raw("<path class=\"roof\" d=\"M").number(x.at(x.low)).raw(" ").number(y.at(roof.peak_bytes * x.low)).raw(" L").number(x.at(ridge)).raw(" ").number(y.at(roof.peak_flops)).raw(" H").number(kWidth - kRight).raw("\"/>\n");
  for (const SearchTry* const one : tries) add_dot(html, *one, x.at(intensity), y.at(rate(*one->ms)));
  html.raw("<circle class=\"given\" r=\"5\" cx=\"").number(x.at(intensity)).raw("\" cy=\"").number(y.at(rate(search.input_ms))).raw("\"><title>").text(fmt::format("the given kernel, {}", ms_text(search.input_ms))).raw("</title></circle>\n");
  html.raw("<circle class=\"won\" r=\"7\" cx=\"").number(x.at(intensity)).raw("\" cy=\"").number(y.at(rate(search.best_ms))).raw("\"><title>").text(fmt::format("the best kernel, {}", ms_text(search.best_ms))).raw("</title></circle>\n</svg>\n");
}

void add_tries(Html& html, const SearchView& search) {
  std::size_t rows = 0;
  for (const SearchRound& round : search.rounds) {
    html.raw("<details><summary>round ").number(round.number).raw(": ").text(ms_text(round.best_ms)).raw(", ").number(round.tries.size()).raw(" tried</summary><table><tr><th>outcome</th><th>against</th><th>move</th><th>time</th><th>why</th></tr>\n");
    for (const SearchTry& one : round.tries) {
      if (rows++ >= kMaxRows) break;
      html.tag("<tr><td>", outcome_text(one.outcome), "</td><td>").text(one.bottleneck).raw("</td><td>").text(one.move).raw("</td><td class=\"num\">").text(one.ms ? ms_text(*one.ms) : "").raw("</td><td>").text(one.reason).raw("</td></tr>\n");
    }
    html.raw("</table></details>\n");
  }
  if (rows > kMaxRows) html.raw("<p class=\"soft\">and more; <code>kernelagent explain --json</code> has all</p>\n");
}

void add_diff_line(Html& html, const DiffLine& line, const std::vector<Html>& before, const std::vector<Html>& after) {
  switch (line.change) {
    case Change::same: html.raw("<span>  ").add(after[line.after]); break;
    case Change::removed: html.raw("<span class=\"del\">- ").add(before[line.before]); break;
    case Change::added: html.raw("<span class=\"ins\">+ ").add(after[line.after]); break;
  }
  html.raw("</span>");
}

void add_diff(Html& html, const RunView& view) {
  const SearchView& search = *view.search;
  html.raw("<h3>What the winner changed</h3>\n");
  if (search.input.empty() || view.kernel.empty()) {
    html.raw("<p class=\"soft\">The given kernel or the best one is not there.</p>\n");
    return;
  }
  const std::vector<DiffLine> lines = line_diff(search.input, view.kernel);
  if (std::all_of(lines.begin(), lines.end(), [](const DiffLine& line) { return line.change == Change::same; })) {
    html.raw("<p class=\"soft\">Nothing: the given kernel is the best.</p>\n");
    return;
  }
  const std::vector<Html> before = python_lines(search.input), after = python_lines(view.kernel);
  std::vector<bool> shown(lines.size(), false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].change == Change::same) continue;
    for (std::size_t k = i - std::min(i, kContext); k < std::min(lines.size(), i + kContext + 1); ++k) shown[k] = true;
  }
  html.raw("<p class=\"small soft\">").text(search.input_path).raw(" and ").text(view.kernel_path).raw("</p>\n<div class=\"src diff\" tabindex=\"0\" role=\"region\" aria-label=\"difference\"><pre class=\"py\">");
  std::size_t written = 0, hidden = 0;
  for (std::size_t i = 0; i < lines.size() && written < kMaxDiffLines; ++i) {
    if (!shown[i]) {
      ++hidden;
      continue;
    }
    if (hidden > 0) html.raw("<span class=\"gap\">").text(fmt::format("  ... {} line{} the same", hidden, hidden == 1 ? "" : "s")).raw("</span>");
    hidden = 0;
    add_diff_line(html, lines[i], before, after);
    ++written;
  }
  html.raw("</pre></div>\n");
}

}  // namespace
}  // namespace search_page

void add_search(Html& html, const RunView& view) {
  if (!view.search) return;
  const SearchView& search = *view.search;
  html.raw("<section id=\"search\"><h2>Search</h2>\n<p>");
  if (search.best_ms > 0) html.text(fmt::format("{} instead of {}: {:.2f} times as fast as the given kernel. ", search_page::ms_text(search.best_ms), search_page::ms_text(search.input_ms), search.input_ms / search.best_ms));
  if (search.floor_ms > 0 && search.best_ms > 0) html.text(fmt::format("{:.1f} % of the least possible time. ", 100 * search.floor_ms / search.best_ms));
  if (!search.last_race.empty()) html.raw("Last race: ").text(search.last_race).raw(". ");
  html.raw("Ended: ").text(search.stop.empty() ? "not yet" : search.stop).raw(".</p>\n");
  if (search.floor_ms > search.best_ms && search.best_ms > 0) {
    html.raw("<p class=\"warn\">More than 100 %: the floor or the time is wrong, or the kernel does less than the program.</p>\n");
  }
  if (search.device == "cpu") html.raw("<p class=\"warn\">Timed by the interpreter on the CPU: this says nothing about a GPU.</p>\n");
  if (!search.path.empty()) html.raw("<ol>");
  for (const std::string& move : search.path) html.tag("<li>", move, "</li>");
  if (!search.path.empty()) html.raw("</ol>\n");
  search_page::add_rounds(html, search);
  search_page::add_roofline(html, search);
  search_page::add_diff(html, view);
  html.raw("<h3>What was tried</h3>\n");
  search_page::add_tries(html, search);
  html.raw("</section>\n");
}

}  // namespace ka::report
