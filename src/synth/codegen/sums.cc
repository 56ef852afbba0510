#include "synth/codegen/sums.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ka::codegen {
namespace {

using ir::ValueId;

constexpr std::int64_t kAligned = 16;

// The compiler knows of a number whether 16 divides it, and nothing else; of a sum it knows what divides all terms.
bool stays_aligned(const ir::Sym& sum, const std::map<std::string, std::int64_t>& given) {
  std::int64_t common = kAligned;
  for (const ir::Term& term : sum.terms()) {
    const bool aligned = std::any_of(term.atoms.begin(), term.atoms.end(), [&](const ir::AtomRef& atom) {
      const auto size = given.find(atom->name);
      return atom->kind == ir::AtomKind::size && size != given.end() && size->second % kAligned == 0;
    });
    if (!aligned) common = std::gcd(common, term.coefficient);
  }
  return common == 1 || ir::evaluate(sum, given).value_or(1) % kAligned == 0;
}

// In the extents of what the kernel computes and reads.
std::vector<ir::Sym> sums_of(const EmitRequest& request) {
  std::vector<ir::Sym> out;
  const auto add = [&](const ir::Shape& shape) {
    for (const ir::Sym& extent : shape) {
      if (extent.terms().size() > 1 && stays_aligned(extent, request.given) && std::find(out.begin(), out.end(), extent) == out.end()) out.push_back(extent);
    }
  };
  const std::vector<ValueId>& outputs = request.kernel.outputs;
  add(request.kernel.domain);
  std::set<ValueId> seen;
  std::vector<ValueId> waiting(outputs.rbegin(), outputs.rend());
  while (!waiting.empty()) {
    const ValueId value = waiting.back();
    waiting.pop_back();
    if (!seen.insert(value).second) continue;
    add(request.graph.shape(value));
    const ir::Node* node = request.graph.maker(value);
    const bool is_read = request.buffers.contains(value) && !request.kernel.computed.contains(value) && std::find(outputs.begin(), outputs.end(), value) == outputs.end();
    if (node != nullptr && !is_read) waiting.insert(waiting.end(), node->inputs.rbegin(), node->inputs.rend());
  }
  return out;
}

}  // namespace

EmittedKernel emit_with_sums(EmitRequest request, std::vector<NamedSum>& sums, Source& names) {
  EmittedKernel out = emit(request);
  std::vector<ir::Sym> left = sums_of(request);
  for (bool tries = !left.empty(); tries;) {
    tries = false;
    for (std::size_t i = 0; i < left.size();) {
      auto known = std::find_if(sums.begin(), sums.end(), [&](const NamedSum& one) { return one.sum == left[i]; });
      if (known == sums.end()) known = sums.insert(known, {left[i], names.unique("extent")});
      request.sums.push_back(*known);
      EmittedKernel other = emit(request);
      if (other.text == out.text || other.sizes.size() > out.sizes.size()) {
        request.sums.pop_back();
        ++i;
        continue;
      }
      out = std::move(other);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      tries = true;  // a sum that took a parameter too many may take none more now
    }
  }
  return out;
}

}  // namespace ka::codegen
