// The program as boxes and arrows: what became one kernel or part, and the values that cross the cuts between
// them. Drawn as SVG that needs neither a script nor a font of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/html.h"
#include "report/run_view.h"

namespace ka::report {

enum class Mark { good, bad, torch, unknown };  // accepted, refused, left to PyTorch, nobody has judged

struct DrawnBox {
  std::string title, subtitle;
  Mark mark = Mark::unknown;
  std::size_t card = 0;  // the page's element "card-N"
};

struct DrawnArrow {
  std::size_t from = 0, to = 0;
  std::string label;    // the values that cross
  std::string tooltip;  // the same with types, and why it is cut there
};

struct Drawing {
  std::vector<DrawnBox> boxes;
  std::vector<DrawnArrow> arrows;
  std::size_t left_out = 0;  // boxes beyond what a page should hold
};

Mark mark_of(const Part& part, const RunView& view);
// The word of the style sheet for it.
void add_class(Html& html, Mark mark);
// A box per call of a part, or per kernel where there are no parts.
Drawing drawing_of(const RunView& view);
void add_svg(Html& html, const Drawing& drawing);

}  // namespace ka::report
