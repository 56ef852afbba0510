// What is composed of which parts, byte for byte, and every sentence with which a composition is refused.
#include "compose/compose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include "compose/check.h"
#include "compose/text.h"
#include "os/files.h"

namespace ka::compose {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const os::CancelToken kNever;
const std::string kFolder = std::string(KA_SOURCE_DIR) + "/test/";

std::string file(const std::string& name) { return os::read_file(kFolder + name, std::size_t{1} << 20).value(); }

class Compose : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<std::string> python = bridge::find_interpreter();
    ASSERT_TRUE(python) << python.error().message;
    interpreter_ = std::make_unique<bridge::WarmInterpreter>(bridge::InterpreterOptions{*python});
  }
  static void TearDownTestSuite() { interpreter_.reset(); }

  static Result<Composed> run(const Program& program, const std::vector<Part>& parts) { return compose(program, parts, {}, *interpreter_, kNever); }

  static std::string error_of(const Program& program, const std::vector<Part>& parts) {
    Result<Composed> composed = run(program, parts);
    if (composed) return "composed";
    return (composed.error().kind == ErrorKind::invalid_input ? "" : "not the user's: ") + composed.error().message;
  }

  static std::unique_ptr<bridge::WarmInterpreter> interpreter_;
};
std::unique_ptr<bridge::WarmInterpreter> Compose::interpreter_;

std::vector<Part> gated_parts() {
  return {{"gate", file("compose/rows_times.py")}, {"clamps", file("compose/clamps.py")}, {"shift", file("compose/rows_times.py")}, {"unused", ""}};
}

Program gated() {
  Program program;
  program.title = "gated rows";
  program.version = "0.1.0";
  program.inputs = {"x"};
  program.weights = {"gate", "shift"};
  program.calls = {{"gate", {"x"}, {{"weight", "gate"}}, {"scaled"}}, {"clamps", {"scaled"}, {}, {"high", "low"}}, {"shift", {"high"}, {{"weight", "shift"}}, {"shifted"}}};
  program.returns = "{'shifted': shifted, 'low': low}";
  program.problem_name = "gated.py";
  program.problem_text = file("compose/gated.py");
  return program;
}

// KERNELAGENT_ACCEPT=1 writes them anew.
void expect_golden(const std::string& text, const std::string& name) {
  if (std::getenv("KERNELAGENT_ACCEPT") != nullptr) {
    ASSERT_TRUE(os::write_file_atomic(kFolder + name, text));
  }
  EXPECT_EQ(text, file(name)) << name << " differs; KERNELAGENT_ACCEPT=1 accepts the new text";
}

TEST_F(Compose, ThreePartsBecomeOneFile) {
  Result<Composed> composed = run(gated(), gated_parts());
  ASSERT_TRUE(composed) << composed.error().message;
  expect_golden(composed->text, "compose/gated_composed.py");
  EXPECT_THAT(composed->kernels, ElementsAre("times_kernel", "times_kernel_1"));
  ASSERT_EQ(composed->parts.size(), 3U);
  EXPECT_EQ(composed->parts[0].function, "gate_part");  // gate is an argument of kernel_function
  EXPECT_EQ(composed->parts[1].function, "clamps");
  EXPECT_EQ(composed->parts[2].function, "gate_part");
  EXPECT_THAT(composed->parts[1].kernels, ElementsAre("times_kernel_1"));
  EXPECT_TRUE(composed->torch_parts.empty());
}

TEST_F(Compose, GeneratedFilesBecomeOneFile) {
  Program program;
  program.version = "0.1.0";
  program.inputs = {"x"};
  program.weights = {"fc_weight", "fc_bias"};
  program.calls = {{"linear_gelu", {"x"}, {{"fc_weight", "fc_weight"}, {"fc_bias", "fc_bias"}}, {"gelu"}}, {"softmax", {"gelu"}, {}, {"softmax"}}};
  program.returns = "softmax";
  program.problem_name = "linear_gelu_softmax_problem.py";
  program.problem_text = file("compose/linear_gelu_softmax_problem.py");
  Result<Composed> composed = run(program, {{"linear_gelu", file("golden/linear_gelu.py")}, {"softmax", file("golden/softmax_rows.py")}});
  ASSERT_TRUE(composed) << composed.error().message;
  expect_golden(composed->text, "compose/linear_gelu_softmax_composed.py");
  EXPECT_EQ(run(program, {{"softmax", file("golden/softmax_rows.py")}, {"linear_gelu", file("golden/linear_gelu.py")}})->text, composed->text);
}

TEST_F(Compose, PyTorchIsNamed) {
  std::vector<Part> parts = gated_parts();
  parts[1] = {"clamps", "def kernel_function(x):\n    return x.clamp(min=0.0), x.clamp(max=0.0)\n", true};
  Result<Composed> composed = run(gated(), parts);
  ASSERT_TRUE(composed) << composed.error().message;
  EXPECT_THAT(composed->torch_parts, ElementsAre("clamps"));
  EXPECT_THAT(composed->text, HasSubstr("2. clamps: in PyTorch, not in Triton\n"));
  EXPECT_THAT(composed->text, HasSubstr("Computed by PyTorch, because there is no kernel: clamps.\n"));
  parts[1].is_torch = false;
  EXPECT_EQ(error_of(gated(), parts), "part \"clamps\" launches no Triton kernel");
}

// What is changed in a program that can be composed, and the sentence that follows.
struct Case {
  std::function<void(Program&, std::vector<Part>&)> change;
  std::string sentence;
};

TEST_F(Compose, RefusalsSayWhatIsWrong) {
  const Case cases[] = {
      {[](Program& p, auto&) { p.calls.clear(); }, "the program calls no part"},
      {[](Program& p, auto&) { p.calls[1].part = "clamp"; }, "call 2 is of part \"clamp\", which is not there"},
      {[](Program&, auto& parts) { parts[1].text = "\n"; }, "part \"clamps\" has no kernel, so the program cannot be composed"},
      {[](Program&, auto& parts) { parts[3].id = "gate"; }, "two parts have the id \"gate\""},
      {[](Program&, auto& parts) { parts[3].id = "../../x"; }, "the part id \"../../x\" is no Python identifier"},
      {[](Program&, auto& parts) { parts[3].id = "lambda"; }, "the part id \"lambda\" is no Python identifier"},
      {[](Program& p, auto&) { p.inputs = {"2x"}; }, "the input \"2x\" is no Python identifier"},
      {[](Program& p, auto&) { p.weights = {"a.b"}; }, "the weight \"a.b\" is no Python identifier"},
      {[](Program& p, auto&) { p.weights = {"gate", "x"}; }, "kernel_function has two arguments \"x\""},
      {[](Program& p, auto&) { p.calls[0].inputs = {"low"}; }, "call 1, of part \"gate\", takes \"low\", which nothing has made before"},
      {[](Program& p, auto&) { p.calls[1].outputs = {"scaled", "low"}; }, "call 2, of part \"clamps\", makes \"scaled\", which is there already"},
      {[](Program& p, auto&) { p.calls[1].outputs = {"x", "low"}; }, "call 2, of part \"clamps\", makes \"x\", which is there already"},
      {[](Program& p, auto&) { p.calls[1].outputs = {"a b", "low"}; }, "call 2, of part \"clamps\", makes \"a b\", which is no Python identifier"},
      {[](Program& p, auto&) { p.calls[1].outputs.clear(); }, "call 2, of part \"clamps\", makes no value and has no weight that it could update"},
      {[](Program& p, auto&) { p.calls[0].weights[0].second = "bias"; }, "call 1, of part \"gate\", takes the weight \"bias\", which the program does not have"},
      {[](Program& p, auto&) { p.calls[0].weights.push_back({"weight", "shift"}); }, "call 1, of part \"gate\", gives the weight \"weight\" twice"},
      {[](Program& p, auto&) { p.calls[0].weights.clear(); }, "call 1, of part \"gate\": its kernel_function needs weight, which is not given"},
      {[](Program& p, auto&) { p.calls[1].inputs.push_back("x"); }, "call 2, of part \"clamps\": its kernel_function takes 1 inputs, not 2"},
      {[](Program& p, auto&) { p.mode = "test"; }, "the mode \"test\" is neither train nor eval"},
      {[](Program& p, auto&) { p.problem_object = "a b"; }, "the problem's object \"a b\" is no Python identifier"},
      {[](Program& p, auto&) { p.returns = "shifted, y"; }, "the program returns \"y\", which nothing makes"},
      {[](Program& p, auto&) { p.returns = "shifted + low"; }, "what the program returns is more than values in tuples, lists and dictionaries: shifted + low"},
      {[](Program& p, auto&) { p.returns = "shifted\nx = 1"; }, "what the program returns is no Python expression: shifted x = 1"},
      {[](Program& p, auto&) { p.returns = ""; }, "what the program returns is no Python expression: "},
      {[](Program&, auto& parts) { parts[1].text = "def f(:\n"; }, "part \"clamps\", line 1: invalid syntax"},
      {[](Program&, auto& parts) { parts[1].text += "import os\nos.remove('x')\n"; }, "part \"clamps\", line 38: a statement that acts when the file is imported (expression)"},
      {[](Program&, auto& parts) { parts[1].text = "x = '\xff'\n"; }, "the text of part \"clamps\" is not UTF-8"},
      {[](Program&, auto& parts) { parts[1].text = "def kernel_func(x):\n    return x\n"; }, "part \"clamps\", line 1: there is no function kernel_function"},
  };
  for (const Case& one : cases) {
    Program program = gated();
    std::vector<Part> parts = gated_parts();
    one.change(program, parts);
    EXPECT_EQ(error_of(program, parts), one.sentence);
  }
}

TEST(FunctionText, ValuesAreDeletedAfterTheirLastUse) {
  Program program;
  program.inputs = {"x"};
  program.calls = {{"f", {"x"}, {}, {"a", "b"}}, {"g", {"a"}, {}, {"c"}}, {"g", {"c"}, {}, {"d"}}, {"f", {"d", "x"}, {}, {"e", "unused"}}};
  program.returns = "(d, b)";
  Merged merged;
  merged.functions = {{"f", "f"}, {"g", "g"}};
  merged.returned = {"d", "b"};
  EXPECT_EQ(function_text(program, merged),
            "def kernel_function(x):\n    a, b = f(x)\n    c = g(a)\n    del a\n    d = g(c)\n    del c\n    e, unused = f(d, x)\n    del e, unused\n"
            "    return (d, b)\n");
}

TEST(FunctionText, ACallMayUpdateWeightsOnly) {
  Program program;
  program.inputs = {"x"};
  program.weights = {"count"};
  program.calls = {{"f", {"x"}, {}, {"y"}}, {"add", {}, {{"tracked", "count"}}, {}}};
  program.returns = "y";
  Merged merged;
  merged.functions = {{"f", "f"}, {"add", "add"}};
  merged.returned = {"y"};
  EXPECT_TRUE(check(program, {{"f", "text"}, {"add", "text"}}));
  EXPECT_EQ(function_text(program, merged), "def kernel_function(x, *, count):\n    y = f(x)\n    add(tracked=count)\n    return y\n");
}

TEST(FunctionText, LongSignaturesAreBroken) {
  Program program;
  program.inputs = {"x"};
  for (int i = 0; i < 30; ++i) program.weights.push_back("layers_" + std::to_string(i) + "_weight");
  program.calls = {{"f", {"x"}, {}, {"y"}}};
  program.returns = "y";
  Merged merged;
  merged.functions = {{"f", "f"}};
  merged.returned = {"y"};
  EXPECT_THAT(function_text(program, merged), testing::StartsWith("def kernel_function(\n    x, *, layers_0_weight,"));
  EXPECT_THAT(function_text(program, merged), HasSubstr("layers_29_weight,\n):\n    y = f(x)\n"));
}

TEST(PythonText, EveryTextIsALiteral) {
  EXPECT_EQ(python_text("a \"b\" \\n"), R"("a \"b\" \\n")");
  EXPECT_EQ(python_text("\"\"\"doc\"\"\"\nx = '\\t'\r\n"), "\"\"\"\\\n\\\"\"\"doc\\\"\"\"\nx = '\\\\t'\\x0d\n\"\"\"");
  EXPECT_EQ(python_text("a\n\""), "\"\"\"\\\na\n\\\"\"\"\"");
  EXPECT_EQ(python_text("\xc2\x85\xe2\x80\xa8\x01"), "\"\\x85\\u2028\\x01\"");
}

}  // namespace
}  // namespace ka::compose
