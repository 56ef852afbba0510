#include "synth/codegen/row_domain.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/builder.h"
#include "synth/codegen/family.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Sym;

struct Kind {
  const char* name;
  const char* identity_float;
  const char* identity_int;
  const char* combine;   // of two tiles
  const char* function;  // along an axis
};

constexpr Kind kKinds[] = {
    {"sum", "0.0", "0", "{0} + {1}", "tl.sum({0}, axis=1)[:, None]"},
    {"prod", "1.0", "1", "{0} * {1}", "tl.reduce({0}, 1, product)[:, None]"},
    {"max", "float(\"-inf\")", "lowest", "tl.maximum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)", "tl.reduce({0}, 1, largest)[:, None]"},
    {"min", "float(\"inf\")", "highest", "tl.minimum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)", "tl.reduce({0}, 1, smallest)[:, None]"},
    {"any", "False", "False", "{0} | {1}", "(tl.max({0}.to(tl.int32), axis=1) > 0)[:, None]"},
    {"all", "True", "True", "{0} & {1}", "(tl.min({0}.to(tl.int32), axis=1) > 0)[:, None]"},
};

const Kind& kind_of(const std::string& name) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return name == k.name; });
  KA_CHECK(found != std::end(kKinds));
  return *found;
}

std::int64_t lowest(DType dtype) {
  switch (dtype) {
    case DType::int64: return INT64_MIN;
    case DType::int32: return INT32_MIN;
    case DType::int16: return INT16_MIN;
    case DType::int8: return INT8_MIN;
    default: return 0;
  }
}

std::int64_t highest(DType dtype) {
  switch (dtype) {
    case DType::int64: return INT64_MAX;
    case DType::int32: return INT32_MAX;
    case DType::int16: return INT16_MAX;
    case DType::int8: return INT8_MAX;
    case DType::uint8: return UINT8_MAX;
    default: return 1;
  }
}

}  // namespace

RowDomain row_domain(const ir::PlannedKernel& kernel) {
  const auto is_reduced = [&](std::size_t d) { return std::find(kernel.reduced.begin(), kernel.reduced.end(), static_cast<int>(d)) != kernel.reduced.end(); };
  ir::Shape row_extents, column_extents;
  for (std::size_t d = 0; d < kernel.domain.size(); ++d) (is_reduced(d) ? column_extents : row_extents).push_back(kernel.domain[d]);
  RowDomain out{ir::product(row_extents), ir::product(column_extents), {}};
  const std::vector<Sym> row_index = ir::delinearize(Sym::index("row", out.rows), row_extents);
  const std::vector<Sym> col_index = ir::delinearize(Sym::index("col", out.columns), column_extents);
  std::size_t r = 0, c = 0;
  for (std::size_t d = 0; d < kernel.domain.size(); ++d) out.points.push_back(is_reduced(d) ? col_index[c++] : row_index[r++]);
  return out;
}

std::vector<Sym> index_of_operand(const ir::Shape& shape, const std::vector<Sym>& points) {
  std::vector<Sym> index(points.end() - static_cast<std::ptrdiff_t>(shape.size()), points.end());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d].is(1)) index[d] = 0;
  }
  return index;
}

// An index without columns covers the value only when every column has the same element.
bool is_per_row(const ir::PlannedKernel& kernel, const RowDomain& domain, ir::ValueId value) {
  const std::vector<Sym> index = at_points(kernel.index.at(value), domain.points);
  return std::none_of(index.begin(), index.end(), [](const Sym& i) { return ir::depends_on(i, "col"); });
}

DType accumulator_type(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype; }

std::string identity(const std::string& kind, DType dtype) {
  const Kind& row = kind_of(kind);
  if (ir::is_float(dtype)) return row.identity_float;
  const std::string text = row.identity_int;
  if (text == "lowest") return fmt::format("{}", lowest(dtype));
  if (text == "highest") return fmt::format("{}", highest(dtype));
  return text;
}

std::string combine_text(const std::string& kind, DType accumulator, const std::string& a, const std::string& b) {
  if (!ir::is_float(accumulator) && kind == "max") return fmt::format("tl.maximum({}, {})", a, b);
  if (!ir::is_float(accumulator) && kind == "min") return fmt::format("tl.minimum({}, {})", a, b);
  return fmt::format(fmt::runtime(kind_of(kind).combine), a, b);
}

std::string reduce_text(const std::string& kind, DType accumulator, const std::string& x) {
  if (!ir::is_float(accumulator) && kind == "max") return fmt::format("tl.max({}, axis=1)[:, None]", x);
  if (!ir::is_float(accumulator) && kind == "min") return fmt::format("tl.min({}, axis=1)[:, None]", x);
  return fmt::format(fmt::runtime(kind_of(kind).function), x);
}

}  // namespace ka::codegen
