// Python texts that every file written from a graph needs, whether it calls kernels or PyTorch.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace ka::ir {

// Words that cannot be names.
std::span<const char* const> python_keywords();
// "layers.0.scale" -> "layers_0_scale"
std::string python_name(const std::string& name);
// 'text', with what would end or break it escaped.
std::string quoted(std::string_view text);
// "aten.linear.default" -> "linear"
std::string short_name(const std::string& origin);
// "(n, 4)", "(n,)"
std::string tuple_text(const std::vector<Sym>& list);
// "torch.float32"
std::string torch_type(DType dtype);
// The value of a size, where the argument that has it goes by this name.
std::string value_text(const SizeSource& size, const std::string& argument);
// What is returned, as Python: the parts in the place of the tensors of the structure (Graph::structure).
std::string packed_text(const std::string& structure, const std::vector<std::string>& parts);
// The call of PyTorch that draws a random value.
std::string draw_text(const Graph& graph, ValueId value, const std::string& device);

}  // namespace ka::ir
