#include "problem/sentence_reading.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "problem/sentence_tokens.h"

namespace ka::problem {
namespace {

using Kind = SentenceToken::Kind;

// Phrases that are no operations. # is a number, $ are sizes. A parameter without # and $ has the fixed value.
struct Phrase {
  std::string_view parameter;
  std::string_view words;
  double fixed = 1;
};
constexpr auto kPhrases = std::to_array<Phrase>({
    {"dim", "last dimension|last dim|last axis|innermost dimension|each row|every row|per row|row wise|rowwise", -1},
    {"dim", "each column|every column|per column|column wise|columnwise", -2},
    {"dim", "first dimension|first dim|first axis", 0},
    {"dim", "second dimension|second dim|second axis|channel dimension|channel axis", 1},
    {"dim", "third dimension|third dim|third axis", 2},
    {"dim", "dim #|dimension #|axis #|dims #"},
    {"all", "all elements|all dimensions|all values|all entries|whole tensor|entire tensor|everything"},
    {"kernel", "kernel size #|kernel #|window size #|window #|filter size #|kernel size $|kernel $|window size $|window $|filter size $|$ kernel|$ kernels|$ window|$ windows|"
        "$ filter|$ filters"},
    {"filters", "# filters|# output channels|# out channels|# channels|# kernels|# output filters|output channels #|out channels #"},
    {"filters+kernel", "# $ filters|# $ kernels|# filters of size $|# filters of $"},
    {"stride", "stride #|strides #"},
    {"padding", "padding #|pad #"},
    {"dilation", "dilation #"},
    {"groups", "# groups|groups #"},
    {"depthwise", "depthwise|depth wise"},
    {"bias", "without bias|without a bias|no bias", 0},
    {"heads", "# heads|heads #|# attention heads"},
    {"length", "sequence length #|sequence #|seq len #|seqlen #|seq length #|context length #|# tokens"},
    {"head_dim", "head dimension #|head dim #|head size #|head dimensions #"},
    {"batch", "batch size #|batch #"},
    {"causal", "causal|causal mask|causal masking"},
    {"from_to", "from # to #|# -> #"},
    {"outputs", "# outputs|# output features|# out features|# units|# neurons|# hidden units|output features #|out features #"},
    {"eps", "eps #|epsilon #"},
    {"slope", "slope #|negative slope #"},
    {"range", "between # and #|min # max #"},
    {"shape:length", "length #|# elements|# values|# numbers|# entries|size #"},
    {"shape:rows", "# rows"},
    {"shape:columns", "# columns|# cols"},
    {"m", "m #"},
    {"n", "n #"},
    {"k", "k #"},
    {"two", "two"},
    {"rank", "1d|one dimensional", 1},
    {"rank", "2d|two dimensional", 2},
    {"rank", "3d|three dimensional", 3},
    {"rank", "4d|four dimensional", 4},
    {"float32", "fp32|float32|f32|single precision|float"},
    {"float16", "fp16|float16|f16|half precision|half"},
    {"bfloat16", "bf16|bfloat16"},
    {"float64", "fp64|float64|f64|double precision|double"},
    {"int32", "int32|i32"},
    {"int64", "int64|i64"},
});

// Words without a meaning of their own, and those that stand between operations.
constexpr auto kFillers = std::to_array<std::string_view>({
    "a", "an", "the", "of", "for", "to", "on", "over", "in", "with", "and", "then", "followed", "by", "along", "across", "applied", "apply",
    "implement", "write", "create", "compute", "computes", "computing", "calculate", "make", "build", "generate", "give", "me", "please", "i", "want",
    "need", "kernel", "triton", "fused", "fuse", "function", "op", "operation", "operator", "layer", "activation", "tensor", "tensors", "matrix",
    "matrices", "vector", "vectors", "input", "inputs", "image", "images", "shape", "shaped", "dimensions", "forward", "pass", "contiguous", "dtype",
    "type", "precision", "data", "pytorch", "torch", "cuda", "gpu", "that", "which", "performs", "perform", "does", "is", "it", "its", "result",
    "using", "use", "whose", "where", "having", "has", "fast", "efficient", "simple", "elementwise", "+", ",", "->", "=", "random", "size", "sizes",
    "as", "be", "should", "values", "elements",
});

// Words that people use and that say too little.
struct Hint {
  std::string_view word, hint;
};
constexpr auto kHints = std::to_array<Hint>({
    {"rows", "say which dimension is meant: \"each row\", \"over dim 0\""},
    {"columns", "say which dimension is meant: \"each column\", \"over dim 1\""},
    {"product", "say \"elementwise product\", \"matrix product\", \"dot product\" or \"product reduction\""},
    {"multiply", "say by what: \"multiply by 2\", \"elementwise multiply\", \"matmul\""},
    {"multiplication", "say \"elementwise multiplication\" or \"matrix multiplication\""},
    {"divide", "say by what: \"divide by 2\", \"elementwise divide\""},
    {"scale", "say by what: \"scale by 0.5\""},
    {"norm", "say which: \"layer norm\", \"rms norm\", \"batch norm\", \"group norm\", \"l2 norm\""},
    {"pool", "say which: \"max pool\", \"average pool\""},
    {"dropout", "what draws random numbers needs a file"},
    {"after", "say the operations in their order, with \"then\""},
    {"before", "say the operations in their order, with \"then\""},
});

// Those that may stand inside the phrase of a parameter: "padding of 1".
bool may_be_skipped(const SentenceToken& token) { return token.kind == Kind::word && (token.text == "of" || token.text == "=" || token.text == "is" || token.text == "the"); }

bool fits(std::string_view element, const SentenceToken& token) {
  if (element == "#") return token.kind == Kind::number;
  if (element == "$") return token.kind == Kind::sizes || token.kind == Kind::tuple;
  return token.kind == Kind::word && token.text == element;
}

struct Match {
  std::size_t length = 0;  // tokens; 0: none
  std::vector<std::vector<double>> values;
};

Match match(std::string_view phrase, const std::vector<SentenceToken>& tokens, std::size_t from, bool skipping) {
  Match found;
  std::size_t at = from;
  for (const std::string& element : split(phrase, ' ')) {
    const bool skip_here = at > from && (skipping || element == "#");
    while (skip_here && at < tokens.size() && !fits(element, tokens[at]) && may_be_skipped(tokens[at])) ++at;
    if (at == tokens.size() || !fits(element, tokens[at])) return {};
    if (element == "#" || element == "$") found.values.push_back(tokens[at].values);
    ++at;
  }
  found.length = at - from;
  return found;
}

// The longest of a row's spellings.
Match match_any(std::string_view words, const std::vector<SentenceToken>& tokens, std::size_t from, bool skipping) {
  Match best;
  for (const std::string& phrase : split(words, '|'))
    if (Match found = match(phrase, tokens, from, skipping); found.length > best.length) best = std::move(found);
  return best;
}

bool is_rank_word(std::string_view name, std::size_t values) {
  if (ends_with(name, "1d")) return false;  // "conv1d 16x32x56" has a shape
  if (ends_with(name, "2d")) return values == 2;
  if (ends_with(name, "3d")) return values == 3;
  return values == 2;
}

// Two of these joined by "and" may be meant as two results: "sin and cos of x". A layer "and relu" is a chain.
bool is_light(const SentenceOp& op) {
  return op.kind == OpKind::unary || op.kind == OpKind::reduce || op.kind == OpKind::scan || op.kind == OpKind::along;
}

class SentenceReader {
 public:
  explicit SentenceReader(std::vector<SentenceToken> tokens) : tokens_(std::move(tokens)) {}

  Result<Reading> read() {
    while (at_ < tokens_.size()) KA_TRY(next());
    if (!pending_.empty()) return invalid_input(fmt::format("\"{}\" belongs to none of the operations", pending_.front().shown));
    if (reading_.ops.empty()) return invalid_input("no operation is named");
    if (!rows_.empty() || !columns_.empty()) {
      if (rows_.empty() || columns_.empty() || !reading_.shapes.empty()) return invalid_input("rows and columns must both be given, and no other shape");
      KA_TRY(add_shape({rows_[0], columns_[0]}, "rows and columns"));
    }
    KA_TRY(put_in_order());
    return std::move(reading_);
  }

 private:
  struct Pending {
    std::string parameter, shown;
    std::vector<double> values;
  };

  std::string shown(std::size_t from, std::size_t length) const {
    std::vector<std::string> words;
    for (std::size_t i = from; i < from + length && i < tokens_.size(); ++i) words.push_back(tokens_[i].text);
    return join(words, " ");
  }

  const SentenceOp* op_at(std::size_t from, Match& best) const {
    const SentenceOp* found = nullptr;
    for (const SentenceOp& op : sentence_ops())
      if (Match here = match_any(op.words, tokens_, from, false); here.length > best.length) {
        best = std::move(here);
        found = &op;
      }
    return found;
  }

  Status next() {
    Match op_match, phrase_match;
    const SentenceOp* op = op_at(at_, op_match);
    const Phrase* phrase = nullptr;
    for (const Phrase& row : kPhrases)
      if (Match here = match_any(row.words, tokens_, at_, true); here.length > phrase_match.length) {
        phrase_match = std::move(here);
        phrase = &row;
      }
    if (op != nullptr && op_match.length >= phrase_match.length) return take_op(*op, op_match);
    if (phrase != nullptr) return take_phrase(*phrase, phrase_match);
    return take_rest();
  }

  Status take_op(const SentenceOp& op, const Match& found) {
    // "linear with bias": the layer's own.
    const bool own_bias = op.kind == OpKind::bias && !reading_.ops.empty() && takes(reading_.ops.back().op->kind, "bias");
    if (own_bias) {
      const auto [row, added] = reading_.ops.back().parameters.emplace("bias", std::vector<double>{1});
      if (!added) return invalid_input("a bias is wanted and not wanted");
    } else {
      OpUse use{&op, std::nullopt, {}};
      if (!found.values.empty()) use.number = found.values[0][0];
      reading_.ops.push_back(std::move(use));
      if (reading_.ops.size() > 1 && saw_and_ && !saw_sequence_ && is_light(op) && is_light(*reading_.ops[reading_.ops.size() - 2].op))
        return invalid_input(fmt::format("\"{} and {}\" may mean one after the other, or two results; say \"then\" for one after the other",
            reading_.ops[reading_.ops.size() - 2].op->name, op.name));
      after_of_.push_back(saw_of_ && !saw_sequence_ && !saw_and_);
      for (auto waiting = pending_.begin(); waiting != pending_.end();) {
        const bool fits_it = takes(op.kind, waiting->parameter) && reading_.ops.back().parameters.emplace(waiting->parameter, waiting->values).second;
        waiting = fits_it ? pending_.erase(waiting) : waiting + 1;
      }
    }
    saw_of_ = saw_and_ = saw_sequence_ = false;
    at_ += found.length;
    before_is_op_ = true;
    return ok();
  }

  Status take_phrase(const Phrase& phrase, const Match& found) {
    const std::string words = shown(at_, found.length);
    std::vector<double> values;
    for (const std::vector<double>& some : found.values) values.insert(values.end(), some.begin(), some.end());
    if (values.empty()) values.push_back(phrase.fixed);
    at_ += found.length;
    before_is_op_ = false;
    if (phrase.parameter == "filters+kernel") {
      KA_TRY(give("filters", words, {values[0]}));
      return give("kernel", words, {values.begin() + 1, values.end()});
    }
    return take_value(phrase.parameter, words, values);
  }

  Status take_value(std::string_view name, const std::string& words, const std::vector<double>& values) {
    if (name == "two") {
      reading_.two_inputs = true;
    } else if (name == "rank") {
      reading_.rank = static_cast<int>(values[0]);
    } else if (name == "shape:rows") {
      rows_ = values;
    } else if (name == "shape:columns") {
      columns_ = values;
    } else if (name == "shape:length") {
      const bool of_attention = std::any_of(reading_.ops.begin(), reading_.ops.end(), [](const OpUse& use) { return use.op->kind == OpKind::attention; });
      return of_attention ? give("length", words, values) : add_shape(values, words);
    } else if (const Result<ir::DType> dtype = ir::parse_dtype(name)) {
      if (reading_.dtype && *reading_.dtype != *dtype)
        return invalid_input(fmt::format("two types are named ({} and {})", ir::to_string(*reading_.dtype), ir::to_string(*dtype)));
      reading_.dtype = *dtype;
    } else {
      return give(std::string(name), words, values);
    }
    return ok();
  }

  // To the last operation before it that takes it and has none, otherwise to the next one.
  Status give(std::string name, const std::string& words, const std::vector<double>& values) {
    if (name == "from_to" && !reading_.ops.empty() && reading_.ops.back().op->kind == OpKind::clamp) name = "range";
    Match best;
    const SentenceOp* next_op = op_at(at_, best);
    const bool for_next = name == "kernel" && next_op != nullptr && takes(next_op->kind, name);
    for (auto use = reading_.ops.rbegin(); use != reading_.ops.rend() && !for_next; ++use)
      if (takes(use->op->kind, name) && use->parameters.emplace(name, values).second) return ok();
    pending_.push_back({name, words, values});
    return ok();
  }

  Status take_rest() {
    const SentenceToken token = tokens_[at_];
    const bool after_op = std::exchange(before_is_op_, false);
    ++at_;
    if (token.kind == Kind::number) return invalid_input(fmt::format("the number {} has no meaning here", token.text));
    if (token.kind == Kind::sizes || token.kind == Kind::tuple) return take_sizes(token, after_op);
    if (std::find(kFillers.begin(), kFillers.end(), token.text) == kFillers.end()) return unknown_word(token.text);
    saw_of_ |= token.text == "of";
    saw_and_ |= token.text == "and";
    saw_sequence_ |= token.text == "then" || token.text == "+" || token.text == "," || token.text == "->" || token.text == "followed" || token.text == "with";
    return ok();
  }

  Status take_sizes(const SentenceToken& token, bool after_op) {
    const OpUse* last = reading_.ops.empty() ? nullptr : &reading_.ops.back();
    const bool to_range = after_op || (at_ >= 2 && tokens_[at_ - 2].text == "to");
    if (last != nullptr && last->op->kind == OpKind::clamp && to_range && token.values.size() == 2 && !last->has("range")) return give("range", token.text, token.values);
    Match best;
    const SentenceOp* next_op = op_at(at_, best);
    const bool of_last = after_op && takes(last->op->kind, "kernel") && is_rank_word(last->op->name, token.values.size());
    const bool of_next = next_op != nullptr && takes(next_op->kind, "kernel") && is_rank_word(next_op->name, token.values.size());
    if (token.kind == Kind::sizes && (of_last || of_next)) return give("kernel", token.text, token.values);
    return add_shape(token.values, token.text);
  }

  Status add_shape(const std::vector<double>& values, const std::string& words) {
    std::vector<std::int64_t> shape;
    for (const double value : values) {
      if (!is_size(value)) return invalid_input(fmt::format("\"{}\" is no shape: sizes are whole numbers from 1 on", words));
      shape.push_back(static_cast<std::int64_t>(value));
    }
    reading_.shapes.push_back(std::move(shape));
    saw_of_ = saw_and_ = false;  // they were the shape's
    return ok();
  }

  static Error unknown_word(const std::string& word) {
    std::set<std::string> known;
    for (const SentenceOp& op : sentence_ops())
      for (const std::string& phrase : split(op.words, '|'))
        for (const std::string& part : split(phrase, ' '))
          if (part.size() > 2) known.insert(part);
    const auto hint = std::find_if(kHints.begin(), kHints.end(), [&](const Hint& row) { return row.word == word; });
    if (hint != kHints.end()) return invalid_input(fmt::format("the word \"{}\" alone is not understood: {}", word, hint->hint));
    if (known.contains(word)) return invalid_input(fmt::format("the word \"{}\" is not understood here", word));
    const std::vector<std::string_view> among(known.begin(), known.end());
    const std::optional<std::string> meant = closest(word, among);
    return invalid_input(fmt::format("the word \"{}\" is not understood{}", word.substr(0, 60), meant ? fmt::format(" (did you mean \"{}\"?)", *meant) : std::string()));
  }

  // "relu of the matmul": what stands behind "of" is computed first.
  Status put_in_order() {
    std::vector<OpUse> ordered;
    for (std::size_t i = 0; i < reading_.ops.size();) {
      std::size_t end = i + 1;
      while (end < reading_.ops.size() && after_of_[end]) ++end;
      if (end - i > 1 && i > 0) return invalid_input("the order of the operations is not clear: use either \"of\" or \"then\"");
      for (std::size_t k = end; k-- > i;) ordered.push_back(reading_.ops[k]);
      i = end;
    }
    reading_.ops = std::move(ordered);
    return ok();
  }

  std::vector<SentenceToken> tokens_;
  std::size_t at_ = 0;
  Reading reading_;
  std::vector<bool> after_of_;  // of each operation: "of" stands between it and the one before
  std::vector<Pending> pending_;
  std::vector<double> rows_, columns_;
  bool saw_of_ = false, saw_and_ = false, saw_sequence_ = false;  // since the last operation
  bool before_is_op_ = false;
};

}  // namespace

Result<Reading> read_sentence(std::string_view sentence) {
  KA_ASSIGN(std::vector<SentenceToken> tokens, sentence_tokens(sentence));
  return SentenceReader(std::move(tokens)).read();
}

}  // namespace ka::problem
