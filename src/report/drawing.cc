#include "report/drawing.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/strings.h"
#include "report/layout.h"

namespace ka::report {
namespace {

constexpr std::size_t kMaxBoxes = 1500, kMaxArrows = 6000;
constexpr std::size_t kTitle = 28, kSubtitle = 36, kLabel = 30;  // characters that fit

std::string joined_some(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) return join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most));
  return fmt::format("{} and {} more", join(first, ", "), names.size() - most);
}

struct Call {
  std::size_t part = 0;
  const PartCall* call = nullptr;
};

std::string shape_text(const model::TensorType& tensor) {
  return fmt::format("{}[{}]", ir::to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
}

// The k-th output of a call has the type of the k-th output of its part.
std::string crossing_type(const Part& part, const PartCall& call, const std::string& value) {
  const auto at = static_cast<std::size_t>(std::find(call.outputs.begin(), call.outputs.end(), value) -
                                           call.outputs.begin());
  return at < part.subgraph.outputs.size() ? shape_text(part.subgraph.outputs[at]) : "";
}

Drawing parts_drawing(const RunView& view) {
  Drawing out;
  std::vector<Call> calls;
  for (std::size_t p = 0; p < view.parts.size(); ++p) {
    for (const PartCall& call : view.parts[p].calls) calls.push_back({p, &call});
  }
  std::stable_sort(calls.begin(), calls.end(),
                   [](const Call& a, const Call& b) { return a.call->order < b.call->order; });
  if (calls.size() > kMaxBoxes) {
    out.left_out = calls.size() - kMaxBoxes;
    calls.resize(kMaxBoxes);
  }
  std::map<std::string, std::size_t> maker;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Part& part = view.parts[calls[i].part];
    out.boxes.push_back({fmt::format("{} {}", part.subgraph.id, part.subgraph.type),
                         joined_some(calls[i].call->outputs, 2), mark_of(part, view), calls[i].part});
    for (const std::string& value : calls[i].call->outputs) maker.emplace(value, i);
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::map<std::size_t, std::vector<std::string>> read;
    for (const std::string& value : calls[i].call->inputs) {
      if (const auto found = maker.find(value); found != maker.end() && found->second != i)
        read[found->second].push_back(value);
    }
    for (const auto& [from, values] : read) {
      std::string tooltip;
      for (const std::string& value : values)
        tooltip += fmt::format("{}{} {}", tooltip.empty() ? "cut: " : ", ", value,
                               crossing_type(view.parts[calls[from].part], *calls[from].call, value));
      out.arrows.push_back({from, i, joined_some(values, 1), tooltip});
    }
  }
  return out;
}

Mark whole_mark(const RunView& view) {
  if (!view.verdict) return Mark::unknown;
  return view.verdict->accepted ? Mark::good : Mark::bad;
}

Drawing kernels_drawing(const RunView& view) {
  Drawing out;
  const std::size_t count = std::min(view.graph.kernels.size(), kMaxBoxes);
  out.left_out = view.graph.kernels.size() - count;
  for (std::size_t k = 0; k < count; ++k) {
    const NotedKernel& kernel = view.graph.kernels[k];
    const std::string name = view.kernel_names.empty() ? kernel.kind : view.kernel_names[k];
    out.boxes.push_back(
        {fmt::format("{} {}", kernel.number, name),
         fmt::format("{}, {} operation{}", kernel.kind, kernel.ops.size(), kernel.ops.size() == 1 ? "" : "s"),
         whole_mark(view), k});
    for (const NotedRead& read : kernel.reads) {
      if (read.from >= count) continue;
      std::string tooltip = "cut: ";
      for (const std::string& value : read.values) {
        const auto type = view.graph.types.find(value);
        tooltip += fmt::format("{}{} {}", value == read.values[0] ? "" : ", ", value,
                               type == view.graph.types.end() ? "" : type->second);
      }
      const std::string& kept = view.graph.kernels[read.from].kept;
      out.arrows.push_back({read.from, k, joined_some(read.values, 2),
                            kept.empty() ? tooltip : fmt::format("{}. Kept: {}", tooltip, kept)});
    }
  }
  return out;
}

void add_text(Html& html, Literal open, double x, double y, std::string_view text) {
  html.raw(open).raw(" x=\"").number(x).raw("\" y=\"").number(y).raw("\">").text(text).raw("</text>");
}

void add_box(Html& html, const DrawnBox& box, const Layout::Place& place) {
  html.raw("<a href=\"#card-").number(box.card).raw("\" class=\"box ");
  add_class(html, box.mark);
  html.raw("\"><rect x=\"").number(place.x).raw("\" y=\"").number(place.y);
  html.raw("\" width=\"").number(kBoxWidth).raw("\" height=\"").number(kBoxHeight).raw("\" rx=\"6\"/>");
  add_text(html, "<text", place.x + 12, place.y + 19, elide_middle(box.title, kTitle));
  add_text(html, "<text class=\"sub\"", place.x + 12, place.y + 36, elide_middle(box.subtitle, kSubtitle));
  html.raw("<title>").text(box.title).raw("\n").text(box.subtitle).raw("</title></a>\n");
}

struct Line {
  std::string path;     // in the language of SVG
  double x = 0, y = 0;  // where it is cut
};

// Straight down to the next row; where there are rows between, through the gap to the right of all of them,
// down, and back.
Line line_of(const Layout::Place& a, const Layout::Place& b, const Layout& layout, double lane) {
  const double y1 = a.y + kBoxHeight, y2 = b.y, gap = kLayerGap;
  if (b.row == a.row + 1) {
    const double x1 = a.x + kBoxWidth / 2, x2 = b.x + kBoxWidth / 2, middle = (y1 + y2) / 2;
    return {fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1, y1, x1, middle, x2,
                        middle, x2, y2),
            (x1 + x2) / 2, middle};
  }
  const double x1 = a.x + kBoxWidth * 3 / 4, x2 = b.x + kBoxWidth * 3 / 4;
  double far = std::max(a.x, b.x) + kBoxWidth;
  for (std::size_t r = std::min(a.row, b.row); r <= std::max(a.row, b.row); ++r)
    far = std::max(far, layout.right[r]);
  far += lane;
  // Flat while it is above boxes.
  const std::string out = fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1, y1, x1,
                                      y1 + gap / 2, far, y1 + gap / 11, far, y1 + gap);
  const std::string back = fmt::format("L{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", far,
                                       y2 - gap, far, y2 - gap / 11, x2, y2 - gap / 2, x2, y2);
  return {out + back, far, (y1 + y2) / 2};
}

void add_arrow(Html& html, const DrawnArrow& arrow, const Layout& layout, double lane, bool labelled) {
  const Line line = line_of(layout.places[arrow.from], layout.places[arrow.to], layout, lane);
  html.raw("<g class=\"cut\"><path d=\"").text(line.path).raw("\" marker-end=\"url(#tip)\"/><circle cx=\"");
  html.number(line.x).raw("\" cy=\"").number(line.y).raw("\" r=\"4\"/>");
  if (labelled) add_text(html, "<text", line.x + 9, line.y + 4, elide_middle(arrow.label, kLabel));
  html.raw("<title>").text(arrow.tooltip).raw("</title></g>\n");
}

}  // namespace

void add_class(Html& html, Mark mark) {
  switch (mark) {
    case Mark::good:
      html.raw("good");
      break;
    case Mark::bad:
      html.raw("bad");
      break;
    case Mark::torch:
      html.raw("torch");
      break;
    case Mark::unknown:
      html.raw("unknown");
      break;
  }
}

Mark mark_of(const Part& part, const RunView& view) {
  if (view.composition) {
    const std::vector<std::string>& torch = view.composition->torch_parts;
    if (std::find(torch.begin(), torch.end(), part.subgraph.id) != torch.end()) return Mark::torch;
  }
  if (part.verdict) return part.verdict->accepted ? Mark::good : Mark::bad;
  if (part.result && !part.result->success) return Mark::bad;
  return Mark::unknown;
}

Drawing drawing_of(const RunView& view) {
  const bool has_calls =
      std::any_of(view.parts.begin(), view.parts.end(), [](const Part& part) { return !part.calls.empty(); });
  Drawing out = has_calls ? parts_drawing(view) : view.parts.empty() ? kernels_drawing(view) : Drawing{};
  if (out.arrows.size() > kMaxArrows) out.arrows.resize(kMaxArrows);
  return out;
}

void add_svg(Html& html, const Drawing& drawing) {
  if (drawing.boxes.empty()) return;
  std::vector<std::pair<std::size_t, std::size_t>> arrows;
  std::vector<std::size_t> out_of(drawing.boxes.size(), 0), into(drawing.boxes.size(), 0);
  for (const DrawnArrow& arrow : drawing.arrows) {
    arrows.emplace_back(arrow.from, arrow.to);
    ++out_of[arrow.from];
    ++into[arrow.to];
  }
  const Layout layout = lay_out(drawing.boxes.size(), arrows);
  constexpr double kMargin = 12, kLabels = 150,
                   kLanes = 170;  // room for labels, and for arrows around the rows
  const bool around = std::any_of(arrows.begin(), arrows.end(), [&](const auto& arrow) {
    return layout.places[arrow.second].row != layout.places[arrow.first].row + 1;
  });
  const double width = layout.width + 2 * kMargin + kLabels + (around ? kLanes : 0),
               height = layout.height + 2 * kMargin;
  html.raw(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"group\" aria-label=\"graph of the kernels\" "
          "width=\"")
      .number(width)
      .raw("\" height=\"")
      .number(height);
  html.raw("\" viewBox=\"")
      .number(-kMargin)
      .raw(" ")
      .number(-kMargin)
      .raw(" ")
      .number(width)
      .raw(" ")
      .number(height)
      .raw("\">\n");
  html.raw(
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n");
  for (std::size_t i = 0; i < drawing.arrows.size(); ++i) {
    const DrawnArrow& arrow = drawing.arrows[i];
    constexpr std::size_t kManyLanes = 9;
    const double lane = 14 + 16 * static_cast<double>(i % kManyLanes);
    add_arrow(html, arrow, layout, lane, out_of[arrow.from] <= 2 && into[arrow.to] == 1);
  }
  for (std::size_t i = 0; i < drawing.boxes.size(); ++i) add_box(html, drawing.boxes[i], layout.places[i]);
  html.raw("</svg>\n");
}

}  // namespace ka::report
