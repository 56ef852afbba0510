#include "partition/regroup.h"

#include <gtest/gtest.h>

namespace ka::partition {
namespace {

using ir::Part;
using ir::ProgramRef;

constexpr ProgramRef kX{-1, 0}, kW{-2, 0};

std::string name(int op) { return "op" + std::to_string(op); }

// op0 = f(x); op1 = g(op0, w); op2 = h(op0); op3 = k(op1, op2); returns op3 and x.
ir::Program diamond() {
  ir::Program out;
  out.ops = {{{kX}}, {{{0, 0}, kW}}, {{{0, 0}}}, {{{1, 0}, {2, 0}}}};
  out.outputs = {{3, 0}, kX};
  return out;
}

const std::vector<int> kAll = {0, 1, 2, 3};

TEST(Regroup, MakesPartsInTheOrderOfTheirNeeds) {
  const Result<std::vector<Part>> parts = parts_of_groups(diamond(), kAll, {{3, 2}, {}, {0, 1}}, name);
  ASSERT_TRUE(parts) << parts.error().message;
  ASSERT_EQ(parts->size(), 2u);
  const Part &first = (*parts)[0], &second = (*parts)[1];
  EXPECT_EQ(first.ops, (std::vector<int>{0, 1}));
  EXPECT_EQ(first.inputs, (std::vector<ProgramRef>{kX, kW}));
  EXPECT_EQ(first.outputs, (std::vector<ProgramRef>{kX, {0, 0}, {1, 0}}));  // x is returned as it is
  EXPECT_EQ(second.ops, (std::vector<int>{2, 3}));
  EXPECT_EQ(second.inputs, (std::vector<ProgramRef>{{0, 0}, {1, 0}}));
  EXPECT_EQ(second.outputs, (std::vector<ProgramRef>{{3, 0}}));
}

TEST(Regroup, UpdatesBelongToTheirMaker) {
  ir::Program program = diamond();
  program.updates = {{1, 0}, kX};
  const Result<std::vector<Part>> parts = parts_of_groups(program, kAll, {{0}, {1}, {2, 3}}, name);
  ASSERT_TRUE(parts) << parts.error().message;
  EXPECT_EQ((*parts)[0].updates, std::vector<int>{1});
  EXPECT_EQ((*parts)[1].updates, std::vector<int>{0});
  EXPECT_TRUE((*parts)[2].updates.empty());
}

TEST(Regroup, OperatorsThatNobodyNeedsAreNotAskedFor) {
  ir::Program program = diamond();
  program.ops.push_back({{kX}});
  const Result<std::vector<Part>> parts = parts_of_groups(program, kAll, {{0, 1, 2, 3}}, name);
  ASSERT_TRUE(parts) << parts.error().message;
  EXPECT_EQ(parts->size(), 1u);
  EXPECT_FALSE(parts_of_groups(program, kAll, {{0, 1, 2, 3, 4}}, name));
}

TEST(Regroup, WhatIsNoCutIsRefusedByASentence) {
  struct Row {
    std::vector<std::vector<int>> groups;
    std::string says;
  };
  const Row rows[] = {{{{0, 1}, {2}}, "op3 is in no group"},
                      {{{0, 1}, {1, 2, 3}}, "op1 is there twice"},
                      {{{0, 0}, {1, 2, 3}}, "op0 is there twice"},
                      {{{0, 1, 2, 3, 9}}, "op9 is no operation of the list"},
                      {{{0, 3}, {1, 2}}, "the group with op0 needs a result of a group that itself needs a result of the first"},
                      {{}, "op0 is in no group"}};
  for (const Row& row : rows) {
    const Result<std::vector<Part>> parts = parts_of_groups(diamond(), kAll, row.groups, name);
    ASSERT_FALSE(parts) << row.says;
    EXPECT_EQ(parts.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(parts.error().message.find(row.says), std::string::npos) << parts.error().message;
  }
}

TEST(Regroup, RandomNumbersAreDrawnInTheProgramsOrder) {
  ir::Program program = diamond();
  program.ops[1].draws = program.ops[2].draws = true;
  EXPECT_TRUE(parts_of_groups(program, kAll, {{0}, {1}, {2}, {3}}, name));
  program.ops[1].reads = {kW};  // it could be first now
  program.ops[2].draws = false, program.ops[0].draws = true;
  const Result<std::vector<Part>> parts = parts_of_groups(program, kAll, {{2, 3}, {0}, {1}}, name);
  EXPECT_TRUE(parts);
  program.ops[3].draws = true, program.ops[3].reads = {kX}, program.outputs = {{1, 0}, {2, 0}, {3, 0}};
  const Result<std::vector<Part>> swapped = parts_of_groups(program, kAll, {{0, 3}, {1}, {2}}, name);
  ASSERT_FALSE(swapped);
  EXPECT_NE(swapped.error().message.find("op1 and op3 would draw their random numbers in another order"), std::string::npos) << swapped.error().message;
}

}  // namespace
}  // namespace ka::partition
