#include "model/subgraph.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ka::model {
namespace {

TensorType tensor(const char* name, std::vector<std::int64_t> shape) {
  return {name, ir::DType::float32, std::move(shape), std::nullopt, {}};
}

// y = relu(linear(x, w)), with names that differ from block to block.
Subgraph block(const std::string& prefix) {
  Subgraph subgraph;
  subgraph.id = prefix;
  subgraph.where = prefix;
  subgraph.inputs = {tensor((prefix + "x").c_str(), {8, 16})};
  subgraph.weights = {tensor((prefix + "w").c_str(), {32, 16})};
  subgraph.ops = {{"linear", prefix + "h", {prefix + "x", prefix + "w"}, {}, {}},
                  {"leaky_relu", prefix + "y", {prefix + "h"}, {{"negative_slope", 0.01}}, {}}};
  subgraph.outputs = {tensor((prefix + "y").c_str(), {8, 32})};
  subgraph.count = 1;
  return subgraph;
}

TEST(Subgraph, SignatureIgnoresNamesPlaceAndCount) {
  Subgraph other = block("layers_1_");
  other.count = 7;
  other.type = "linear_relu";
  other.source.code = "self.layers[1](x)";
  other.unknown = {{"x_new", "1"}};
  other.ops[0].unknown = {{"x_new", "1"}};
  other.inputs[0].unknown = {{"x_new", "1"}};
  EXPECT_EQ(signature_of(block("layers_0_")), signature_of(other));
  EXPECT_EQ(signature_of(other).size(), 64u);
}

TEST(Subgraph, SignatureSeesWhatAKernelDependsOn) {
  const std::string base = signature_of(block("a"));
  Subgraph changed[9];
  for (Subgraph& subgraph : changed) subgraph = block("a");
  changed[0].inputs[0].shape = {8, 17};
  changed[1].weights[0].dtype = ir::DType::float16;
  changed[2].layout = "NHWC";
  changed[3].ops[1].parameters["negative_slope"] = 0.02;
  changed[4].ops[1].op = "relu";
  changed[5].ops[0].operands = {"aw", "ax"};
  changed[6].outputs[0].name = "ah";
  changed[7].inputs[0].strides = std::vector<std::int64_t>{1, 8};
  changed[8].dtype = ir::DType::bfloat16;
  for (const Subgraph& subgraph : changed) EXPECT_NE(signature_of(subgraph), base) << to_json(subgraph).dump();
}

// 1 and 1.0, and numbers that JSON cannot say, must come back as what they were.
TEST(Subgraph, ParametersKeepTheirTypes) {
  Subgraph subgraph = block("a");
  subgraph.ops[0].parameters = {{"whole", std::int64_t{1}},
                                {"float", 1.0},
                                {"flag", true},
                                {"text", std::string("inf")},
                                {"none", std::monostate{}},
                                {"fill", -HUGE_VAL},
                                {"kernel", std::vector<std::int64_t>{3, 3}},
                                {"scales", std::vector<double>{2.0, 0.5}}};
  const Json json = to_json(subgraph);
  EXPECT_EQ(json["ops"][0]["parameters"]["fill"].dump(), R"({"float":"-inf"})");
  Result<Subgraph> back = subgraph_from_json(Json::parse(json.dump()));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, subgraph);
}

TEST(Subgraph, ParametersOfOtherFormsAreRefused) {
  for (const char* value : {"{}", "[\"a\"]", "[[1]]", "{\"float\":\"1\"}", "18446744073709551615"}) {
    Json json = to_json(block("a"));
    json["ops"][0]["parameters"]["odd"] = Json::parse(value);
    Result<Subgraph> back = subgraph_from_json(json);
    ASSERT_FALSE(back) << value;
    EXPECT_NE(back.error().message.find("entry \"odd\": expected"), std::string::npos) << back.error().message;
  }
}

}  // namespace
}  // namespace ka::model
