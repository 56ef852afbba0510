#include "route/decide.h"

#include <gmock/gmock.h>

namespace ka::route {
namespace {

using testing::HasSubstr;

model::RouteFeatures chain(std::int64_t length) {
  model::RouteFeatures features;
  features.chain_length = length;
  return features;
}

struct Row {
  const char* rule;  // the one that decides
  const char* word;
  model::RouteFeatures features;
  std::optional<PlanFacts> plan;
};

std::vector<Row> rows() {
  model::RouteFeatures attention = chain(9), transposed = chain(1), loop = chain(2), norm = chain(2), pooled = chain(2), alone = chain(1);
  attention.has_attention_like = true;
  attention.lines["attention"] = {12, 14};
  transposed.has_conv_transpose = true;
  loop.has_control_flow = true;
  norm.has_group_norm = norm.has_conv = true;
  pooled.has_group_norm = true;
  pooled.pool_ops = 1;
  alone.has_group_norm = true;
  return {
      {"one_kernel", "direct", attention, PlanFacts{1, 7}},
      {"several_kernels", "fuse", chain(1), PlanFacts{2, 7}},
      {"attention", "fuse", attention, {}},
      {"conv_transpose", "fuse", transposed, {}},
      {"control_flow", "fuse", loop, {}},
      {"group_norm_block", "fuse", norm, {}},
      {"group_norm_block", "fuse", pooled, {}},
      {"long_chain", "fuse", chain(4), {}},
      {"short_program", "direct", chain(3), {}},
      {"short_program", "direct", alone, {}},
  };
}

TEST(Decide, FirstRowThatMatchesDecides) {
  for (const Row& row : rows()) {
    const model::Route route = decide(row.features, row.plan, "text");
    EXPECT_STREQ(word_of(route), row.word) << row.rule;
    const auto first = std::find_if(route.rules.begin(), route.rules.end(), [](const model::RouteRule& r) { return r.matched; });
    ASSERT_NE(first, route.rules.end());
    EXPECT_EQ(first->name, row.rule);
    EXPECT_EQ(route.rationale, first->reason);
    EXPECT_GT(route.confidence, 0.5);
  }
}

TEST(Decide, EveryRowIsKeptWithWhatItSaw) {
  model::RouteFeatures features = chain(9);
  features.has_attention_like = true;
  features.lines["attention"] = {12, 14};
  const model::Route route = decide(features, PlanFacts{3, 8}, "text");
  EXPECT_EQ(route.rules.size(), 8u);
  const std::string text = to_text(route);
  EXPECT_THAT(text, HasSubstr("route: fuse (a graph that becomes several kernels is fused and composed: 8 operations became 3 kernels)"));
  EXPECT_THAT(text, HasSubstr("lines 12, 14"));
  EXPECT_THAT(text, HasSubstr("no  control_flow"));
  EXPECT_EQ(route.problem_sha256.size(), 64u);
}

}  // namespace
}  // namespace ka::route
