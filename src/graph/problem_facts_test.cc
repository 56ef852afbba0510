#include "graph/problem_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "os/files.h"

namespace ka::graph {
namespace {

using ::testing::ElementsAre;

Exported seed(const std::string& name) {
  const std::string text = os::read_file(KA_SOURCE_DIR "/test/fuzz/seeds/exported_graph/" + name + ".json").value();
  return read_exported(parse_json(text, name).value()).value();
}

TEST(ProblemFacts, OfALinearLayer) {
  const Exported exported = seed("linear_gelu");
  const model::Problem problem = problem_facts(exported);
  ASSERT_EQ(problem.inputs.size(), 1U);
  EXPECT_EQ(problem.inputs[0].name, "x");
  EXPECT_TRUE(problem.inputs[0].tensor && !problem.inputs[0].tensor->strides);
  ASSERT_EQ(problem.weights.size(), 2U);
  EXPECT_EQ(problem.weights[0].kind, "parameter");
  EXPECT_EQ(problem.weights[0].type.shape.size(), 2U);
  ASSERT_EQ(problem.outputs.size(), 1U);
  EXPECT_EQ(problem.outputs[0].shape, (std::vector<std::int64_t>{problem.inputs[0].tensor->shape[0], problem.weights[0].type.shape[0]}));
  EXPECT_EQ(problem.structure, "tensor");
  EXPECT_EQ(problem.default_tier, "fp32");
  EXPECT_FALSE(problem.draws_random);
  EXPECT_THAT(operator_names(exported), ElementsAre("aten.linear.default", "aten.gelu.default"));
}

TEST(ProblemFacts, AConvolutionIsOfTheTf32Tier) {
  const model::Problem problem = problem_facts(seed("conv2d_relu"));
  EXPECT_EQ(problem.default_tier, "tf32");
  EXPECT_TRUE(problem.has_contraction);
  EXPECT_FALSE(problem.given_sizes.empty());
}

TEST(ProblemFacts, OfNothing) { EXPECT_TRUE(problem_facts({}).inputs.empty()); }

}  // namespace
}  // namespace ka::graph
