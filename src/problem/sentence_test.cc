#include "problem/sentence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "os/environment.h"
#include "os/files.h"
#include "problem/sentence_ops.h"

namespace ka::problem {
namespace {

using ::testing::HasSubstr;

// The reason alone, without the examples.
std::string outcome(const std::string& sentence) {
  const Result<SentenceProblem> problem = problem_of_sentence(sentence);
  if (problem) return "  => " + problem->understood;
  return "  =/ " + problem.error().message.substr(0, problem.error().message.find("; understood are"));
}

TEST(Sentences, AreUnderstoodAsTheTableSays) {
  const std::vector<std::string> lines = split(os::read_file(KA_SOURCE_DIR "/test/sentences.txt").value(), '\n');
  std::size_t understood = 0, refused = 0;
  for (std::size_t i = 1; i + 1 < lines.size(); i += 2) {
    EXPECT_EQ(outcome(lines[i]), lines[i + 1]) << lines[i];
    ++(starts_with(lines[i + 1], "  => ") ? understood : refused);
  }
  EXPECT_GE(understood, 70U);
  EXPECT_GE(refused, 50U);
}

std::string shapes_for(const SentenceOp& op) {
  if (op.kind == OpKind::matmul) return "(8, 16) and (16, 32)";
  if (op.kind == OpKind::dot) return "(8,)";
  if (op.kind == OpKind::cross_entropy || op.kind == OpKind::linear) return "(8, 16)";
  if (op.name == "conv1d") return "(2, 4, 8)";
  return op.name == "conv3d" ? "(2, 4, 8, 8, 8)" : "(2, 4, 8, 8)";
}

// Every spelling of every operation is understood as that operation, wherever the sentence gives it what it needs.
TEST(Sentences, EverySpellingOfTheTableIsFound) {
  for (const SentenceOp& op : sentence_ops())
    for (std::string words : split(op.words, '|')) {
      if (const std::size_t number = words.find('#'); number != std::string::npos) words.replace(number, 1, "2");
      const std::string shapes = shapes_for(op);
      std::string more;
      if (takes(op.kind, "kernel")) more += " with kernel size 3";
      if (takes(op.kind, "filters")) more += " with 8 filters";
      if (takes(op.kind, "outputs")) more += " with 8 outputs";
      if (takes(op.kind, "all")) more += " over dim 1";
      if (op.kind == OpKind::group_norm) more += " with 2 groups";
      if (takes(op.kind, "range")) more += " between 0 and 1";
      const Result<SentenceProblem> problem = problem_of_sentence(words + more + " for " + shapes);
      ASSERT_TRUE(problem) << words << ": " << problem.error().message;
      EXPECT_EQ(problem->operators, std::vector<std::string>{std::string(op.name)}) << words;
    }
}

TEST(Sentences, RefusalsSayWhatWouldBeUnderstood) {
  const Result<SentenceProblem> problem = problem_of_sentence("frobnicate (3, 4)");
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().kind, ErrorKind::invalid_input);
  EXPECT_THAT(problem.error().message, HasSubstr("the word \"frobnicate\" is not understood; understood are sentences like \"fused bias + gelu for (4096, 11008) bf16\""));
  EXPECT_THAT(problem_of_sentence(std::string(1001, 'a')).error().message, HasSubstr("1001 characters, at most 1000"));
  EXPECT_THAT(problem_of_sentence("relu on (3,\n4x)").error().message, HasSubstr("\"(3,\\n4x)\" is no list of numbers"));
}

TEST(Sentences, TheSentenceCannotLeaveTheDocstring) {
  const std::string text = problem_of_sentence("\"\"\" relu \"\"\" on (3, 4)").value().text;
  EXPECT_THAT(text, HasSubstr("\"\"\"''' relu ''' on (3, 4)\n"));
}

// Programs that a system test runs; KERNELAGENT_ACCEPT=1 writes them anew.
constexpr std::pair<const char*, const char*> kPrograms[] = {
    {"bias_gelu", "fused bias + gelu for (64, 96) bf16"},
    {"relu", "Implement ReLU over a contiguous 1D tensor of length 1024"},
    {"softmax", "softmax over the last dimension of a 16 x 100 tensor"},
    {"matmul", "matmul of (32, 48) and (48, 24) in fp16"},
    {"matmul_bias_relu", "matmul of (32, 48) and (48, 24) then bias then relu"},
    {"layer_norm", "layer norm of (4, 12, 64)"},
    {"conv_relu", "conv2d 3x3 with 6 filters and relu on (2, 3, 12, 12)"},
    {"conv_norm_pool", "3x3 convolution with 4 filters, padding 1, then batch norm, then relu, then 2x2 max pool on (2, 3, 12, 12)"},
    {"depthwise", "depthwise conv2d 3x3 with padding 1 and without bias on (2, 4, 10, 10)"},
    {"attention", "causal attention with 2 heads, sequence length 32, head dimension 16, batch 2"},
    {"attention_split", "attention with 4 heads on (2, 24, 32) in fp16"},
    {"gemm", "gemm with m = 32, n = 24 and k = 40, followed by tanh"},
    {"argmax", "argmax over the last dimension of (8, 100)"},
    {"sum_of_squares", "sum of squares over dim 0 of (40, 30)"},
    {"chain", "multiply by 2, add 1, clamp between 0 and 6, then residual add on (33, 65)"},
    {"linear_norm", "linear layer with 24 outputs, rms norm and silu on (10, 32)"},
    {"group_norm", "group norm with 2 groups on (2, 8, 6, 6), then global average pool"},
    {"cross_entropy", "cross entropy loss for (32, 50)"},
    {"log_of_sums", "prefix sum, then scale by 0.5 of a vector of length 700"},
    {"integers", "relu then sum over all elements of an int32 tensor with 1000 elements"},
};

TEST(Sentences, GoldenPrograms) {
  for (const auto& [name, sentence] : kPrograms) {
    const Result<SentenceProblem> problem = problem_of_sentence(sentence);
    ASSERT_TRUE(problem) << problem.error().message;
    const std::string path = std::string(KA_SOURCE_DIR "/test/golden/sentences/") + name + ".py";
    if (os::get_env("KERNELAGENT_ACCEPT") == "1") {
      ASSERT_TRUE(os::write_file_atomic(path, problem->text));
    }
    const Result<std::string> want = os::read_file(path);
    ASSERT_TRUE(want) << want.error().message;
    EXPECT_EQ(problem->text, *want) << "KERNELAGENT_ACCEPT=1 accepts the new text";
  }
}

}  // namespace
}  // namespace ka::problem
