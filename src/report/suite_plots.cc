#include "report/suite_plots.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ka::report {
namespace {

using model::SuiteTask;
using model::TaskEnd;

constexpr double kWidth = 1080, kLeft = 64, kRight = 1060, kTop = 14;

double across(double share) { return kLeft + share * (kRight - kLeft); }

void open_svg(Html& html, double height, std::string_view label) {
  html.raw("<svg viewBox=\"0 0 ").number(kWidth).raw(" ").number(height).raw("\" class=\"plot\" role=\"img\" aria-label=\"").text(label).raw("\">\n");
}

void add_line(Html& html, Literal kind, double x1, double y1, double x2, double y2) {
  html.raw("<line class=\"").raw(kind).raw("\" x1=\"").number(x1).raw("\" y1=\"").number(y1).raw("\" x2=\"").number(x2).raw("\" y2=\"").number(y2).raw("\"/>");
}

void add_label(Html& html, Literal kind, double x, double y, std::string_view text) {
  html.raw("<text class=\"").raw(kind).raw("\" x=\"").number(x).raw("\" y=\"").number(y).raw("\">").text(text).raw("</text>\n");
}

// By powers of two, as far as the tasks go, within reason.
struct RatioScale {
  int lowest = -1, highest = 1;
  double bottom = 0;

  double y(double ratio) const {
    const double power = std::clamp(std::log2(ratio), static_cast<double>(lowest), static_cast<double>(highest));
    return kTop + (highest - power) / (highest - lowest) * (bottom - kTop);
  }
};

struct Bar {
  const SuiteTask* task = nullptr;
  double ratio = 0;
};

std::vector<Bar> bars_of(const std::vector<SuiteTask>& tasks, const std::string& baseline) {
  std::vector<Bar> out;
  for (const SuiteTask& task : tasks) {
    if (task.end == TaskEnd::failed) out.push_back({&task, model::kFailedRatio});
    if (task.end != TaskEnd::timed) continue;
    const auto* best = task.best();
    const auto found = task.baselines.find(baseline);
    if (baseline == model::kBestBaseline && best != nullptr) out.push_back({&task, best->second.ratio});
    else if (found != task.baselines.end()) out.push_back({&task, found->second.ratio});
  }
  std::stable_sort(out.begin(), out.end(), [](const Bar& a, const Bar& b) {
    const bool failed_a = a.task->end == TaskEnd::failed, failed_b = b.task->end == TaskEnd::failed;
    return failed_a != failed_b ? failed_a : a.ratio < b.ratio;
  });
  return out;
}

RatioScale scale_of(const std::vector<Bar>& bars, double bottom) {
  constexpr double kMostPowers = 6;
  RatioScale out;
  out.bottom = bottom;
  for (const Bar& bar : bars) {
    const double power = std::clamp(std::log2(bar.ratio), -kMostPowers, kMostPowers);
    out.lowest = std::min(out.lowest, static_cast<int>(std::floor(power)));
    out.highest = std::max(out.highest, static_cast<int>(std::ceil(power)));
  }
  return out;
}

void add_curve_class(Html& html, std::size_t i) {
  switch (i % 5) {
    case 0: html.raw("c0"); break;
    case 1: html.raw("c1"); break;
    case 2: html.raw("c2"); break;
    case 3: html.raw("c3"); break;
    default: html.raw("c4");
  }
}

std::string power_text(int power) { return power >= 0 ? fmt::format("{}", 1 << power) : fmt::format("1/{}", 1 << -power); }

}  // namespace

const char* const kSuiteStyle = R"(
svg.plot { width: 100%; height: auto; max-width: 1080px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
svg .axis { stroke: var(--line); stroke-width: 1; }
svg .one { stroke: var(--ink); stroke-width: 1.4; }
svg .tick { fill: var(--soft); font-size: 12px; text-anchor: end; }
svg .under { fill: var(--soft); font-size: 12px; text-anchor: middle; }
svg .key { fill: var(--ink); font-size: 13px; }
svg rect.faster { fill: var(--bar); }
svg rect.slower { fill: var(--torch); }
svg rect.failed { fill: var(--bad); }
svg .curve { fill: none; stroke-width: 2.4; }
svg .c0 { stroke: #4a83c4; } svg .c1 { stroke: #c2571a; } svg .c2 { stroke: #3d8f5b; } svg .c3 { stroke: #9455b8; } svg .c4 { stroke: #808890; stroke-dasharray: 6 3; }
svg circle.memory { fill: #4a83c4; fill-opacity: .75; }
svg circle.compute { fill: #c2571a; fill-opacity: .75; }
svg circle.above { fill: var(--bad); }
)";

void add_ratio_bars(Html& html, const std::vector<SuiteTask>& tasks, const std::string& baseline) {
  constexpr double kHeight = 200, kBottom = 190;
  const std::vector<Bar> bars = bars_of(tasks, baseline);
  if (bars.empty()) {
    html.raw("<p class=\"soft\">No task has a time to compare.</p>\n");
    return;
  }
  const RatioScale scale = scale_of(bars, kBottom);
  open_svg(html, kHeight, fmt::format("ratio of {} to the kernel, task by task", baseline));
  for (int power = scale.lowest; power <= scale.highest; ++power) {
    const double y = scale.y(std::exp2(power));
    add_line(html, power == 0 ? Literal("one") : Literal("axis"), kLeft, y, kRight, y);
    add_label(html, "tick", kLeft - 8, y + 4, power_text(power));
  }
  const double step = (kRight - kLeft) / static_cast<double>(bars.size());
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const bool failed = bar.task->end == TaskEnd::failed;
    const double y = scale.y(bar.ratio), one = scale.y(1);
    html.raw("<rect class=\"").raw(failed ? Literal("failed") : bar.ratio > 1 ? Literal("faster") : Literal("slower"));
    html.raw("\" x=\"").number(kLeft + static_cast<double>(i) * step).raw("\" width=\"").number(std::max(0.4, step * 0.86)).raw("\" y=\"").number(std::min(y, one));
    html.raw("\" height=\"").number(std::max(0.6, std::abs(y - one))).raw("\"><title>").text(bar.task->name).raw(": ");
    html.text(failed ? std::string(bar.task->is_verified() ? "no time" : bar.task->status) : fmt::format("{:.3f}", bar.ratio)).raw("</title></rect>\n");
  }
  html.raw("</svg>\n");
}

void add_fast_p(Html& html, const std::vector<model::SuiteSpeed>& speeds) {
  constexpr double kHeight = 300, kBottom = 262;
  constexpr auto kLast = static_cast<double>(model::kFastP.size() - 1);
  const auto up = [](double share) { return kBottom - share * (kBottom - kTop); };
  open_svg(html, kHeight, "share of tasks that are verified and at least p times as fast");
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    add_line(html, "axis", kLeft, up(share), kRight, up(share));
    add_label(html, "tick", kLeft - 8, up(share) + 4, fmt::format("{:.0f} %", 100 * share));
  }
  for (std::size_t i = 0; i < model::kFastP.size(); ++i) add_label(html, "under", across(static_cast<double>(i) / kLast), kBottom + 20, fmt::format("{:g}", model::kFastP[i]));
  for (std::size_t s = 0; s < speeds.size(); ++s) {
    html.raw("<polyline class=\"curve ");
    add_curve_class(html, s);
    html.raw("\" points=\"");
    for (std::size_t i = 0; i < model::kFastP.size(); ++i) html.number(across(static_cast<double>(i) / kLast)).raw(",").number(up(speeds[s].fast_p[i])).raw(" ");
    html.raw("\"><title>").text(speeds[s].baseline).raw("</title></polyline>\n");
    const double y = kTop + 14 + 18 * static_cast<double>(s);
    html.raw("<g class=\"");
    add_curve_class(html, s);
    html.raw("\"><line class=\"curve\" x1=\"").number(kRight - 210).raw("\" x2=\"").number(kRight - 180).raw("\" y1=\"").number(y).raw("\" y2=\"").number(y).raw("\"/></g>");
    add_label(html, "key", kRight - 172, y + 4, speeds[s].baseline);
  }
  html.raw("</svg>\n");
}

void add_roofline(Html& html, const std::vector<SuiteTask>& tasks) {
  constexpr double kHeight = 380, kBottom = 340, kLowest = -2, kHighest = 0.2;  // powers of ten: 1 % to a little more than 100 %
  constexpr double kMostBalance = 4;                                              // powers of ten to either side
  std::size_t count = 0;
  const auto up = [&](double share) { return kBottom - (std::clamp(std::log10(share), kLowest, kHighest) - kLowest) / (kHighest - kLowest) * (kBottom - kTop); };
  const auto right = [&](double balance) { return across((std::clamp(std::log10(std::max(balance, 1e-9)), -kMostBalance, kMostBalance) + kMostBalance) / (2 * kMostBalance)); };
  Html dots;
  for (const SuiteTask& task : tasks) {
    const std::optional<double> share = task.efficiency();
    if (!share || !(*share > 0)) continue;
    ++count;
    const double balance = *task.memory_floor_ms > 0 ? *task.compute_floor_ms / *task.memory_floor_ms : 1e9;
    dots.raw("<circle class=\"").raw(*share > 1 ? Literal("above") : task.is_memory_bound() ? Literal("memory") : Literal("compute"));
    dots.raw("\" r=\"4\" cx=\"").number(right(balance)).raw("\" cy=\"").number(up(*share)).raw("\"><title>");
    dots.text(fmt::format("{}: {:.1f} % of the floor's speed, {:.4f} ms", task.name, 100 * *share, *task.kernel_ms)).raw("</title></circle>\n");
  }
  if (count == 0) {
    html.raw("<p class=\"soft\">No task has both a time and a floor.</p>\n");
    return;
  }
  open_svg(html, kHeight, "share of the floor's speed, by what bounds the task");
  for (const double share : {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0}) {
    add_line(html, share == 1.0 ? Literal("one") : Literal("axis"), kLeft, up(share), kRight, up(share));
    add_label(html, "tick", kLeft - 8, up(share) + 4, fmt::format("{:.0f} %", 100 * share));
  }
  for (const double balance : {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4}) {
    add_line(html, balance == 1.0 ? Literal("one") : Literal("axis"), right(balance), kTop, right(balance), kBottom);
    add_label(html, "under", right(balance), kBottom + 20, fmt::format("{:g}", balance));
  }
  html.add(dots).raw("</svg>\n");
}

}  // namespace ka::report
