#include "graph/size_fit.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace ka::graph {
namespace {

constexpr std::int64_t kLargestFactor = 4096;
constexpr std::int64_t kLargestDenominator = 8;
constexpr std::size_t kMostForThreeFactors = 24;  // symbols; three factors of more are too many to try

bool is_uniform(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t n) { return n == numbers[0]; });
}

// Of numbers that a file may have made up: what is too large wraps around, and is no match for what it is then compared with.
std::int64_t times(std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); }
std::int64_t plus(std::int64_t a, std::int64_t b) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)); }

// Whether `of(i)` is the number of every sample.
template <typename Of>
bool matches(const Numbers& numbers, Of of) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (of(i) != numbers[i]) return false;
  }
  return true;
}

// No size, and nothing that follows from one.
bool are_huge(const Numbers& numbers) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 60;
  return std::any_of(numbers.begin(), numbers.end(), [](std::int64_t n) { return n > kHuge || n < -kHuge; });
}

// Names that a kernel uses for itself.
const std::set<std::string>& kernel_words() {
  static const std::set<std::string> words = {
      "i", "m", "n", "k", "b", "ka", "kb", "row", "col", "acc", "tile", "group", "first", "step", "start", "carry", "down", "across",
      "tall", "BM", "BN", "BK", "ROWS", "BLOCK", "GROUP", "WIDE", "PRECISION", "tl", "torch", "triton", "libdevice", "plus",
      "product", "largest", "smallest", "slot", "before", "unit", "h", "cell", "f", "g", "o", "r", "z", "a", "BB", "BU", "other",
      "rank", "p", "key", "best", "last"};
  return words;
}

// "get_inputs[0].dim1" -> "get_inputs_0_dim1"; Python's and our own names stay free.
std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (plain) out += c;
    else if (!out.empty() && out.back() != '_') out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "size_" + out;
  if (kernel_words().contains(out)) out += "_size";
  return out;
}

Numbers extents(const Exported& exported, std::size_t argument, std::size_t dim) {
  Numbers out;
  for (const ExportedGraph& sample : exported.samples) out.push_back(sample.arguments[argument].tensor->shape[dim]);
  return out;
}

// Of a node's first result; empty where a sample has no such extent.
Numbers result_extents(const Exported& exported, std::size_t node, std::size_t dim) {
  Numbers out;
  for (const ExportedGraph& sample : exported.samples) {
    if (node >= sample.nodes.size() || sample.nodes[node].outputs.empty()) return {};
    const std::optional<TensorFacts>& facts = sample.nodes[node].outputs[0];
    if (!facts || dim >= facts->shape.size()) return {};
    out.push_back(facts->shape[dim]);
  }
  return out;
}

bool is_reshape(const std::string& op) {
  return op == "aten.view.default" || op == "aten.reshape.default" || op == "aten._unsafe_view.default" || op == "aten.unflatten.int";
}

// Names of the problem's constants by their values; literals of get_inputs have no name worth keeping.
std::map<Numbers, std::string> constant_names(const Exported& exported) {
  std::map<Numbers, std::string> out;
  for (const auto& [name, value] : exported.samples[0].sizes) {
    if (name.find(':') != std::string::npos || name.find('.') != std::string::npos) continue;
    Numbers numbers;
    for (const ExportedGraph& sample : exported.samples) {
      const auto found = sample.sizes.find(name);
      numbers.push_back(found == sample.sizes.end() ? value : found->second);
    }
    out.emplace(numbers, identifier(name));
  }
  return out;
}

}  // namespace

SizeFit::SizeFit(const Exported& exported) : exported_(exported), samples_(exported.samples.size()) {
  const std::map<Numbers, std::string> names = constant_names(exported);
  const std::vector<ExportedArgument>& arguments = exported.samples[0].arguments;
  std::set<std::string> taken;
  // First the extents that are constants of the problem: they name the symbols. Then what none of these expresses.
  for (const bool named_only : {true, false}) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].tensor || arguments[i].kind == "constant") continue;
      for (std::size_t d = 0; d < arguments[i].tensor->shape.size(); ++d) {
        const Numbers numbers = extents(exported, i, d);
        const auto name = names.find(numbers);
        // a constant of its own stays one, even where it happens to be half of another
        const bool expressed = named_only ? known_.contains(numbers) : express(numbers).has_value();
        if (is_uniform(numbers) || expressed || (named_only && name == names.end())) continue;
        std::string chosen = name != names.end() ? name->second : fmt::format("{}_dim{}", identifier(arguments[i].keyword), d);
        while (!taken.insert(chosen).second) chosen += '_';
        add_symbol(chosen, numbers, i, static_cast<int>(d));
      }
    }
  }
  find_parts();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ir::Shape shape;
    const std::size_t rank = arguments[i].tensor ? arguments[i].tensor->shape.size() : 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const Numbers numbers = extents(exported, i, d);
      shape.push_back(express(numbers).value_or(ir::Sym(numbers[0])));
    }
    argument_shapes_.push_back(std::move(shape));
  }
}

// Results of reshapes show it: k parts of v numbers side by side, and k * v is the extent or a multiple of it.
void SizeFit::find_parts() {
  std::set<std::pair<std::int64_t, Numbers>> cuts;
  for (std::size_t i = 0; i < exported_.samples[0].nodes.size(); ++i) {
    const ExportedNode& node = exported_.samples[0].nodes[i];
    if (!is_reshape(node.op) || node.outputs.empty() || !node.outputs[0]) continue;
    for (std::size_t d = 0; d + 1 < node.outputs[0]->shape.size(); ++d) {
      const Numbers one = result_extents(exported_, i, d), other = result_extents(exported_, i, d + 1);
      if (one.empty() || other.empty() || is_uniform(one) == is_uniform(other)) continue;
      cuts.emplace(is_uniform(one) ? one[0] : other[0], is_uniform(one) ? other : one);
    }
  }
  const std::size_t count = symbols_.size();
  for (std::size_t s = 0; s < count; ++s) {
    const Numbers& whole = symbols_[s].numbers;
    std::int64_t parts = 1;
    for (const auto& [k, v] : cuts) {
      if (v[0] < 1 || k < 2 || whole[0] < 1 || whole[0] % v[0] != 0 || times(k, v[0]) % whole[0] != 0 || known_.contains(v)) continue;
      const std::int64_t here = whole[0] / v[0];
      if (here > kLargestFactor || parts > kLargestFactor) continue;
      if (matches(whole, [here, &v = v](std::size_t i) { return times(here, v[i]); })) parts = std::lcm(parts, here);
    }
    const bool whole_parts = parts > 1 && parts <= kLargestFactor && std::all_of(whole.begin(), whole.end(), [&](std::int64_t n) { return n % parts == 0; });
    if (whole_parts) split(s, parts);
  }
}

void SizeFit::split(std::size_t symbol, std::int64_t parts) {
  const Source whole = sources_[symbol];  // as long as only the constructor has added symbols, both lists have one order
  Numbers numbers = symbols_[symbol].numbers;
  for (std::int64_t& number : numbers) number /= parts;
  std::string name = whole.symbol + "_part";
  while (bound_[0].contains(name)) name += '_';
  add_symbol(name, numbers, whole.argument, whole.dim);
  sources_.back().whole = whole.symbol;
  sources_.back().parts = parts;
  symbols_[symbol].sym = symbols_.back().sym * parts;
  known_[symbols_[symbol].numbers] = symbols_[symbol].sym;
}

std::optional<ir::Sym> SizeFit::root(const Numbers& numbers) {
  if (are_huge(numbers)) return std::nullopt;
  const std::vector<ExportedArgument>& arguments = exported_.samples[0].arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].tensor || arguments[i].kind == "constant") continue;
    for (std::size_t d = 0; d < arguments[i].tensor->shape.size(); ++d) {
      const Numbers extent = extents(exported_, i, d);
      const std::int64_t square = times(numbers[0], numbers[0]), factor = square > 0 ? extent[0] / square : 0;
      if (factor < 1 || !matches(extent, [&](std::size_t s) { return times(times(factor, numbers[s]), numbers[s]); })) continue;
      const std::map<Numbers, std::string> names = constant_names(exported_);
      const auto name = names.find(numbers);
      std::string chosen = name != names.end() ? name->second : fmt::format("{}_side{}", identifier(arguments[i].keyword), d);
      while (!bound_.empty() && bound_[0].contains(chosen)) chosen += '_';
      add_symbol(chosen, numbers, i, static_cast<int>(d));
      sources_.back().per_square = factor;
      return symbols_.back().sym;
    }
  }
  return std::nullopt;
}

void SizeFit::add_symbol(const std::string& name, const Numbers& numbers, std::size_t argument, int dim) {
  const ir::Sym sym = ir::Sym::size(name);
  symbols_.push_back({sym, numbers});
  known_.emplace(numbers, sym);
  sources_.push_back({name, argument, dim, numbers[0]});
  bound_.resize(samples_);
  for (std::size_t s = 0; s < samples_; ++s) bound_[s][name] = numbers[s];
}

std::optional<Numbers> SizeFit::values(const ir::Sym& expression) const {
  Numbers out;
  static const std::map<std::string, std::int64_t> nothing;
  for (std::size_t s = 0; s < samples_; ++s) {
    const std::optional<std::int64_t> value = ir::evaluate(expression, s < bound_.size() ? bound_[s] : nothing);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

void SizeFit::remember(const ir::Sym& expression) {
  if (expression.is_constant()) return;
  if (const std::optional<Numbers> numbers = values(expression); numbers && !is_uniform(*numbers))
    known_.emplace(*numbers, expression);
}

void SizeFit::derive(const std::string& name, const ir::Sym& expression) {
  const std::optional<Numbers> numbers = values(expression);
  if (!numbers) return;
  bound_.resize(samples_);
  for (std::size_t s = 0; s < samples_; ++s) bound_[s][name] = (*numbers)[s];
  if (!is_uniform(*numbers)) known_.emplace(*numbers, ir::Sym::size(name));
}

std::optional<ir::Sym> SizeFit::express(const Numbers& numbers) const {
  if (is_uniform(numbers)) return ir::Sym(numbers[0]);
  if (const auto found = known_.find(numbers); found != known_.end()) return found->second;
  if (are_huge(numbers)) return std::nullopt;
  if (std::optional<ir::Sym> found = affine(numbers)) return found;
  if (std::optional<ir::Sym> found = quotient(numbers)) return found;
  return products(numbers);
}

// Networks have hundreds of sizes: candidates are compared as numbers, and only the one that fits becomes an expression.

// a*s + b
std::optional<ir::Sym> SizeFit::affine(const Numbers& numbers) const {
  for (const Symbol& symbol : symbols_) {
    for (std::size_t s = 1; s < samples_; ++s) {
      const std::int64_t step = symbol.numbers[s] - symbol.numbers[0], rise = numbers[s] - numbers[0];
      if (step == 0) continue;
      if (rise % step != 0 || rise == 0 || std::abs(rise / step) > kLargestFactor) break;
      const std::int64_t factor = rise / step, offset = numbers[0] - symbol.numbers[0] * factor;
      if (matches(numbers, [&](std::size_t i) { return plus(times(symbol.numbers[i], factor), offset); })) return symbol.sym * factor + offset;
      break;
    }
  }
  return std::nullopt;
}

// s // q, rounded up or down, s // t, and p * s // (q * t)
std::optional<ir::Sym> SizeFit::quotient(const Numbers& numbers) const {
  for (const Symbol& symbol : symbols_) {
    for (const Symbol& divisor : symbols_) {
      if (std::find(divisor.numbers.begin(), divisor.numbers.end(), 0) != divisor.numbers.end()) continue;
      if (!matches(numbers, [&](std::size_t i) { return symbol.numbers[i] / divisor.numbers[i]; })) continue;
      const ir::Sym candidate = ir::floor_div(symbol.sym, divisor.sym);
      if (!candidate.is_constant()) return candidate;
    }
  }
  // p * s // (q * t), where nothing is left over: the heads of a width, of which another argument shows a multiple of the depth
  for (const Symbol& symbol : symbols_) {
    if (samples_ < 3) break;  // two samples fit too much
    for (const Symbol& divisor : symbols_) {
      const std::int64_t whole = symbol.numbers[0], part = times(numbers[0], divisor.numbers[0]);
      if (whole <= 0 || part <= 0) continue;
      const std::int64_t common = std::gcd(whole, part), p = part / common, q = whole / common;
      if (p > kLargestFactor || q > kLargestFactor) continue;
      Numbers parts;
      for (std::size_t i = 0; i < samples_; ++i) parts.push_back(times(times(numbers[i], divisor.numbers[i]), q));
      if (!matches(parts, [&](std::size_t i) { return times(symbol.numbers[i], p); })) continue;
      const ir::Sym candidate = ir::floor_div(symbol.sym * p, divisor.sym * q);
      if (!candidate.is_constant()) return candidate;
    }
  }
  for (const Symbol& symbol : symbols_) {
    if (numbers[0] <= 0) continue;
    const std::int64_t ratio = symbol.numbers[0] / numbers[0];
    for (const std::int64_t q : {ratio, ratio + 1}) {
      if (q < 2 || q > kLargestFactor) continue;
      if (matches(numbers, [&](std::size_t i) { return symbol.numbers[i] / q; })) return ir::floor_div(symbol.sym, q);
      if (matches(numbers, [&](std::size_t i) { return (symbol.numbers[i] + q - 1) / q; })) return ir::ceil_div(symbol.sym, q);
    }
  }
  return std::nullopt;
}

// s * p // q: three halves of an extent, as a program computes that resizes by a factor. Through two samples there is such a line too often.
std::optional<ir::Sym> SizeFit::fraction(const Numbers& numbers) const {
  if (samples_ < 3 || are_huge(numbers)) return std::nullopt;
  for (const Symbol& symbol : symbols_) {
    for (std::int64_t q = 2; q <= kLargestDenominator && symbol.numbers[0] > 0; ++q) {
      const std::int64_t least = times(numbers[0], q) / symbol.numbers[0];
      for (const std::int64_t p : {least, plus(least, 1)}) {
        if (p > 1 && p % q != 0 && matches(numbers, [&](std::size_t i) { return times(symbol.numbers[i], p) / q; })) return ir::floor_div(symbol.sym * p, q);
      }
    }
  }
  return std::nullopt;
}

// s * t times or divided by a number, the same with three factors; over symbols and remembered expressions
std::optional<ir::Sym> SizeFit::products(const Numbers& numbers) const {
  std::vector<Symbol> factors;
  for (const auto& [values_of, sym] : known_) factors.push_back({sym, values_of});
  // the base whose value in sample i is `of(i)`, times or divided by a whole number
  const auto scaled = [&](auto of, auto base) -> std::optional<ir::Sym> {
    const std::int64_t whole = of(0);
    if (whole == 0 || whole == INT64_MIN || numbers[0] == 0) return std::nullopt;
    if (numbers[0] % whole == 0) {
      const std::int64_t factor = numbers[0] / whole;
      return matches(numbers, [&](std::size_t i) { return times(of(i), factor); }) ? std::optional(base() * factor) : std::nullopt;
    }
    if (whole % numbers[0] != 0) return std::nullopt;
    const std::int64_t divisor = whole / numbers[0];
    return matches(numbers, [&](std::size_t i) { return of(i) / divisor; }) ? std::optional(ir::floor_div(base(), divisor)) : std::nullopt;
  };
  for (const Symbol& a : factors) {
    if (std::optional<ir::Sym> found = scaled([&](std::size_t i) { return a.numbers[i]; }, [&] { return a.sym; })) return found;
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = i; j < factors.size(); ++j) {
      const Symbol &a = factors[i], &b = factors[j];
      if (std::optional<ir::Sym> found = scaled([&](std::size_t k) { return times(a.numbers[k], b.numbers[k]); }, [&] { return a.sym * b.sym; })) return found;
    }
  }
  if (symbols_.size() > kMostForThreeFactors) return std::nullopt;
  for (const Symbol& a : symbols_) {
    for (const Symbol& b : symbols_) {
      for (const Symbol& c : symbols_) {
        const auto of = [&](std::size_t k) { return times(times(a.numbers[k], b.numbers[k]), c.numbers[k]); };
        if (std::optional<ir::Sym> found = scaled(of, [&] { return a.sym * b.sym * c.sym; })) return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace ka::graph
