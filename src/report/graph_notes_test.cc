#include "report/graph_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kText = R"(route: fuse (two kernels)
  yes several_kernels   two kernels

%0: float32[rows, 64] = input x
%1: float32[rows, 64] = exp(%0)  # aten.exp.default, p.py:3
%2: float32[rows, 1] = reduce(%1, dims=[1], kind=sum)  # aten.sum.default, p%9.py:4
%3: float32[rows, 64] = div(%1, %2)  # aten.div.Tensor, p.py:5
%4: float32[rows, 64] = neg(%3)  # aten.neg.default, p.py:6
return %4 (tensor)

kernel 0: row [exp, reduce] -> %2
kernel 1: pointwise [div, neg] -> %4

cost on NVIDIA H200 SXM (measured):
kernel 0: 131 kB read, 1 kB written, 1 launch: 4.1 us, bound by launch
kernel 1: 8 B read: 4.0 us
total: 263 kB moved, 2 launches
floor: 0.1 us
decided: sum of 64 rows: in 25 parts, 6.1 us instead of 18 us
kept: %2 of kernel 0: 1 us to write it and to read it once
not fused: div (p.py:5) with kernel 0: the whole row comes first
rewritten (algebraic): sum through product (p.py:4)
rewritten: x * 1 (p.py:9)
not exported: rows=3: it raises
)";

TEST(GraphNotes, TakesTheTextApart) {
  const GraphNotes notes = read_graph_notes(kText);
  ASSERT_EQ(notes.kernels.size(), 2U);
  EXPECT_EQ(notes.kernels[0].kind, "row");
  EXPECT_THAT(notes.kernels[0].ops, ElementsAre("exp", "reduce"));
  EXPECT_THAT(notes.kernels[0].outputs, ElementsAre("%2"));
  EXPECT_EQ(notes.kernels[0].cost, "131 kB read, 1 kB written, 1 launch: 4.1 us, bound by launch");
  EXPECT_EQ(notes.kernels[0].kept, "1 us to write it and to read it once");
  EXPECT_EQ(notes.kernels[1].kept, "");
  EXPECT_EQ(notes.operations, 4U);
  EXPECT_EQ(notes.gpu, "NVIDIA H200 SXM (measured)");
  EXPECT_EQ(notes.total, "263 kB moved, 2 launches");
  EXPECT_EQ(notes.types.at("%3"), "float32[rows, 64]");
  EXPECT_THAT(notes.decisions, ElementsAre("sum of 64 rows: in 25 parts, 6.1 us instead of 18 us"));
  EXPECT_THAT(notes.rewrites, ElementsAre("(algebraic): sum through product (p.py:4)", "x * 1 (p.py:9)"));
  EXPECT_THAT(notes.not_exported, ElementsAre("rows=3: it raises"));
  ASSERT_EQ(notes.refusals.size(), 1U);
  EXPECT_EQ(notes.refusals[0].what, "div (p.py:5)");
  EXPECT_EQ(notes.refusals[0].kernel, "0");
  EXPECT_EQ(notes.refusals[0].reason, "the whole row comes first");
}

TEST(GraphNotes, ReadsAreFoundThroughValuesThatNobodyKeeps) {
  const GraphNotes notes = read_graph_notes(kText);
  EXPECT_THAT(notes.kernels[0].reads, IsEmpty());
  EXPECT_THAT(notes.kernels[1].reads, ElementsAre(NotedRead{0, {"%2"}}));
}

TEST(GraphNotes, NoTextIsAnError) {
  for (const char* text :
       {"", "\n\n", "kernel", "kernel 0", "kernel 0: ", "kernel 0: row [a", "kept: of kernel",
        "kept: x of kernel 9: y", "not fused: x", "%", "%1", "%1: =", "%1:  = %1(%1)",
        "kernel 0: row [] -> \nkernel 0: row [a] -> %1\nkernel 1: row [a] -> %0",
        "%0: t = f(%1)\n%1: t = f(%0)\nkernel 0: row [f] -> %0"})
    EXPECT_LE(read_graph_notes(text).kernels.size(), 2U) << text;
}

}  // namespace
}  // namespace ka::report
