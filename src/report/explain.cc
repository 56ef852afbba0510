#include "report/explain.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/strings.h"

namespace ka::report {
namespace {

WhyRoute why_route(const model::Route& route) {
  WhyRoute why{route.strategy, route.decided_by, route.rationale, route.confidence, "", {}, {}};
  for (const model::RouteRule& rule : route.rules) {
    // The first row that matches decides, where the rules were asked.
    if (rule.matched && why.decided.empty() && route.decided_by == "rules")
      why.decided = rule.name;
    else
      (rule.matched ? why.also : why.not_matched).emplace_back(rule.name, rule.reason);
  }
  return why;
}

std::vector<std::string> op_names(const model::Subgraph& subgraph) {
  std::vector<std::string> out;
  for (const model::SubgraphOp& op : subgraph.ops) out.push_back(op.op);
  return out;
}

// Which part makes a value of the program.
std::map<std::string, std::string> makers(const RunView& view) {
  std::map<std::string, std::string> out;
  for (const Part& part : view.parts) {
    for (const PartCall& call : part.calls) {
      for (const std::string& value : call.outputs) out.emplace(value, part.subgraph.id);
    }
  }
  return out;
}

std::vector<WhyCut> part_cuts(const RunView& view) {
  const std::map<std::string, std::string> maker = makers(view);
  std::vector<WhyCut> out;
  for (const Part& part : view.parts) {
    WhyCut& cut = out.emplace_back(WhyCut{part.subgraph.id,
                                          part.subgraph.type,
                                          op_names(part.subgraph),
                                          part.subgraph.count,
                                          part.subgraph.where,
                                          "",
                                          "",
                                          {},
                                          {}});
    std::set<std::string> reads;
    for (const PartCall& call : part.calls) {
      cut.results.insert(cut.results.end(), call.outputs.begin(), call.outputs.end());
      for (const std::string& value : call.inputs) {
        if (const auto found = maker.find(value); found != maker.end()) reads.insert(found->second);
      }
    }
    cut.reads.assign(reads.begin(), reads.end());
  }
  return out;
}

// "kernel 3 (softmax_kernel)": the same function may be launched for several, and refusals speak of numbers.
std::string kernel_name(const RunView& view, std::size_t k) {
  return fmt::format("kernel {}{}", view.graph.kernels[k].number,
                     view.kernel_names.empty() ? "" : fmt::format(" ({})", view.kernel_names[k]));
}

std::vector<WhyCut> kernel_cuts(const RunView& view) {
  std::vector<WhyCut> out;
  for (std::size_t k = 0; k < view.graph.kernels.size(); ++k) {
    const NotedKernel& kernel = view.graph.kernels[k];
    WhyCut& cut = out.emplace_back(
        WhyCut{kernel_name(view, k), kernel.kind, kernel.ops, 1, "", kernel.cost, kernel.kept, {}, {}});
    for (const std::string& value : kernel.outputs) {
      const auto type = view.graph.types.find(value);
      cut.results.push_back(type == view.graph.types.end() ? value
                                                           : fmt::format("{} {}", value, type->second));
    }
    for (const NotedRead& read : kernel.reads)
      cut.reads.push_back("kernel " + view.graph.kernels[read.from].number);
  }
  return out;
}

std::vector<WhyNot> why_not(const RunView& view) {
  std::vector<WhyNot> out;
  const auto add = [&](const std::string& reason, std::string what) {
    auto found =
        std::find_if(out.begin(), out.end(), [&](const WhyNot& row) { return row.reason == reason; });
    if (found == out.end()) found = out.insert(out.end(), WhyNot{reason, {}});
    found->cases.push_back(std::move(what));
  };
  for (const NotedRefusal& refusal : view.graph.refusals)
    add(refusal.reason, fmt::format("{} with kernel {}", refusal.what, refusal.kernel));
  std::stable_sort(out.begin(), out.end(),
                   [](const WhyNot& a, const WhyNot& b) { return a.cases.size() > b.cases.size(); });
  return out;
}

WhyVerdict why_verdict(const std::string& subject, const model::Verdict& verdict) {
  std::string detail = verdict.detail;
  if (verdict.worst) {
    const model::WorstElement& worst = *verdict.worst;
    detail += fmt::format("{}worst: output {} at [{}]: got {:g}, want {:g}", detail.empty() ? "" : "\n",
                          worst.output, fmt::join(worst.index, ", "), worst.got, worst.want);
  }
  return {subject, verdict.accepted, verdict.rule, verdict.reason, detail, verdict.reproduce};
}

void add_verdicts(const RunView& view, Explanation& out) {
  if (view.verdict)
    out.verdicts.push_back(
        why_verdict(view.kernel_path.empty() ? "the program" : view.kernel_path, *view.verdict));
  for (const Part& part : view.parts) {
    if (part.verdict) {
      ++out.parts_judged;
      if (part.verdict->accepted)
        ++out.parts_accepted;
      else
        out.verdicts.push_back(why_verdict(part.subgraph.id, *part.verdict));
    } else if (part.result && !part.result->success) {
      out.verdicts.push_back({part.subgraph.id, false, "", part.result->message, "", ""});
    }
  }
}

// Shares of `whole`, or of the sum where nobody knows the whole.
std::vector<TimeShare> shares(const std::map<std::string, double>& times, double whole) {
  std::vector<TimeShare> out;
  double sum = 0;
  for (const auto& [name, seconds] : times) {
    if (!std::isfinite(seconds) || seconds <= 0) continue;
    out.push_back({name, seconds, 0});
    sum += seconds;
  }
  if (!(whole > 0)) whole = sum;
  for (TimeShare& row : out) row.share = std::min(1.0, row.seconds / whole);
  std::stable_sort(out.begin(), out.end(),
                   [](const TimeShare& a, const TimeShare& b) { return a.seconds > b.seconds; });
  return out;
}

void add_times(const RunView& view, Explanation& out) {
  std::map<std::string, double> times = view.times;
  double sum = 0;
  for (const auto& [name, seconds] : times) sum += seconds;
  const double whole = view.row.seconds.value_or(0);
  constexpr double kWorthSaying = 0.02;
  if (whole - sum > kWorthSaying * whole) times["everything else"] = whole - sum;
  out.times = shares(times, std::max(whole, sum));  // steps may have run side by side
  if (view.verdict) {
    std::map<std::string, double> inside = view.verdict->times;
    const double total = inside.contains("total") ? inside["total"] : 0;
    inside.erase("total");
    out.judge_times = shares(inside, total);
  }
  std::map<std::string, double> parts;
  for (const Part& part : view.parts) {
    if (part.seconds) parts[part.subgraph.id] = *part.seconds;
  }
  out.part_times = shares(parts, 0);
}

}  // namespace

Explanation explain(const RunView& view) {
  Explanation out;
  if (view.route) out.route = why_route(*view.route);
  out.cuts = view.parts.empty() ? kernel_cuts(view) : part_cuts(view);
  out.refusals = why_not(view);
  add_verdicts(view, out);
  add_times(view, out);
  return out;
}

std::string ops_text(const std::vector<std::string>& ops, std::size_t width) {
  std::string out;
  std::vector<std::string> seen;
  for (const std::string& op : ops) {
    if (std::find(seen.begin(), seen.end(), op) != seen.end()) continue;
    seen.push_back(op);
    if (!out.empty() && out.size() + op.size() > width) {
      out += ", ...";
      break;
    }
    out += (out.empty() ? "" : ", ") + op;
  }
  if (ops.size() > seen.size() || out.ends_with("...")) out += fmt::format(" ({} operations)", ops.size());
  return out;
}

}  // namespace ka::report
