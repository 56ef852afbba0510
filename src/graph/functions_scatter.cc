// Writing to places that a tensor names, turned round: each element of the result looks through the list of writes for its
// own. That costs a reduction over the list, needs no atomics, and gives the same bits in every run; of several writes to
// one place the last one counts, as on a CPU.
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "graph/term_functions.h"

namespace ka::graph {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// All writes as seen from the result: the domain is the result's shape and, last, the number of the write.
struct Writes {
  ValueId match = -1;                        // whether the write goes to this element
  ValueId value = -1;                        // what it writes; -1 when all write the same number
  std::function<ValueId(ValueId)> written;   // what the write with this number writes, in the shape of the result
};

Shape with_list(const Shape& shape, const Sym& writes) {
  Shape out = shape;
  out.push_back(writes);
  return out;
}

ValueId over_list(ir::Builder& b, const std::string& kind, ValueId x) {
  Shape to = b.shape(x);
  to.pop_back();
  return b.reshape(b.reduce(kind, x, {b.rank(x) - 1}), to);
}

double lowest(ir::DType dtype) {
  if (ir::is_float(dtype)) return -std::numeric_limits<double>::infinity();
  if (dtype == ir::DType::uint8 || dtype == ir::DType::bool_) return 0;
  return -static_cast<double>(std::int64_t{1} << (ir::info(dtype).mantissa_bits < 62 ? ir::info(dtype).mantissa_bits : 62));
}

double highest(ir::DType dtype) {
  if (ir::is_float(dtype)) return std::numeric_limits<double>::infinity();
  return dtype == ir::DType::uint8 ? 255 : -lowest(dtype) - (ir::info(dtype).mantissa_bits < 53 ? 1 : 0);
}

ValueId replaced(ir::Builder& b, ValueId x, const Writes& w) {
  const std::vector<Sym> i = ir::index_symbols(b.shape(w.match));
  const ValueId none = b.constant(-1, ir::DType::int64);
  const ValueId number = b.elementwise("where", {w.match, b.index(b.shape(w.match), i.back()), none});
  const ValueId last = over_list(b, "max", number);
  const ValueId safe = b.elementwise("maximum", {last, b.constant(0, ir::DType::int64)});
  return b.elementwise("where", {b.elementwise("ge", {last, b.constant(0, ir::DType::int64)}), b.cast(w.written(safe), b.type(x).dtype), x});
}

// kind: replace, sum, prod, mean, amax, amin
ValueId combined(Operands& in, ValueId x, const Writes& w, const std::string& kind, bool include_self) {
  ir::Builder& b = in.builder();
  const ir::DType dtype = b.type(x).dtype;
  if (kind == "replace") return replaced(b, x, w);
  const auto folded = [&](const std::string& by, double neutral) {
    return over_list(b, by, b.elementwise("where", {w.match, b.cast(w.value, dtype), b.constant(neutral, dtype)}));
  };
  const ValueId any = over_list(b, "any", w.match);
  const auto self_or = [&](double neutral) {
    return include_self ? x : b.elementwise("where", {any, b.constant(neutral, dtype), x});
  };
  if (kind == "sum") return b.elementwise("add", {self_or(0), folded("sum", 0)});
  if (kind == "prod") return b.elementwise("mul", {self_or(1), folded("prod", 1)});
  if (kind == "amax") return b.elementwise("maximum", {self_or(lowest(dtype)), folded("max", lowest(dtype))});
  if (kind == "amin") return b.elementwise("minimum", {self_or(highest(dtype)), folded("min", highest(dtype))});
  if (kind == "mean" && ir::is_float(dtype)) {
    const ValueId count = over_list(b, "sum", b.cast(w.match, dtype));
    const ValueId total = b.elementwise("add", {self_or(0), folded("sum", 0)});
    const ValueId by = include_self ? b.elementwise("add", {count, b.constant(1, dtype)})
                                    : b.elementwise("maximum", {count, b.constant(1, dtype)});
    return b.elementwise("div", {total, by});
  }
  in.fail("unknown reduction " + kind);
}

ValueId same_number(ir::Builder& b, ValueId x, const Writes& w, ValueId value) {
  return b.elementwise("where", {over_list(b, "any", w.match), b.cast(value, b.type(x).dtype), x});
}

// index has as many dimensions as x; element j of it along `dim` says where element j of source goes.
Writes scattered(ir::Builder& b, ValueId x, int d, ValueId index, ValueId source) {
  const Shape shape = b.shape(x);
  const Shape of_index = b.shape(index), domain = with_list(shape, of_index.at(at(d)));
  const std::vector<Sym> i = ir::index_symbols(domain);
  std::vector<Sym> place(i.begin(), i.end() - 1), valid;
  place.at(at(d)) = i.back();
  for (int k = 0; k < b.rank(x); ++k) {
    if (k != d) valid.push_back(of_index.at(at(k)) - 1 - i.at(at(k)));
  }
  Writes out;
  out.match = b.elementwise("eq", {b.remap(b.cast(index, ir::DType::int64), domain, place, valid, -1), b.index(domain, i.at(at(d)))});
  if (source < 0) return out;
  out.value = b.remap(source, domain, place, valid, 0);
  out.written = [&b, d, shape, source](ValueId number) {
    std::vector<Sym> where = ir::index_symbols(shape);
    for (std::size_t k = 0; k < where.size(); ++k) where[k] = ir::minimum(where[k], b.shape(source).at(k) - 1);
    where.at(at(d)) = Sym::index("t0", b.shape(source).at(at(d)));
    return b.gather(source, {number}, shape, where);
  };
  return out;
}

// index is a list: element j says where slice j of source goes.
Writes by_list(ir::Builder& b, ValueId x, int d, ValueId index, ValueId source) {
  const Shape shape = b.shape(x);
  const ValueId list = b.reshape(b.cast(index, ir::DType::int64), {ir::product(b.shape(index))});
  const Shape domain = with_list(shape, b.shape(list)[0]);
  const std::vector<Sym> i = ir::index_symbols(domain);
  Writes out;
  out.match = b.elementwise("eq", {b.remap(list, domain, {i.back()}), b.index(domain, i.at(at(d)))});
  if (source < 0) return out;
  if (b.rank(source) < b.rank(x)) {
    Shape one = shape;
    one.at(at(d)) = 1;
    source = b.reshape(source, one);
  }
  std::vector<Sym> place(i.begin(), i.end() - 1);
  place.at(at(d)) = i.back();
  out.value = b.remap(source, domain, place);
  out.written = [&b, d, shape, source](ValueId number) {
    std::vector<Sym> where = ir::index_symbols(shape);
    where.at(at(d)) = Sym::index("t0", b.shape(source).at(at(d)));
    return b.gather(source, {number}, shape, where);
  };
  return out;
}

Arg scatter(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x"), index = in.tensor("index");
  if (b.rank(x) == 0 || b.rank(index) == 0) in.fail("tensors without dimensions are not supported");
  const int d = in.dim("dim", b.rank(x));
  const std::string kind = in.text("kind", "replace");
  if (in.arg("source").tensor() == nullptr) {
    const ValueId value = b.cast(in.tensor("source"), b.type(x).dtype);
    Writes w = scattered(b, x, d, index, -1);
    if (kind == "replace") return tensor_arg(same_number(b, x, w, value));
    w.value = value;
    return tensor_arg(combined(in, x, w, kind, in.flag("include_self", true)));
  }
  return tensor_arg(combined(in, x, scattered(b, x, d, index, in.tensor("source")), kind, in.flag("include_self", true)));
}

Arg index_write(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x"), index = in.tensor("index");
  if (b.rank(x) == 0) in.fail("tensors without dimensions are not supported");
  const int d = in.dim("dim", b.rank(x));
  const bool number = in.arg("source").tensor() == nullptr || (b.rank(in.tensor("source")) == 0 && in.flag("fill", false));
  if (number) return tensor_arg(same_number(b, x, by_list(b, x, d, index, -1), in.tensor("source")));
  return tensor_arg(combined(in, x, by_list(b, x, d, index, in.tensor("source")), in.text("kind", "replace"), in.flag("include_self", true)));
}

// x[mask] = values
Arg masked(Operands& in, ValueId x, ValueId mask, ValueId values) {
  ir::Builder& b = in.builder();
  Shape spread = b.shape(mask);
  in.need(spread.size() <= b.shape(x).size(), "the mask has more dimensions than the tensor");
  if (ir::product(b.shape(values)).is(1)) {
    spread.insert(spread.end(), b.shape(x).size() - spread.size(), Sym(1));
    const ValueId whole = b.expand(b.reshape(mask, spread), b.shape(x));
    return tensor_arg(b.elementwise("where", {whole, b.reshape(b.cast(values, b.type(x).dtype), {}), x}));
  }
  if (spread.size() != b.shape(x).size()) in.fail("a mask of fewer dimensions with several values is not supported");
  return tensor_arg(in.tensor_of(call_function("masked_scatter", {tensor_arg(x), tensor_arg(mask), tensor_arg(values)}, {}, b)));
}

// x[i, :, j] = values, or += with `accumulate`
Arg index_put(Operands& in) {
  ir::Builder& b = in.builder();
  const ValueId x = in.tensor("x");
  const ArgList* list = std::get_if<ArgList>(&in.arg("indices").value);
  std::vector<std::pair<int, ValueId>> named;
  Shape common;
  for (int d = 0; list != nullptr && d < static_cast<int>(list->size()); ++d) {
    const Tensor* tensor = (*list).at(at(d)).tensor();
    if (tensor == nullptr) continue;
    if (b.type(tensor->id).dtype == ir::DType::bool_) {
      if (list->size() == 1 && !in.flag("accumulate", false)) return masked(in, x, tensor->id, in.tensor("values"));
      in.fail("a boolean index beside another one is not supported");
      return {};
    }
    common = ir::broadcast(common, b.shape(tensor->id));
    named.emplace_back(d, b.cast(tensor->id, ir::DType::int64));
  }
  in.need(!named.empty() && static_cast<int>(list->size()) <= b.rank(x), "indices are missing, or more than x has dimensions");
  // the values have the shape that reading at these places would give
  const bool together = named.back().first - named[0].first + 1 == static_cast<int>(named.size());
  const std::size_t position = together ? at(named[0].first) : 0;
  std::vector<int> plain;
  Shape read;
  for (int d = 0; d < b.rank(x); ++d) {
    const bool is_named = std::any_of(named.begin(), named.end(), [&](const auto& n) { return n.first == d; });
    if (is_named) continue;
    plain.push_back(d);
    read.push_back(b.shape(x).at(at(d)));
  }
  read.insert(read.begin() + static_cast<std::ptrdiff_t>(position), common.begin(), common.end());
  const ValueId values = b.expand(in.tensor("values"), read);
  const Sym writes = ir::product(common);
  const Shape shape = b.shape(x), domain = with_list(shape, writes);
  const std::vector<Sym> i = ir::index_symbols(domain), number = ir::delinearize(i.back(), common);
  Writes w;
  for (const auto& [d, tensor] : named) {
    const Sym extent = shape.at(at(d));
    const ValueId spread = b.remap(b.expand(tensor, common), domain, number);
    const ValueId wrapped = b.elementwise("where", {b.elementwise("lt", {spread, b.constant(0, ir::DType::int64)}),
                                                    b.elementwise("add", {spread, b.index({}, extent)}), spread});
    const ValueId here = b.elementwise("eq", {wrapped, b.index(domain, i.at(at(d)))});
    w.match = w.match < 0 ? here : b.elementwise("and", {w.match, here});
  }
  const auto place = [plain, position](const std::vector<Sym>& result, const std::vector<Sym>& write) {
    std::vector<Sym> out;
    for (const int d : plain) out.push_back(result.at(at(d)));
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(position), write.begin(), write.end());
    return out;
  };
  w.value = b.remap(values, domain, place(i, number));
  w.written = [&b, place, shape, values, writes, common](ValueId which) {
    return b.gather(values, {which}, shape, place(ir::index_symbols(shape), ir::delinearize(Sym::index("t0", writes), common)));
  };
  return tensor_arg(combined(in, x, w, in.flag("accumulate", false) ? "sum" : "replace", true));
}

constexpr Function kFunctions[] = {
    {"index_put", "x, indices, values, accumulate", index_put},
    {"index_write", "x, dim, index, source, kind, include_self, fill", index_write},
    {"scatter", "x, dim, index, source, kind, include_self", scatter},
};

constexpr Macro kMacros[] = {
    {"masked_scatter", "x, mask, source",
     "let m = expand(mask, shape(x));"
     "let place = reshape(scan('sum', cast(reshape(m, [-1]), int64), 0), shape(x)) - 1;"
     "where(m, like(take(reshape(source, [-1]), 0, maximum(place, 0)), x), x)"},
    {"reduction_kind", "name", "if name == 'add' then 'sum' else if name == 'multiply' then 'prod' else name"},
};

}  // namespace

std::span<const Function> scatter_functions() {
  return kFunctions;
}

std::span<const Macro> scatter_macros() {
  return kMacros;
}

}  // namespace ka::graph
