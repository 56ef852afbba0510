#include "synth/codegen/module.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "ir/primitives.h"
#include "ir/python_text.h"
#include "synth/codegen/family.h"
#include "synth/codegen/group.h"
#include "synth/codegen/prelude.h"
#include "synth/codegen/share.h"
#include "synth/codegen/sums.h"

namespace ka::codegen {
namespace {

using ir::ValueId;
using Kernel = ir::PlannedKernel;
using ir::KernelKind;

constexpr std::size_t kFewKernels = 2;

// "x_3" is an "x": a kernel numbers what it reads itself, in the order in which it does.
std::string without_number(const std::string& name) {
  const std::size_t cut = name.find_last_not_of("0123456789");
  return cut == std::string::npos || cut == 0 || name[cut] != '_' || cut + 1 == name.size() ? name : name.substr(0, cut);
}

// Groups that are launched by the same function.
struct GroupKey {
  std::size_t kernel, members;
  std::vector<bool> shared;
  auto operator<=>(const GroupKey&) const = default;
};

class ModuleWriter {
 public:
  ModuleWriter(const ir::Graph& graph, const ir::Plan& plan, const GenerateOptions& options)
      : graph_(graph), plan_(plan), options_(options) {}

  Result<KernelFile> run() {
    name_values();
    for (const ir::SizeSource& size : graph_.sizes) given_[size.symbol] = size.given;
    KA_TRY(emit_kernels());
    Source out;
    header(out);
    for (std::size_t k = 0; k < emitted_.size(); ++k) {
      if (same_[k] != k) continue;
      out.line("");
      out.line("");
      append(out, emitted_[k].text);
      for (const auto& [key, name] : groups_) {
        if (key.kernel != k) continue;
        out.line("");
        out.line("");
        append(out, group_text(emitted_[k], name, key.shared, key.members));
      }
    }
    out.line("");
    out.line("");
    wrapper(out);
    KernelFile file{out.text(), kernel_names_, launches_, {}, inputs_, {}};
    for (const EmittedKernel& kernel : emitted_) file.programs.push_back(kernel.programs);
    for (const ir::Argument& argument : graph_.arguments) {
      const bool weight = argument.kind == ir::ArgumentKind::parameter || argument.kind == ir::ArgumentKind::buffer;
      if (weight && is_used(argument.value)) file.weights.push_back({argument.name, buffers_.at(argument.value).name, argument.kind == ir::ArgumentKind::buffer});
    }
    return file;
  }

 private:
  static void append(Source& out, const std::string& text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      out.line(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
  }

  // A value that is a reshape of another has that one's memory.
  ValueId root(ValueId value) const {
    const ir::Node* node = graph_.maker(value);
    return node != nullptr && node->op == "reshape" && !stored_.contains(value) ? root(node->inputs[0]) : value;
  }

  void name_values() {
    for (const ir::SizeSource& size : graph_.sizes) names_.reserve(size.symbol);
    for (const char* name : {"step", "device", "keep", "arrived", "partials", "blocks_of"}) names_.reserve(name);
    for (const ir::Argument& argument : graph_.arguments) {
      if (argument.value < 0) continue;
      const std::string name = names_.unique(argument.keyword);
      buffers_[argument.value] = {name, role(argument), graph_.type(argument.value).dtype, graph_.shape(argument.value)};
    }
    for (const ValueId value : plan_.randoms)
      buffers_[value] = {names_.unique("drawn"), "drawn", graph_.type(value).dtype, graph_.shape(value)};
    for (const Kernel& kernel : plan_.kernels) {
      for (const ValueId output : kernel.outputs) {
        if (const std::optional<ValueId> buffer = updated_by(output)) {
          buffers_[output] = buffers_.at(*buffer);
          in_place_.insert(output);
          continue;
        }
        const std::string wish = ir::short_name(graph_.maker(output)->origin);
        buffers_[output] = {names_.unique(wish), "x", graph_.type(output).dtype, graph_.shape(output)};
        stored_.insert(output);
      }
    }
    // reshapes of what lies in memory lie there too
    for (const ir::Node& node : graph_.nodes) {
      if (node.op != "reshape" || buffers_.contains(node.outputs[0])) continue;
      const auto found = buffers_.find(node.inputs[0]);
      if (found != buffers_.end()) buffers_[node.outputs[0]] = {found->second.name, found->second.role, found->second.dtype, graph_.shape(node.outputs[0])};
    }
  }

  // The buffer that a kernel may overwrite with this value: its old elements are read for the new ones alone, each for its own.
  std::optional<ValueId> updated_by(ValueId value) const {
    const auto found = std::find_if(graph_.updates.begin(), graph_.updates.end(), [&](const ir::Update& u) { return u.value == value; });
    if (found == graph_.updates.end() || std::find(graph_.outputs.begin(), graph_.outputs.end(), value) != graph_.outputs.end()) return std::nullopt;
    const ir::Type& type = graph_.type(found->buffer);
    if (std::count_if(graph_.updates.begin(), graph_.updates.end(), [&](const ir::Update& u) { return u.value == value || u.buffer == found->buffer; }) != 1)
      return std::nullopt;
    // who computes it again would read what has been overwritten
    if (std::any_of(plan_.kernels.begin(), plan_.kernels.end(), [&](const Kernel& kernel) { return kernel.computed.contains(value); })) return std::nullopt;
    for (ValueId at = found->buffer; at != value;) {
      const ir::Node* reader = nullptr;
      for (const ir::Node& node : graph_.nodes) {
        if (std::find(node.inputs.begin(), node.inputs.end(), at) == node.inputs.end()) continue;
        if (reader != nullptr) return std::nullopt;
        reader = &node;
      }
      if (reader == nullptr || ir::find_primitive(reader->op)->fusion != ir::Fusion::elementwise) return std::nullopt;
      at = reader->outputs[0];
      if (graph_.shape(at) != type.shape) return std::nullopt;
    }
    return graph_.type(value).dtype == type.dtype ? std::optional(found->buffer) : std::nullopt;
  }

  // Inside a kernel a weight is what its layer calls it: "weight", not "layer4_0_conv1_weight".
  static std::string role(const ir::Argument& argument) {
    if (argument.kind == ir::ArgumentKind::input) return without_number(argument.keyword);
    if (argument.kind == ir::ArgumentKind::constant) return "table";
    const std::string last = argument.name.substr(argument.name.find_last_of('.') + 1);
    const bool numbered = last.empty() || std::isdigit(static_cast<unsigned char>(last[0])) != 0;
    return numbered || !argument.keyword.ends_with(last) ? "weight" : without_number(last);
  }

  std::string precision_of(const Kernel& kernel) const {
    return kernel.nodes.empty() ? "ieee" : ir::contraction_precision(options_.precision, graph_.nodes[static_cast<std::size_t>(kernel.nodes[0])]);
  }

  std::string kernel_name(const Kernel& kernel) const {
    std::vector<std::string> parts;
    for (const int number : kernel.nodes) {
      const std::string part = ir::short_name(graph_.nodes[static_cast<std::size_t>(number)].origin);
      if (parts.empty() || std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    }
    if (parts.size() > 4) parts = {parts[0], parts[1], parts[2], "etc"};
    return fmt::format("{}_kernel", fmt::join(parts, "_"));
  }

  Status emit_kernels() {
    for (const Kernel& kernel : plan_.kernels) {
      if (kernel.kind == KernelKind::opaque) {
        missing(graph_.nodes[static_cast<std::size_t>(kernel.nodes[0])]);
        continue;
      }
      emitted_.push_back(emit_with_sums({graph_, kernel, buffers_, given_, kernel_name(kernel), precision_of(kernel), options_.gpu}, sums_, names_));
      uses_libdevice_ = uses_libdevice_ || emitted_.back().uses_libdevice;
    }
    same_ = share_kernels(emitted_, names_);
    for (const EmittedKernel& kernel : emitted_) {
      kernel_names_.push_back(kernel.name);
      used_.insert(kernel.pointers.begin(), kernel.pointers.end());
    }
    if (missing_.empty()) {
      group();
      return ok();
    }
    std::string rest;
    for (std::size_t k = 0, written = 0; k < plan_.kernels.size(); ++k) {
      if (plan_.kernels[k].kind == KernelKind::opaque) continue;
      rest += fmt::format("{}{} ({})", rest.empty() ? "" : ", ", kernel_names_[written++], about(plan_.kernels[k]));
    }
    return unsupported(fmt::format("{}; {}", fmt::join(missing_, "; "),
                                   rest.empty() ? "nothing else needs a kernel" : "kernels for the rest can be written: " + rest));
  }

  // Launches side by side, and the functions that choose between their members.
  void group() {
    std::map<std::string, ir::DType> types;
    for (const auto& [value, buffer] : buffers_) types[buffer.name] = buffer.dtype;
    launches_ = group_launches(emitted_, same_, plan_, types, options_.gpu);
    for (const Launch& launch : launches_) {
      if (launch.size() == 1) continue;
      const GroupKey key = key_of(launch);
      if (!groups_.contains(key)) groups_[key] = names_.unique(fmt::format("{}_x{}", emitted_[key.kernel].name, key.members));
    }
  }

  GroupKey key_of(const Launch& launch) const { return {same_[launch[0]], launch.size(), shared_pointers(emitted_, launch)}; }

  // Named once, however often the program has it.
  void missing(const ir::Node& node) {
    const std::string reason = node.op == "unknown" ? ir::text_attribute(node, "reason") : fmt::format("there is no kernel family for {} yet", node.op);
    const std::string text = fmt::format("{}{}: {}", node.where.empty() ? "" : node.where + ": ", node.origin, reason);
    if (std::find(missing_.begin(), missing_.end(), text) == missing_.end()) missing_.push_back(text);
  }

  void header(Source& out) {
    out.line(fmt::format("\"\"\"{}", options_.title));
    out.line("");
    for (std::size_t k = 0, number = 0; k < plan_.kernels.size(); ++k) {
      if (same_[k] == k) out.line(fmt::format("{}. {}{}: {}{}{}", ++number, kernel_names_[k], launches(k), about(plan_.kernels[k]), emitted_[k].remark.empty() ? "" : ", ", emitted_[k].remark));
    }
    out.line("");
    out.line(fmt::format("Written by kernelagent {}.", options_.version));
    out.line("\"\"\"");
    out.line("");
    out.line("import torch");
    out.line("import triton");
    out.line("import triton.language as tl");
    for (const std::string& line : options_.imports) out.line(line);
    if (uses_libdevice_) out.line("from triton.language.extra import libdevice");
    const bool fetches = std::any_of(emitted_.begin(), emitted_.end(), [](const EmittedKernel& kernel) { return !kernel.blocks.empty(); });
    if (fetches) out.line("from triton.tools.tensor_descriptor import TensorDescriptor");
    std::string all = in_place_.size() == graph_.updates.size() ? "" : " keep(";
    if (fetches) all += " blocks_of(";
    for (std::size_t k = 0; k < emitted_.size(); ++k) all += (same_[k] == k ? emitted_[k].text : "") + emitted_[k].grid;
    for (const std::string_view text : shared_functions(std::move(all))) {
      out.line("");
      out.line("");
      append(out, std::string(text));
    }
  }

  std::string launches(std::size_t k) const {
    const auto all = std::count(same_.begin(), same_.end(), k);
    const auto times = std::count_if(launches_.begin(), launches_.end(), [&](const Launch& launch) { return same_[launch[0]] == k; });
    if (all == times) return times == 1 ? "" : fmt::format(" ({} launches)", times);
    return times == 1 ? fmt::format(" ({} side by side)", all) : fmt::format(" ({} in {} launches)", all, times);
  }

  std::string about(const Kernel& kernel) const {
    std::vector<std::string> parts;
    for (const int number : kernel.nodes) {
      const std::string part = ir::short_name(graph_.nodes[static_cast<std::size_t>(number)].origin);
      if (parts.empty() || parts.back() != part) parts.push_back(part);
    }
    const bool multiplies = kernel.kind == KernelKind::matmul || kernel.kind == KernelKind::attention || kernel.kind == KernelKind::recurrence;
    const ir::Node* first = kernel.nodes.empty() ? nullptr : &graph_.nodes[static_cast<std::size_t>(kernel.nodes[0])];
    const std::string grade = first != nullptr && first->attributes.contains("grade") ? ir::text_attribute(*first, "grade") : precision_of(kernel);
    const std::string precision = multiplies ? fmt::format(" ({} products)", grade) : "";
    return fmt::format("{} over {}{}", fmt::join(parts, ", "), ir::tuple_text(kernel.domain), precision);
  }

  void wrapper(Source& out) {
    std::vector<std::string> inputs, weights;
    for (const ir::Argument& argument : graph_.arguments) {
      if (argument.kind == ir::ArgumentKind::input) inputs.push_back(argument.value < 0 ? names_.unique(argument.keyword) : buffers_.at(argument.value).name);
      else if (argument.kind != ir::ArgumentKind::constant && is_used(argument.value)) weights.push_back(buffers_.at(argument.value).name);
    }
    inputs_ = inputs;
    std::string parameters = fmt::format("{}", fmt::join(inputs, ", "));
    if (!weights.empty()) parameters += fmt::format("{}*, {}", parameters.empty() ? "" : ", ", fmt::join(weights, ", "));
    out.line(fmt::format("def {}({}):", options_.entry, parameters));
    out.indent();
    sizes(out);
    check_shapes(out);
    for (const ir::Argument& argument : graph_.arguments) {
      if (argument.value < 0 || argument.kind == ir::ArgumentKind::constant || !is_used(argument.value) || is_updated(argument.value)) continue;
      const std::string& name = buffers_.at(argument.value).name;
      if (!graph_.shape(argument.value).empty()) out.line(fmt::format("{0} = {0}.contiguous()", name));
    }
    const std::string elsewhere = fmt::format("\"{}\"", options_.platform);  // where nothing that is given tells
    device_ = elsewhere;
    for (const ir::Argument& argument : graph_.arguments) {
      const bool here = argument.value >= 0 && argument.kind != ir::ArgumentKind::constant && is_used(argument.value);
      if (here && device_ == elsewhere) device_ = buffers_.at(argument.value).name + ".device";
    }
    if (plan_.kernels.size() > kFewKernels) {
      out.line(fmt::format("device = {}", device_));
      device_ = "device";
    }
    constants(out);
    for (const ValueId value : plan_.randoms) out.line(fmt::format("{} = {}", buffers_.at(value).name, ir::draw_text(graph_, value, device_)));
    for (const Launch& one : launches_) launch(out, one);
    updates(out);
    results(out);
    out.dedent();
  }

  bool is_used(ValueId value) const {
    if (used_.contains(buffers_.at(value).name)) return true;
    for (const ir::SizeSource& size : graph_.sizes) {
      if (size.argument == value) return true;
    }
    return is_updated(value) || std::find_if(graph_.outputs.begin(), graph_.outputs.end(), [&](ValueId o) { return root(o) == value; }) != graph_.outputs.end();
  }

  bool is_updated(ValueId value) const {
    return std::any_of(graph_.updates.begin(), graph_.updates.end(), [&](const ir::Update& u) { return u.buffer == value; });
  }

  void sizes(Source& out) {
    for (const ir::SizeSource& size : graph_.sizes)
      out.line(fmt::format("{} = {}", size.symbol, ir::value_text(size, size.argument < 0 ? "" : buffers_.at(size.argument).name)));
    for (const NamedSum& sum : sums_) {
      const bool used = std::any_of(emitted_.begin(), emitted_.end(), [&](const EmittedKernel& kernel) {
        return std::find(kernel.sizes.begin(), kernel.sizes.end(), sum.name) != kernel.sizes.end();
      });
      if (used) out.line(fmt::format("{} = {}", sum.name, sum.sum.text()));
    }
  }

  // An input whose extents are not all taken from it must fit the others: a kernel would read beyond its end where it does not.
  void check_shapes(Source& out) {
    for (const ir::Argument& argument : graph_.arguments) {
      if (argument.kind != ir::ArgumentKind::input || argument.value < 0 || !is_used(argument.value)) continue;
      const ir::Shape& shape = graph_.shape(argument.value);
      bool told = true;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        told = told && std::any_of(graph_.sizes.begin(), graph_.sizes.end(), [&](const ir::SizeSource& size) {
          return size.argument == argument.value && size.dim == static_cast<int>(d) && size.per_square == 0 && shape[d] == ir::Sym::size(size.symbol);
        });
      }
      if (told) continue;
      const std::string& name = buffers_.at(argument.value).name;
      const std::string wanted = ir::tuple_text(shape);
      out.line(fmt::format("if {}.shape != {}:", name, wanted));
      out.line(fmt::format("    raise ValueError(f\"{0} is {{tuple({0}.shape)}}, where {{{1}}} was expected\")", name, wanted));
    }
  }

  void constants(Source& out) {
    for (const ir::Argument& argument : graph_.arguments) {
      if (argument.kind != ir::ArgumentKind::constant || !is_used(argument.value)) continue;
      std::string list;
      const ir::DType dtype = graph_.type(argument.value).dtype;
      for (const double value : argument.data) list += (list.empty() ? "" : ", ") + literal_text(value, dtype);
      out.line(fmt::format("{} = torch.tensor([{}], dtype={}, device={}).reshape({})", buffers_.at(argument.value).name, list, ir::torch_type(dtype),
                           device_, ir::tuple_text(graph_.shape(argument.value))));
    }
  }

  void launch(Source& out, const Launch& launch) {
    EmittedKernel kernel = group_launch(emitted_, launch, launch.size() == 1 ? "" : groups_.at(key_of(launch)));
    for (const std::size_t k : launch) {
      for (const ValueId output : plan_.kernels[k].outputs) {
        if (in_place_.contains(output)) continue;
        const Buffer& buffer = buffers_.at(output);
        out.line(fmt::format("{} = torch.empty({}, dtype={}, device={})", buffer.name, ir::tuple_text(buffer.shape), ir::torch_type(buffer.dtype), device_));
      }
    }
    if (!kernel.counters.empty()) out.line(fmt::format("arrived = torch.zeros(({},), dtype=torch.int32, device={})", kernel.counters, device_));
    if (!kernel.partials.empty()) out.line(fmt::format("partials = torch.empty(({},), dtype=torch.float32, device={})", kernel.partials, device_));
    if (!kernel.blocks.empty()) descriptors(out, kernel);
    std::vector<std::string> arguments = kernel.pointers;
    if (!kernel.loop.empty()) {
      arguments.push_back(kernel.loop);
      out.line(fmt::format("for {} in range({}):", kernel.loop, kernel.loop_count));
      out.indent();
    }
    arguments.insert(arguments.end(), kernel.sizes.begin(), kernel.sizes.end());
    for (const Blocks& blocks : kernel.blocks) arguments.push_back(blocks.name);
    for (const auto& [name, value] : kernel.constants) arguments.push_back(fmt::format("{}={}", name, value));
    arguments.push_back(fmt::format("num_warps={}", kernel.num_warps));
    arguments.push_back(fmt::format("num_stages={}", kernel.num_stages));
    if (kernel.registers > 0) arguments.push_back(fmt::format("maxnreg={}", kernel.registers));
    if (!kernel.counters.empty()) arguments.push_back("launch_cooperative_grid=True");
    out.line(fmt::format("{}[{}](", kernel.name, kernel.grid));
    out.line(fmt::format("    {},", fmt::join(arguments, ", ")));
    out.line(")");
    if (!kernel.loop.empty()) out.dedent();
  }

  // A block is as large as the kernel takes it to be: the number stands in one place, under a name that the grid and the launch have too.
  void descriptors(Source& out, EmittedKernel& kernel) {
    const auto replace = [](std::string& text, const std::string& hole, const std::string& name) {
      for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at + name.size())) text.replace(at, hole.size(), name);
    };
    for (auto& [constant, value] : kernel.constants) {
      const std::string hole = fmt::format("{{{}}}", constant);
      const auto has_it = [&](const Blocks& blocks) { return blocks.text.find(hole) != std::string::npos; };
      if (std::none_of(kernel.blocks.begin(), kernel.blocks.end(), has_it)) continue;
      const std::string name = names_.unique(fmt::format("block_{}", static_cast<char>(std::tolower(static_cast<unsigned char>(constant.back())))));
      out.line(fmt::format("{} = {}", name, value));
      value = name;
      replace(kernel.grid, hole, name);
      for (Blocks& blocks : kernel.blocks) replace(blocks.text, hole, name);
    }
    std::vector<std::string> names, matrices;
    for (Blocks& blocks : kernel.blocks) {
      blocks.name = names_.unique(blocks.buffer + "_blocks");
      names.push_back(blocks.name);
      matrices.push_back(fmt::format("({}, {})", blocks.buffer, blocks.text));
    }
    out.line(fmt::format("{} = blocks_of(", fmt::join(names, ", ")));
    for (const std::string& matrix : matrices) out.line(fmt::format("    {},", matrix));
    out.line(")");
  }

  // Buffers that the program changes, at the end: until then kernels may read the old values.
  void updates(Source& out) {
    for (const ir::Update& update : graph_.updates) {
      if (in_place_.contains(update.value)) continue;
      const std::string& from = buffers_.at(update.value).name;
      const std::string& to = buffers_.at(update.buffer).name;
      out.line(fmt::format("keep({}, {})", from, to));
    }
  }

  void results(Source& out) {
    std::vector<std::string> parts;
    for (const ValueId output : graph_.outputs) {
      const Buffer& buffer = buffers_.at(output);
      const bool reshaped = graph_.shape(root(output)) != graph_.shape(output);
      parts.push_back(reshaped ? fmt::format("{}.reshape({})", buffer.name, ir::tuple_text(graph_.shape(output))) : buffer.name);
    }
    out.line("return " + ir::packed_text(graph_.structure, parts));
  }

  const ir::Graph& graph_;
  const ir::Plan& plan_;
  const GenerateOptions& options_;
  std::map<ValueId, Buffer> buffers_;
  std::set<ValueId> stored_;
  std::set<ValueId> in_place_;  // written where the buffer lies that they replace
  std::map<std::string, std::int64_t> given_;
  std::vector<NamedSum> sums_;  // that some kernel could take as one number
  std::vector<EmittedKernel> emitted_;
  std::vector<std::size_t> same_;  // by launch: the first one that has the same kernel
  std::vector<Launch> launches_;   // in order
  std::map<GroupKey, std::string> groups_;  // names of the functions that choose between members
  std::set<std::string> used_;     // buffers that some kernel reads or writes
  std::vector<std::string> kernel_names_;
  std::vector<std::string> missing_;  // operators that no family computes, with their places
  std::vector<std::string> inputs_;
  std::string device_;
  Source names_;
  bool uses_libdevice_ = false;
};

}  // namespace

Result<KernelFile> write_module(const ir::Graph& graph, const ir::Plan& plan, const GenerateOptions& options) {
  return ModuleWriter(graph, plan, options).run();
}

}  // namespace ka::codegen
