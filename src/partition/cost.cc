#include "partition/cost.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ir/primitives.h"
#include "ir/recurrence.h"
#include "ir/window.h"
#include "partition/rewrite.h"

namespace ka::partition {
namespace {

using ir::DType;
using ir::Fusion;
using ir::Node;
using ir::ValueId;
using Kernel = ir::PlannedKernel;

constexpr double kTile = 128;      // side of a product's tile
constexpr double kOrderFlops = 2;  // a comparison and a choice

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// One kernel: walks from what it owns down to what lies in memory, with the number of elements that are looked at.
class Counter {
 public:
  Counter(const ir::Graph& graph, const ir::Plan& plan, const std::string& tier, const ir::Gpu& gpu) : graph_(graph), tier_(tier), gpu_(gpu) {
    for (const ir::SizeSource& size : graph.sizes) given_[size.symbol] = size.given;
    for (const Kernel& kernel : plan.kernels) kept_.insert(kernel.outputs.begin(), kernel.outputs.end());
    for (const Node& node : graph.nodes) {  // a reshape of what lies in memory is the same memory
      if (node.op == "reshape" && is_in_memory(node.inputs[0])) kept_.insert(node.outputs[0]);
    }
  }

  KernelCost count(const Kernel& kernel) {
    KernelCost out;
    std::map<ValueId, double, std::greater<>> wanted;  // an operand is numbered below what is made from it
    std::set<ValueId> own;
    for (const int number : kernel.nodes) own.insert(graph_.nodes[at(number)].outputs.begin(), graph_.nodes[at(number)].outputs.end());
    for (const ValueId value : own) wanted[value] = elements(value);
    while (!wanted.empty()) {
      const auto [value, looked] = *wanted.begin();
      wanted.erase(wanted.begin());
      const Node* node = graph_.maker(value);
      const bool computed = own.contains(value) || kernel.computed.contains(value);
      if (node == nullptr || node->op == "random" || (kept_.contains(value) && !computed)) {
        out.bytes_read += looked * size_of(value);
        continue;
      }
      if (value == node->outputs[0]) add_flops(*node, looked, out);
      for (const ValueId input : node->inputs) {
        // what is owned was counted in full; all that a node of another kind than these looks at is all of its operand
        if (own.contains(input)) continue;
        const bool local = ir::find_primitive(node->op)->fusion <= Fusion::gather;
        double& already = wanted[input];
        already = std::min(elements(input), already + (local ? std::min(looked, elements(input)) : elements(input)));
      }
    }
    for (const ValueId output : kernel.outputs) out.bytes_written += elements(output) * size_of(output);
    if (kernel.kind == ir::KernelKind::recurrence) out.launches = recurrence_launches(kernel);
    out.memory_seconds = out.bytes() / gpu_.bytes;
    out.arithmetic_seconds += out.other_flops / gpu_.peak_float32;
    out.launch_seconds = out.launches * gpu_.launch_seconds;
    return out;
  }

  double elements(ValueId value) const { return given(ir::product(graph_.shape(value))); }
  double bytes(ValueId value) const { return elements(value) * size_of(value); }

 private:
  // One for each step, unless the programs of one launch do all of them.
  double recurrence_launches(const Kernel& kernel) const {
    const Node& node = graph_.nodes[at(kernel.nodes[0])];
    const std::int64_t layers = ir::layers_of(node);
    const ir::Type& state = graph_.type(node.outputs[0]);
    const std::string& kind = ir::text_attribute(node, "kind");
    const auto size = [&](std::size_t back) { return static_cast<std::int64_t>(given(state.shape[state.shape.size() - back])); };
    const bool resident = gpu_.writes(ir::Form::persistent) && gpu_.cuda && ir::size_of(state.dtype) <= 4 &&
                          ir::recurrence_tiles(gpu_, kind == "lstm" || kind == "gru", size(2), size(1), layers);
    return resident ? 1 : given(state.shape[0]);
  }

  bool is_in_memory(ValueId value) const {
    const Node* node = graph_.maker(value);
    return node == nullptr || node->op == "random" || kept_.contains(value);
  }
  double given(const ir::Sym& sym) const { return static_cast<double>(ir::evaluate(sym, given_).value_or(1)); }
  double size_of(ValueId value) const { return static_cast<double>(ir::size_of(graph_.type(value).dtype)); }

  void add_flops(const Node& node, double looked, KernelCost& out) const {
    const ValueId first = node.inputs.empty() ? -1 : node.inputs[0];
    switch (ir::find_primitive(node.op)->fusion) {
      case Fusion::elementwise: out.other_flops += looked * ir::find_primitive(node.op)->flops; return;
      case Fusion::reduce:
      case Fusion::scan: out.other_flops += elements(first); return;
      case Fusion::contraction: add_product(node, 2 * elements(node.outputs[0]) * given(graph_.shape(first)[2]), out); return;
      case Fusion::opaque: break;
      default: return;
    }
    if (node.op == "order") out.other_flops += kOrderFlops * elements(first) * given(graph_.shape(node.outputs[0]).back());
    // each layer but the lowest multiplies what the one below has computed, too
    if (node.op == "recurrence") add_product(node, 2 * elements(first) * given(graph_.shape(node.inputs[1])[1]) * static_cast<double>(2 * ir::layers_of(node) - 1), out);
  }

  void add_product(const Node& node, double flops, KernelCost& out) const {
    const DType dtype = graph_.type(node.inputs[0]).dtype;
    double rate = gpu_.half_products;
    out.grade = ir::to_string(dtype);
    if (node.attributes.contains("grade")) {
      out.grade = ir::text_attribute(node, "grade");
      if (node.inputs.size() == 4) rate = gpu_.three_products;
      if (node.attributes.contains("phases")) flops *= ir::View(node).share();  // only taps that there are
    } else if (dtype == DType::float32) {
      const bool tf32 = ir::contraction_precision(tier_, node) == "tf32";
      rate = tf32 ? gpu_.gathered_products : gpu_.float_products;
      if (tf32) out.grade = "TF32";
    }
    out.product_flops += flops;
    out.arithmetic_seconds += flops / rate;
  }

  const ir::Graph& graph_;
  const std::string& tier_;
  const ir::Gpu& gpu_;
  std::map<std::string, std::int64_t> given_;
  std::set<ValueId> kept_;
};

std::string scaled_text(double number, const char* unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t p = 0;
  for (; number >= 1000 && p + 1 < std::size(prefixes); ++p) number /= 1000;
  return fmt::format("{:.{}f} {}{}", number, p == 0 || number >= 100 ? 0 : number >= 10 ? 1 : 2, prefixes[p], unit);
}

// How often a reader would compute an element again: once, and a product once for each tile that looks at it.
double times_looked_at(const Kernel& reader, const std::map<std::string, std::int64_t>& given) {
  if ((reader.kind != ir::KernelKind::matmul && reader.kind != ir::KernelKind::attention) || reader.domain.size() != 3) return 1;
  const auto tiles = [&](const ir::Sym& extent) { return std::ceil(static_cast<double>(ir::evaluate(extent, given).value_or(1)) / kTile); };
  return std::min(tiles(reader.domain[1]), tiles(reader.domain[2]));
}

std::string line_of(const KernelCost& kernel) {
  std::string flops = scaled_text(kernel.flops(), "flop");
  if (kernel.product_flops > 0) flops += fmt::format(" ({})", kernel.grade);
  const std::string launches = kernel.launches == 0 ? "launched with another" : fmt::format("{:.0f} launch{}", kernel.launches, kernel.launches == 1 ? "" : "es");
  return fmt::format("{} read, {} written, {}, {}: {}, bound by {}", scaled_text(kernel.bytes_read, "B"), scaled_text(kernel.bytes_written, "B"), flops, launches, time_text(kernel.seconds()),
                     kernel.bound());
}

}  // namespace

const char* KernelCost::bound() const {
  if (launch_seconds >= std::max(memory_seconds, arithmetic_seconds)) return "launch";
  return memory_seconds >= arithmetic_seconds ? "memory" : "arithmetic";
}

PlanCost cost_of(const ir::Graph& graph, const ir::Plan& plan, const std::string& tier, const ir::Gpu& gpu) {
  Counter counter(graph, plan, tier, gpu);
  PlanCost out;
  for (const Kernel& kernel : plan.kernels) {
    const KernelCost cost = counter.count(kernel);
    out.bytes += cost.bytes();
    out.flops += cost.flops();
    out.launches += cost.launches;
    out.seconds += cost.seconds();
    out.kernels.push_back(cost);
  }
  out.host_seconds = out.launches * gpu.python_launch_seconds;
  const std::vector<std::vector<int>> readers = ir::users(graph);
  for (const ir::Argument& argument : graph.arguments) {
    if (argument.value >= 0 && !readers[at(argument.value)].empty()) out.floor_bytes += counter.bytes(argument.value);
  }
  for (const ValueId output : std::set<ValueId>(graph.outputs.begin(), graph.outputs.end())) out.floor_bytes += counter.bytes(output);
  for (const ir::Update& update : graph.updates) out.floor_bytes += counter.bytes(update.buffer);
  out.floor_seconds = out.floor_bytes / gpu.bytes;
  return out;
}

void launch_together(PlanCost& cost, const std::vector<std::vector<std::size_t>>& launches, const ir::Gpu& gpu) {
  for (const std::vector<std::size_t>& launch : launches) {
    for (std::size_t m = 1; m < launch.size(); ++m) {
      KernelCost& kernel = cost.kernels[launch[m]];
      cost.launches -= kernel.launches;
      cost.seconds -= kernel.launch_seconds;
      kernel.launches = kernel.launch_seconds = 0;
    }
  }
  cost.host_seconds = cost.launches * gpu.python_launch_seconds;
}

std::string to_text(const PlanCost& cost, const ir::Gpu& gpu) {
  std::string out = fmt::format("cost on {} ({}):\n", gpu.title, gpu.source);
  for (std::size_t k = 0; k < cost.kernels.size(); ++k) out += fmt::format("kernel {}: {}\n", k, line_of(cost.kernels[k]));
  out += fmt::format("total: {} moved, {}, {:.0f} launch{}: {}; launching from Python takes {}\n", scaled_text(cost.bytes, "B"), scaled_text(cost.flops, "flop"), cost.launches,
                     cost.launches == 1 ? "" : "es", time_text(cost.seconds), time_text(cost.host_seconds));
  out += fmt::format("floor: arguments read once and results written once are {}: {}\n", scaled_text(cost.floor_bytes, "B"), time_text(cost.floor_seconds));
  return out;
}

std::vector<std::string> reasons_to_keep(const ir::Graph& graph, const ir::Plan& plan, const PlanCost& cost, const ir::Gpu& gpu) {
  std::vector<std::string> out;
  const std::string no_tier;
  Counter counter(graph, plan, no_tier, gpu);
  std::map<std::string, std::int64_t> given;
  for (const ir::SizeSource& size : graph.sizes) given[size.symbol] = size.given;
  const std::vector<std::vector<int>> users = ir::users(graph);
  const auto times_text = [](double times) { return times == 1 ? std::string("once") : fmt::format("{:.0f} times", times); };
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    int readers = 0;
    double times = 0;
    for (const Kernel& kernel : plan.kernels) {
      if (!kernel.needs.contains(static_cast<int>(k))) continue;
      ++readers;
      times += times_looked_at(kernel, given);
    }
    if (readers == 0) continue;
    double bytes = 0;
    std::string values;
    for (const ValueId output : plan.kernels[k].outputs) {
      if (users[at(output)].empty()) continue;  // a result that nobody reads
      bytes += counter.bytes(output);
      values += fmt::format("{}%{}", values.empty() ? "" : ", ", output);
    }
    const double again = std::max(cost.kernels[k].memory_seconds, cost.kernels[k].arithmetic_seconds);
    out.push_back(fmt::format("kept: {} of kernel {}: {} to write it and to read it {}, where its readers would compute it {} for {}", values, k, time_text(bytes * (1 + readers) / gpu.bytes),
                              times_text(readers), times_text(times), time_text(again * times)));
  }
  return out;
}

}  // namespace ka::partition
