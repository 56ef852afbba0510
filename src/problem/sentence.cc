#include "problem/sentence.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "problem/sentence_program.h"

namespace ka::problem {
namespace {

constexpr std::size_t kMaxSentenceBytes = 1000;
constexpr const char* kExamples =
    "understood are sentences like \"fused bias + gelu for (4096, 11008) bf16\", \"softmax over the last dimension of a 128 x 1000 tensor\", "
    "\"matmul of (512, 256) and (256, 1024) in fp16\" or \"conv2d 3x3 with 64 filters and relu on (16, 32, 56, 56)\"";

Result<SentenceProblem> understand(std::string_view sentence) {
  if (trim(sentence).empty()) return invalid_input("the sentence is empty");
  if (sentence.size() > kMaxSentenceBytes) return invalid_input(fmt::format("the sentence has {} characters, at most {} are read", sentence.size(), kMaxSentenceBytes));
  KA_ASSIGN(const Reading reading, read_sentence(sentence));
  SentenceProgram program(reading);
  KA_TRY(program.build());
  SentenceProblem problem{program.text(sentence), program.understood(), {}};
  for (const OpUse& use : reading.ops) problem.operators.emplace_back(use.op->name);
  return problem;
}

}  // namespace

Result<SentenceProblem> problem_of_sentence(std::string_view sentence) {
  Result<SentenceProblem> problem = understand(sentence);
  if (!problem) return invalid_input(problem.error().message + "; " + kExamples);
  return problem;
}

}  // namespace ka::problem
