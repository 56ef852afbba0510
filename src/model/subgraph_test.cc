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
  const auto value = [&](const char* name) { return JsonText{"\"" + prefix + name + "\""}; };
  const JsonText result{R"({"dtype":"float32","shape":[8,32],"strides":[32,1]})"};
  subgraph.ops = {{"aten.linear.default", prefix + "h", "p.py:1", {{"input", value("x")}, {"weight", value("w")}}, {{"bias", {"null"}}}, {result}, {}},
                  {"aten.leaky_relu.default", prefix + "y", "p.py:2", {{"self", value("h")}}, {{"negative_slope", {"0.01"}}}, {result}, {}}};
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
  changed[3].ops[1].parameters["negative_slope"] = {"0.02"};
  changed[4].ops[1].op = "relu";
  std::swap(changed[5].ops[0].operands["input"], changed[5].ops[0].operands["weight"]);
  changed[6].outputs[0].name = "ah";
  changed[7].inputs[0].strides = std::vector<std::int64_t>{1, 8};
  changed[8].dtype = ir::DType::bfloat16;
  for (const Subgraph& subgraph : changed) EXPECT_NE(signature_of(subgraph), base) << to_json(subgraph).dump();
}

struct BadCase {
  const char* what;
  void (*spoil)(Subgraph&);
};

TEST(Subgraph, WhatCannotBeWorkedWithIsRefusedBySentence) {
  Subgraph good = block("a");
  good.calls = {{0, {"x"}, {"w"}, {"y"}, {}}};
  ASSERT_TRUE(check_subgraph(good));
  const BadCase cases[] = {
      {"the id \"../../x\" is not made of letters", [](Subgraph& s) { s.id = "../../x"; }},
      {"the id \"\" is not made of letters", [](Subgraph& s) { s.id.clear(); }},
      {"the id \"1a\" is not made of letters", [](Subgraph& s) { s.id = "1a"; }},
      {"\"ah\" reads \"ay\", which nothing before it makes", [](Subgraph& s) { s.ops[0].operands["input"] = {"\"ay\""}; }},
      {"\"ah\" reads \"none\", which nothing", [](Subgraph& s) { s.ops[0].operands["input"] = {"\"none\""}; }},
      {"\"ay\" reads \"ah:1\", and ah has 1 results", [](Subgraph& s) { s.ops[1].operands["self"] = {"\"ah:1\""}; }},
      {"there are two values \"ax\"", [](Subgraph& s) { s.weights[0].name = "ax"; }},
      {"there are two values \"ah\"", [](Subgraph& s) { s.ops[1].name = "ah"; }},
      {"its operand \"self\" is no name", [](Subgraph& s) { s.ops[1].operands["self"] = {"3"}; }},
      {"\"bias\" is an operand and a parameter", [](Subgraph& s) { s.ops[0].operands["bias"] = {"\"aw\""}; }},
      {"an output reads \"b\", which nothing", [](Subgraph& s) { s.outputs[0].name = "b"; }},
      {"it has no outputs", [](Subgraph& s) { s.outputs.clear(); }},
      {"it changes \"ax\", which is none of its weights", [](Subgraph& s) { s.updates = {{"ax", "ay", {}}}; }},
      {"call 0 gives 0 weights and the subgraph has 1", [](Subgraph& s) { s.calls[0].weights.clear(); }},
      {"\"ax\" has a negative extent", [](Subgraph& s) { s.inputs[0].shape = {-1, 16}; }},
      {"\"ax\" has 2 extents and 1 strides", [](Subgraph& s) { s.inputs[0].strides = std::vector<std::int64_t>{1}; }},
  };
  for (const BadCase& one : cases) {
    Subgraph spoilt = good;
    one.spoil(spoilt);
    const Status checked = check_subgraph(spoilt);
    ASSERT_FALSE(checked) << one.what;
    EXPECT_NE(checked.error().message.find(one.what), std::string::npos) << checked.error().message;
    EXPECT_EQ(checked.error().kind, ErrorKind::invalid_input);
  }
}

TEST(Subgraph, AFileOfThemReadsBackAndIsCheckedAsAWhole) {
  std::vector<Subgraph> all = {block("a"), block("b")};
  all[0].calls = {{0, {"x"}, {"w"}, {"y"}, {}}};
  all[1].calls = {{1, {"y"}, {"w"}, {"z"}, {}}};
  const Result<std::vector<Subgraph>> back = read_subgraphs(to_text(all), "s.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, all);
  all[1].calls[0].order = 0;
  EXPECT_EQ(read_subgraphs(to_text(all), "s.json").error().message, "s.json: entry 1: two calls have the order 0");
  all[1].id = "a";
  EXPECT_EQ(read_subgraphs(to_text(all), "s.json").error().message, "s.json: entry 1: the id \"a\" is there twice");
  for (const char* text : {"", "{}", "[", "[]", "[1]", "[{}]", "null"}) EXPECT_FALSE(read_subgraphs(text, "s.json")) << text;
}

}  // namespace
}  // namespace ka::model
