// Entries of subgraphs.json that nobody exported: what PyTorch would refuse is refused by a sentence, whatever it is.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "graph/fragment.h"
#include "graph/import.h"

namespace ka::graph {
namespace {

// One operator: tensors a, b, c of these shapes, its arguments (operands by name, parameters), and the shape of its result.
struct OneOperator {
  const char *op, *shapes, *operands, *parameters, *result;
  const char* says;  // of the refusal; empty: it is in order
};

model::Subgraph subgraph_of(const OneOperator& row) {
  model::Subgraph out;
  out.id = "part";
  const Json shapes = parse_json(row.shapes, "shapes").value(), operands = parse_json(row.operands, "operands").value(), parameters = parse_json(row.parameters, "parameters").value();
  for (std::size_t i = 0; i < shapes.size(); ++i)
    out.inputs.push_back({std::string(1, static_cast<char>('a' + i)), ir::DType::float32, shapes[i].get<std::vector<std::int64_t>>(), std::nullopt, {}});
  model::SubgraphOp op{row.op, "y", "p.py:3", {}, {}, {}, {}};
  for (const auto& [name, value] : operands.items()) op.operands[name] = {to_json_text(value)};
  for (const auto& [name, value] : parameters.items()) op.parameters[name] = {to_json_text(value)};
  const std::vector<std::int64_t> shape = parse_json(row.result, "result").value().get<std::vector<std::int64_t>>();
  op.results = {{to_json_text({{"dtype", "float32"}, {"shape", shape}, {"strides", std::vector<std::int64_t>(shape.size(), 1)}})}};
  out.ops = {op};
  out.outputs = {{"y", ir::DType::float32, shape, std::nullopt, {}}};
  return out;
}

constexpr const char* kConv = R"({"bias": null, "stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 1})";
constexpr const char* kImage = R"({"input": "a", "weight": "b"})";
constexpr const char* kSelf = R"({"self": "a"})";

const OneOperator kRows[] = {
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 3, 3, 3]]", kImage, kConv, "[1, 4, 6, 6]", ""},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4]]", kImage, kConv, "[1, 4, 6, 6]", "w needs at least 3 dimensions"},
    {"aten.conv2d.default", "[[3, 8], [4, 3, 3, 3]]", kImage, kConv, "[1, 4, 6, 6]", "x has another number of dimensions than w needs"},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 5, 3, 3]]", kImage, kConv, "[1, 4, 6, 6]", "aten.conv2d.default, p.py:3): element 4 of dimension 1 is read, which has 3"},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 3, 3, 3]]", kImage, R"({"bias": null, "stride": [0, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 1})", "[1, 4, 6, 6]", "stride is 0, and must be positive"},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 3, 3, 3]]", kImage, R"({"bias": null, "stride": [1, 1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 1})", "[1, 4, 6, 6]", "stride has 3 numbers, not 2"},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 3, 3, 3]]", kImage, R"({"bias": null, "stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 0})", "[1, 4, 6, 6]", "groups is 0, and must be positive"},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 3, 3, 3]]", kImage, R"({"bias": null, "stride": [1, 1], "padding": [0, 0], "dilation": [4611686018427387904, 1], "groups": 1})", "[1, 4, 6, 6]", "a number is too large"},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 3, 3, 3]]", kImage, R"({"stride": [1, 1]})", "[1, 4, 6, 6]", "there is no operand \"bias\""},
    {"aten.conv2d.default", "[[1, 3, 8, 8], [4, 3, 3, 3]]", kImage, kConv, "[1, 4, 5, 6]", "result 0 should have the shape [1, 4, 5, 6]"},
    {"aten.linear.default", "[[8, 4], []]", kImage, R"({"bias": null})", "[8, 4]", "y needs at least 1 dimension"},
    {"aten.linear.default", "[[8, 4], [3, 5]]", kImage, R"({"bias": null})", "[8, 3]", "a shape with another number of elements"},
    {"aten.permute.default", "[[2, 3]]", kSelf, R"({"dims": [1, 1]})", "[3, 2]", "does not name each of them once"},
    {"aten.permute.default", "[[2, 3]]", kSelf, R"({"dims": [0]})", "[3, 2]", "does not name each of them once"},
    {"aten.permute.default", "[[2, 3]]", kSelf, R"({"dims": [0, -3]})", "[3, 2]", "dims = -3 is out of range"},
    {"aten.permute.default", "[[2, 3]]", kSelf, R"({"dims": "no"})", "[3, 2]", "dims is no, not a list of integers"},
    {"aten.permute.default", "[[2, 3]]", kSelf, R"({"dims": [0.5, 1]})", "[3, 2]", "dims holds 0.5, not an integer"},
    {"aten.cat.default", "[[2, 3]]", R"({"tensors": []})", R"({"dim": 0})", "[2, 3]", "there is nothing to join"},
    {"aten.cat.default", "[[2, 3], [2]]", R"({"tensors": ["a", "b"]})", R"({"dim": 0})", "[4, 3]", "different ranks"},
    {"aten.add.Tensor", "[[2, 3], [4]]", R"({"self": "a", "other": "b"})", R"({"alpha": 1})", "[2, 3]", "cannot be broadcast"},
    {"aten.add.Tensor", "[[2, 3]]", kSelf, R"({"alpha": 1})", "[2, 3]", "there is no operand \"other\""},
    {"aten.sum.dim_IntList", "[[2, 3]]", kSelf, R"({"dim": [1, 1], "keepdim": true, "dtype": null})", "[2, 1]", "a dimension is named twice"},
    {"aten.unbind.int", "[[1099511627776]]", kSelf, R"({"dim": 0})", "[]", "it has too many pieces"},
    {"aten.chunk.default", "[[8]]", kSelf, R"({"chunks": 4611686018427387904, "dim": 0})", "[8]", "there are too many chunks"},
    {"aten.unfold.default", "[[8]]", kSelf, R"({"dimension": 0, "size": 2, "step": 0})", "[4, 2]", "step is 0, and must be positive"},
    {"aten.max_pool2d.default", "[[8]]", kSelf, R"({"kernel_size": [2, 2], "stride": [2, 2], "padding": [0, 0], "dilation": [1, 1], "ceil_mode": false})", "[4]", "size has other dimensions than x"},
    {"aten.select.int", "[[]]", kSelf, R"({"dim": 0, "index": 0})", "[]", "x needs at least 1 dimension"},
    {"aten.flatten.using_ints", "[[2, 3, 4]]", kSelf, R"({"start_dim": 2, "end_dim": 0})", "[24]", "start comes after end"},
    {"aten.arange.start_step", "[]", "{}", R"({"start": 0, "end": 1e300, "step": 0.5, "dtype": null})", "[8]", "does not follow from start"},
    {"aten.relu.default", "[[4503599627370496, 2]]", kSelf, "{}", "[2]", "is too large"},
    {"aten.relu.default", "[[2, 3]]", kSelf, "{}", "[9223372036854775807]", "a size of 9223372036854775807 is too large"},
};

TEST(Fragment, WhatPyTorchWouldRefuseIsRefusedByASentence) {
  for (const OneOperator& row : kRows) {
    const model::Subgraph subgraph = subgraph_of(row);
    ASSERT_TRUE(model::check_subgraph(subgraph)) << row.op;
    const Result<Exported> exported = exported_of(subgraph);
    const Result<Imported> imported = exported ? import_program(*exported) : Result<Imported>(exported.error());
    if (std::string_view(row.says).empty()) {
      EXPECT_TRUE(imported) << imported.error().message;
      continue;
    }
    ASSERT_FALSE(imported) << row.op << " " << row.parameters;
    EXPECT_NE(imported.error().message.find(row.says), std::string::npos) << row.op << " " << row.parameters << ": " << imported.error().message;
    EXPECT_EQ(imported.error().kind, ErrorKind::invalid_input) << imported.error().message;
  }
}

TEST(Fragment, ADtypeThatIsNoneIsNamed) {
  const Result<Exported> exported = exported_of(subgraph_of({"aten.relu.default", "[[2, 3]]", kSelf, R"({"x": {"dtype": "float99"}})", "[2, 3]", ""}));
  ASSERT_FALSE(exported);
  EXPECT_NE(exported.error().message.find("p.py:3: aten.relu.default: x: float99 is not supported"), std::string::npos) << exported.error().message;
}

TEST(Fragment, AnOperatorThatIsNotKnownIsNoFaultOfTheFile) {
  model::Subgraph subgraph = subgraph_of({"aten.fft_fft.default", "[[2, 3]]", kSelf, "{}", "[2, 3]", ""});
  const Result<Imported> imported = import_program(exported_of(subgraph).value());
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->graph.nodes.back().op, "unknown");
}

TEST(Fragment, TextsOfAFileAreTextsInPython) {
  model::Subgraph subgraph = subgraph_of({"aten.gelu.default", "[[2, 3]]", kSelf, R"({"approximate": "none'\n\\"})", "[2, 3]", ""});
  const Result<Imported> imported = import_program(exported_of(subgraph).value());
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->operators[0].operands[0], (std::pair<std::string, std::string>("approximate", R"('none\'\x0a\\')")));
}

TEST(Fragment, AConstantHasAValuePerElement) {
  model::Subgraph subgraph = subgraph_of({"aten.relu.default", "[[2, 3]]", kSelf, "{}", "[2, 3]", ""});
  subgraph.weights = {{"w", ir::DType::float32, {2, 2}, std::nullopt, {}}};
  subgraph.weights[0].role = "constant";
  subgraph.weights[0].data = std::vector<double>{1, 2, 3};
  EXPECT_EQ(exported_of(subgraph).error().message, "w: the tensor w has 4 elements and values for 3");
  subgraph.weights[0].data = std::vector<double>{1, 1, 1};
  EXPECT_EQ(exported_of(subgraph).error().message, "w: the tensor w has 4 elements and values for 3");
}

TEST(Fragment, AConstantThatIsTheSameEverywhereIsSoAtOtherSizes) {
  model::Subgraph subgraph = subgraph_of({"aten.relu.default", "[[2, 3]]", kSelf, "{}", "[2, 3]", ""});
  subgraph.weights = {{"w", ir::DType::float32, {2, 2}, std::nullopt, {}}};
  subgraph.weights[0].role = "constant";
  subgraph.weights[0].data = std::vector<double>{7, 7, 7, 7};
  subgraph.samples = {{{}, {"[4, 3, 4, 3, 1, 1, 2, 5]"}, {}}};
  const Result<Exported> exported = exported_of(subgraph);
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_EQ(exported->samples[0].arguments[1].data, std::vector<double>(4, 7));
  EXPECT_EQ(exported->samples[1].arguments[1].data, std::vector<double>(10, 7));
  subgraph.weights[0].data = std::vector<double>{7, 7, 7, 8};
  EXPECT_EQ(exported_of(subgraph).error().message, "w: the tensor w has 10 elements and values for 4");
}

}  // namespace
}  // namespace ka::graph
