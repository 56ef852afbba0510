#include "synth/prompt/examples.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/strings.h"

namespace ka::prompt {
namespace {

// The hardest first.
constexpr auto kExamples = std::to_array<Example>({
    {"attention", "attention"},
    {"convolution", "a convolution with what follows it"},
    {"matmul", "a matrix product with what follows it"},
    {"scan", "a running sum"},
    {"row_reduction", "a reduction over rows"},
    {"pointwise", "element by element"},
});

// A piece of an operator's name, and the example that it calls for. First match counts.
struct Piece {
  std::string_view piece;
  std::string_view example;
};
constexpr auto kPieces = std::to_array<Piece>({
    {"attention", "attention"}, {"conv", "convolution"}, {"logcumsum", "scan"}, {"cumsum", "scan"}, {"cumprod", "scan"}, {"cummax", "scan"}, {"cummin", "scan"},
    {"matmul", "matmul"}, {"linear", "matmul"}, {"addmm", "matmul"}, {"bmm", "matmul"}, {"einsum", "matmul"}, {"lstm", "matmul"}, {"gru", "matmul"}, {"rnn", "matmul"},
    {"softmax", "row_reduction"}, {"softmin", "row_reduction"}, {"logsumexp", "row_reduction"}, {"norm", "row_reduction"}, {"sum", "row_reduction"}, {"mean", "row_reduction"},
    {"var", "row_reduction"}, {"std", "row_reduction"}, {"amax", "row_reduction"}, {"amin", "row_reduction"}, {"argm", "row_reduction"}, {"prod", "row_reduction"},
    {"loss", "row_reduction"}, {"entropy", "row_reduction"}, {"similarity", "row_reduction"}, {"topk", "row_reduction"}, {"sort", "row_reduction"},
});
// Names that are too short to be looked for inside others.
constexpr auto kWhole = std::to_array<Piece>({{"mm", "matmul"}, {"mv", "matmul"}, {"dot", "matmul"}, {"max", "row_reduction"}, {"min", "row_reduction"}, {"all", "row_reduction"},
    {"any", "row_reduction"}});

std::string_view example_of(const std::string& name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string& part : split(lower, '.'))
    for (const Piece& row : kWhole)
      if (part == row.piece) return row.example;
  for (const Piece& row : kPieces)
    if (lower.find(row.piece) != std::string::npos) return row.example;
  return "pointwise";
}

}  // namespace

std::span<const Example> all_examples() { return kExamples; }

std::vector<Example> choose_examples(std::span<const std::string> operators, std::size_t most) {
  std::vector<std::string_view> wanted;
  for (const std::string& name : operators) wanted.push_back(example_of(name));
  if (wanted.empty()) wanted.emplace_back("pointwise");
  std::vector<Example> chosen;
  for (const Example& example : kExamples)
    if (chosen.size() < most && std::find(wanted.begin(), wanted.end(), example.name) != wanted.end()) chosen.push_back(example);
  return chosen;
}

}  // namespace ka::prompt
