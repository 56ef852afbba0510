// Knobs of a real file, found by the child.
#include <gtest/gtest.h>

#include "optimise/knobs.h"

namespace ka::optimise {
namespace {

TEST(FindKnobs, OfAFileAndOfWhatIsNone) {
  const Result<std::string> python = bridge::find_interpreter();
  ASSERT_TRUE(python) << python.error().message;
  bridge::WarmInterpreter interpreter{bridge::InterpreterOptions{*python}};
  const os::CancelSource cancel;
  const std::string text = "def kernel_function(x):\n    f[(triton.cdiv(x.numel(), 1024),)](x, BLOCK=1024, num_warps=4)\n    return x\n";
  const Result<std::vector<Knob>> knobs = find_knobs(text, interpreter, cancel.token());
  ASSERT_TRUE(knobs) << knobs.error().message;
  ASSERT_EQ(knobs->size(), 2u);
  EXPECT_EQ((*knobs)[0].name, "BLOCK");
  EXPECT_EQ(turned(text, (*knobs)[0], 256), "def kernel_function(x):\n    f[(triton.cdiv(x.numel(), 256),)](x, BLOCK=256, num_warps=4)\n    return x\n");
  const Result<std::vector<Knob>> none = find_knobs("def (", interpreter, cancel.token());
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace ka::optimise
