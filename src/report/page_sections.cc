#include "report/page_sections.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quantity.h"
#include "base/strings.h"
#include "report/page.h"
#include "report/python_page.h"

namespace ka::report {
namespace {

constexpr std::size_t kMaxCards = 1000;
constexpr std::size_t kMaxListed = 60;  // operations and tensors of one card

void add_row(Html& html, Literal name, std::string_view text) {
  if (!text.empty()) html.raw("<dt>").raw(name).raw("</dt><dd>").text(text).raw("</dd>");
}

std::string line_numbers(std::string_view text) {
  const auto lines =
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
  std::string out;
  for (std::size_t i = 1; i <= lines; ++i) out += std::to_string(i) + "\n";
  return out;
}

std::string tensor_text(const model::TensorType& tensor) {
  return fmt::format("{}: {}[{}]", tensor.name, ir::to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
}

std::string tensors_text(const std::vector<model::TensorType>& tensors) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(tensors.size(), kMaxListed); ++i)
    out.push_back(tensor_text(tensors[i]));
  if (tensors.size() > kMaxListed) out.push_back(fmt::format("and {} more", tensors.size() - kMaxListed));
  return join(out, ", ");
}

// "y = linear(x, weight, bias=True)"
std::string op_text(const model::SubgraphOp& op) {
  std::vector<std::string> arguments = model::values_of(op);
  for (const auto& [name, value] : op.parameters) arguments.push_back(fmt::format("{}={}", name, value.text));
  return fmt::format("{} = {}({})", op.name, op.op, join(arguments, ", "));
}

std::string ops_listing(const model::Subgraph& part) {
  std::string out;
  for (std::size_t i = 0; i < std::min(part.ops.size(), kMaxListed); ++i) out += op_text(part.ops[i]) + "\n";
  if (part.ops.size() > kMaxListed) out += fmt::format("# and {} more\n", part.ops.size() - kMaxListed);
  return out;
}

const char* word_of(Mark mark) {
  switch (mark) {
    case Mark::good:
      return "accepted";
    case Mark::bad:
      return "refused";
    case Mark::torch:
      return "left to PyTorch";
    case Mark::unknown:
      return "not judged";
  }
  return "?";
}

// How many launches the judge has seen compiled.
std::string launches_of(const Part& part) {
  if (!part.verdict) return {};
  for (const model::CheckRun& check : part.verdict->checks) {
    if (check.name == "compile") return fmt::format("{} ({})", check.count, check.note);
  }
  return {};
}

void add_part_card(Html& html, const Part& part, std::size_t number, const RunView& view, Sources& sources) {
  const model::Subgraph& subgraph = part.subgraph;
  const Mark mark = mark_of(part, view);
  html.raw("<article id=\"card-")
      .number(number)
      .raw("\"><h3>")
      .text(subgraph.id)
      .raw(" <span class=\"soft\">")
      .text(subgraph.type)
      .raw("</span> ");
  add_badge(html, mark, word_of(mark));
  html.raw("</h3>");
  if (part.result && !part.result->message.empty()) html.tag("<p>", part.result->message, "</p>");
  html.raw("<dl>");
  add_row(html, "operations",
          ops_text(
              [&] {
                std::vector<std::string> names;
                for (const model::SubgraphOp& op : subgraph.ops) names.push_back(op.op);
                return names;
              }(),
              120));
  add_row(html, "inputs", tensors_text(subgraph.inputs));
  add_row(html, "weights", tensors_text(subgraph.weights));
  add_row(html, "outputs", tensors_text(subgraph.outputs));
  add_row(html, "layout", subgraph.layout);
  add_row(html, "occurs", subgraph.count == 1 ? "once" : fmt::format("{} times", subgraph.count));
  add_row(html, "where", subgraph.where);
  add_row(html, "launches", launches_of(part));
  if (part.result)
    add_row(html, "written by",
            fmt::format("{}, {} round{}", part.result->producer, part.result->rounds,
                        part.result->rounds == 1 ? "" : "s"));
  if (part.seconds) add_row(html, "took", seconds_text(*part.seconds));
  html.raw("</dl>");
  if (!subgraph.ops.empty())
    html.raw("<details><summary>operations with their parameters</summary><pre class=\"plain\">")
        .text(ops_listing(subgraph))
        .raw("</pre></details>");
  if (!subgraph.source.code.empty()) {
    constexpr std::size_t kLongest = 4000;
    html.raw("<details><summary>the PyTorch it stands for</summary><pre class=\"plain py\">");
    add_python(html, elide_middle(subgraph.source.code, kLongest), false);
    html.raw("</pre></details>");
  }
  if (part.verdict) {
    html.raw("<details")
        .raw(part.verdict->accepted ? Literal("") : Literal(" open"))
        .raw("><summary>verdict</summary>");
    add_verdict(html, *part.verdict);
    html.raw("</details>");
  }
  if (!part.kernel.empty()) sources.add(html, part.kernel_path, part.kernel, number + 1, false);
  html.raw("</article>\n");
}

}  // namespace

void Sources::add(Html& html, const std::string& path, const std::string& text, std::size_t anchor,
                  bool anchors_of_names) {
  if (const auto found = shown_.find(text); found != shown_.end()) {
    html.raw("<p class=\"small\"><code>")
        .text(path)
        .raw("</code>: the same text as <a href=\"#source-")
        .number(found->second.anchor)
        .raw("\">")
        .text(found->second.path)
        .raw("</a></p>");
    return;
  }
  Html source;
  if (used_ < kMaxColouredBytes) add_python(source, text, anchors_of_names);
  if (used_ + source.size() > kMaxColouredBytes || source.size() == 0) {
    source = Html();
    source.text(text);
  }
  if (used_ + source.size() > kMaxSourceBytes) {
    html.raw("<p class=\"small\"><code>")
        .text(path)
        .raw("</code>: ")
        .text(bytes_text(text.size()))
        .raw(", not shown: the page is large enough</p>");
    return;
  }
  used_ += source.size();
  shown_.emplace(text, Place{anchor, path});
  constexpr std::size_t kOpen = 60000;
  html.raw("<details id=\"source-")
      .number(anchor)
      .raw("\"")
      .raw(anchors_of_names && text.size() < kOpen ? Literal(" open") : Literal(""))
      .raw("><summary><code>")
      .text(path)
      .raw("</code> <span class=\"soft\">");
  html.text(bytes_text(text.size()))
      .raw(
          "</span></summary><div class=\"src scrolls\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"source\"><pre class=\"ln\" aria-hidden=\"true\">")
      .text(line_numbers(text));
  html.raw("</pre><pre class=\"py\">").add(source).raw("</pre></div></details>");
}

void add_badge(Html& html, Mark mark, std::string_view word) {
  html.raw("<span class=\"badge ");
  add_class(html, mark);
  html.raw("\">").text(word).raw("</span>");
}

void add_verdict(Html& html, const model::Verdict& verdict) {
  html.raw("<p>");
  add_badge(html, verdict.accepted ? Mark::good : Mark::bad, verdict.accepted ? "accepted" : "refused");
  if (!verdict.rule.empty()) html.raw(" by the rule <code>").text(verdict.rule).raw("</code>");
  html.raw("</p>").tag("<p>", verdict.reason, "</p>");
  if (!verdict.detail.empty()) html.tag("<pre class=\"plain\">", verdict.detail, "</pre>");
  html.raw("<dl>");
  if (verdict.worst)
    add_row(html, "worst element",
            fmt::format("output {} at [{}]: got {:g}, want {:g}, error {:g}", verdict.worst->output,
                        fmt::join(verdict.worst->index, ", "), verdict.worst->got, verdict.worst->want,
                        verdict.worst->error));
  for (const model::CheckRun& check : verdict.checks)
    html.tag("<dt>", check.name, "</dt>")
        .tag("<dd>", fmt::format("{} ({})", check.count, check.note), "</dd>");
  const model::Precision& precision = verdict.precision;
  add_row(html, "precision",
          fmt::format("tier {}, error {:.3g} times PyTorch's own ({:g} allowed), max abs error {:.3g}",
                      precision.tier, precision.multiple_seen, precision.multiple_allowed,
                      precision.max_abs_error));
  if (verdict.specialised)
    add_row(
        html, "specialised",
        verdict.specialised_reason.empty() ? "right for the given sizes only" : verdict.specialised_reason);
  if (!verdict.buffers.updated.empty())
    add_row(html, "buffers",
            fmt::format("{} updated by the program, and {}by the kernel", join(verdict.buffers.updated, ", "),
                        verdict.buffers.reproduced ? "" : "not "));
  if (verdict.problem.scaled) {
    std::vector<std::string> sizes;
    for (const auto& [name, value] : verdict.problem.verified_sizes)
      sizes.push_back(fmt::format("{}={}", name, value));
    add_row(html, "judged at", join(sizes, ", "));
  }
  add_row(html, "device", fmt::format("{}, sandbox {}", verdict.device, verdict.sandbox.level));
  html.raw("</dl>");
  if (!verdict.reproduce.empty())
    html.raw("<p class=\"small soft\">The same verdict again:</p>")
        .tag("<pre class=\"plain\">", verdict.reproduce, "</pre>");
}

void add_part_cards(Html& html, const RunView& view, Sources& sources) {
  html.raw("<div class=\"cards\">\n");
  for (std::size_t i = 0; i < std::min(view.parts.size(), kMaxCards); ++i)
    add_part_card(html, view.parts[i], i, view, sources);
  html.raw("</div>\n");
  if (view.parts.size() > kMaxCards)
    html.tag("<p class=\"warn\">",
             fmt::format("{} further parts are not shown", view.parts.size() - kMaxCards), "</p>");
}

void add_kernel_cards(Html& html, const RunView& view, const Explanation& why) {
  html.raw("<div class=\"cards\">\n");
  for (std::size_t i = 0; i < std::min(why.cuts.size(), kMaxCards); ++i) {
    const WhyCut& cut = why.cuts[i];
    html.raw("<article id=\"card-")
        .number(i)
        .raw("\"><h3>")
        .text(cut.name)
        .raw(" <span class=\"badge\">")
        .text(cut.kind)
        .raw("</span></h3><dl>");
    add_row(html, "operations", ops_text(cut.ops, 160));
    add_row(html, "writes", join(cut.results, ", "));
    add_row(html, "reads", join(cut.reads, ", "));
    add_row(html, "cost", cut.cost);
    add_row(html, "why cut here", cut.kept);
    html.raw("</dl>");
    if (!view.kernel_names.empty())
      html.raw("<p class=\"small\"><a href=\"#def-")
          .text(view.kernel_names[i])
          .raw("\">source of ")
          .text(view.kernel_names[i])
          .raw("</a></p>");
    html.raw("</article>\n");
  }
  html.raw("</div>\n");
  if (why.cuts.size() > kMaxCards)
    html.tag("<p class=\"warn\">",
             fmt::format("{} further kernels are not shown", why.cuts.size() - kMaxCards), "</p>");
}

}  // namespace ka::report
