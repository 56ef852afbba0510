#include "verify/checks.h"

#include <gtest/gtest.h>

#include <cstring>

namespace ka::verify {
namespace {

// An outcome with one float32 output of these values, laid out row-major.
RunOutcome outcome_of(const std::vector<float>& values) {
  RunOutcome outcome;
  outcome.structure = "tensor";
  outcome.launched = 1;
  Result<os::MemoryFile> file = os::MemoryFile::create("test");
  EXPECT_TRUE(file);
  EXPECT_TRUE(file->write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}));
  Output output;
  output.spec = *ir::dense_spec(ir::DType::float32, {static_cast<std::int64_t>(values.size())});
  output.touched_by_kernel = true;
  outcome.outputs.push_back(output);
  Result<os::Mapping> mapping = file->map();
  EXPECT_TRUE(mapping);
  outcome.bytes = std::move(*mapping);
  return outcome;
}

Draw draw_of(const std::vector<float>& values) {
  RunOutcome outcome = outcome_of(values);
  Draw draw;
  draw.outputs = {outcome.outputs[0].spec};
  draw.bytes = std::move(outcome.bytes);
  return draw;
}

ReferenceFacts tensor_reference() {
  ReferenceFacts facts;
  facts.structure = "tensor";
  return facts;
}

std::string rule_of(const std::optional<Refusal>& refusal) { return refusal ? refusal->rule : "none"; }

TEST(CheckContract, AcceptsTheSameForm) {
  EXPECT_EQ(rule_of(check_contract(outcome_of({1, 2}), draw_of({1, 2}), tensor_reference())), "none");
}

TEST(CheckContract, NamesWhatDiffers) {
  const Draw draw = draw_of({1, 2, 3, 4});
  const ReferenceFacts reference = tensor_reference();
  struct Row {
    const char* rule;
    void (*change)(RunOutcome&);
  };
  const Row rows[] = {
      {"contract.structure", [](RunOutcome& o) { o.structure = "tuple"; }},
      {"contract.structure", [](RunOutcome& o) { o.outputs.push_back(o.outputs[0]); }},
      {"contract.shape", [](RunOutcome& o) { o.outputs[0].spec.shape = {2, 2}; o.outputs[0].spec.strides = {2, 1}; }},
      {"contract.dtype", [](RunOutcome& o) { o.outputs[0].spec.dtype = ir::DType::int32; }},
      {"contract.layout", [](RunOutcome& o) { o.outputs[0].spec.strides = {0}; }},
      {"contract.alias", [](RunOutcome& o) { o.outputs[0].aliases_input = true; }},
      {"contract.inputs", [](RunOutcome& o) { o.changed_inputs = {"input 0"}; }},
      {"contract.device", [](RunOutcome& o) { o.outputs[0].on_device = false; }},
  };
  for (const Row& row : rows) {
    RunOutcome outcome = outcome_of({1, 2, 3, 4});
    row.change(outcome);
    EXPECT_EQ(rule_of(check_contract(outcome, draw, reference)), row.rule);
  }
}

TEST(CheckGuard, NamesWhatWasSeen) {
  EXPECT_EQ(rule_of(check_guard(outcome_of({1}))), "none");
  RunOutcome outcome = outcome_of({1});
  outcome.launched = 0;
  EXPECT_EQ(rule_of(check_guard(outcome)), "guard.launch");
  outcome = outcome_of({1});
  outcome.outputs[0].touched_by_kernel = false;
  EXPECT_EQ(rule_of(check_guard(outcome)), "guard.provenance");
  outcome = outcome_of({1});
  outcome.denied = {"aten.add.Tensor"};
  EXPECT_EQ(rule_of(check_guard(outcome)), "guard.compute");
  outcome = outcome_of({1});
  outcome.out_of_bounds = {"x"};
  EXPECT_EQ(rule_of(check_guard(outcome)), "result.bounds");
}

TEST(CheckRepetition, TellsUnwrittenFromUnrepeatable) {
  RunOutcome a = outcome_of({1, 2}), b = outcome_of({1, 2});
  EXPECT_EQ(rule_of(check_repetition(a, b, true)), "none");
  RunOutcome c = outcome_of({1, 3});
  EXPECT_EQ(rule_of(check_repetition(a, c, true)), "result.repeat");
  EXPECT_EQ(rule_of(check_repetition(a, c, false)), "none");
  a.outputs[0].poisoned = b.outputs[0].poisoned = 1;
  EXPECT_EQ(rule_of(check_repetition(a, b, true)), "result.unwritten");
}

TEST(CheckFresh, FindsAStaleAnswer) {
  const Draw first = draw_of({1, 2}), second = draw_of({3, 4});
  EXPECT_EQ(rule_of(check_fresh(outcome_of({1, 2}), second, outcome_of({1, 2}), first)), "result.cached");
  EXPECT_EQ(rule_of(check_fresh(outcome_of({3, 4}), second, outcome_of({1, 2}), first)), "none");
  EXPECT_EQ(rule_of(check_fresh(outcome_of({1, 2}), first, outcome_of({1, 2}), first)), "none");
}

}  // namespace
}  // namespace ka::verify
