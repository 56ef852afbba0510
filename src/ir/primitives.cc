#include "ir/primitives.h"

#include <algorithm>
#include <array>

namespace ka::ir {
namespace {

constexpr Fusion E = Fusion::elementwise;
constexpr ResultType promoted = ResultType::promoted, floating = ResultType::floating, boolean = ResultType::boolean,
                     stated = ResultType::as_stated;

// Floating texts are evaluated in float32 for the 16-bit types, else in the type itself. PyTorch keeps NaN in maximum,
// minimum and everything built from them, so these say so.
constexpr Primitive kPrimitives[] = {
    {"constant", Fusion::source, 0, stated, ""},
    {"index", Fusion::source, 0, stated, ""},
    {"random", Fusion::opaque, -1, stated, ""},

    {"abs", E, 1, promoted, "tl.abs({0})", "tl.abs({0})", "{0}"},
    {"acos", E, 1, floating, "libdevice.acos({0})", {}, {}, 10},
    {"acosh", E, 1, floating, "libdevice.acosh({0})", {}, {}, 10},
    {"add", E, 2, promoted, "{0} + {1}", "{0} + {1}", "{0} | {1}"},
    {"and", E, 2, promoted, "", "{0} & {1}", "{0} & {1}"},
    {"asin", E, 1, floating, "libdevice.asin({0})", {}, {}, 10},
    {"asinh", E, 1, floating, "libdevice.asinh({0})", {}, {}, 10},
    {"atan", E, 1, floating, "libdevice.atan({0})", {}, {}, 10},
    {"atan2", E, 2, floating, "libdevice.atan2({0}, {1})", {}, {}, 10},
    {"atanh", E, 1, floating, "libdevice.atanh({0})", {}, {}, 10},
    {"cast", E, 1, stated, "{0}"},
    {"ceil", E, 1, promoted, "tl.ceil({0})", "{0}"},
    {"bessel_i0", E, 1, floating, "libdevice.cyl_bessel_i0({0})", {}, {}, 20},
    {"bessel_i1", E, 1, floating, "libdevice.cyl_bessel_i1({0})", {}, {}, 20},
    {"bessel_j0", E, 1, floating, "libdevice.j0({0})", {}, {}, 20},
    {"bessel_j1", E, 1, floating, "libdevice.j1({0})", {}, {}, 20},
    {"copysign", E, 2, floating, "libdevice.copysign({0}, {1})", {}, {}, 2},
    {"cos", E, 1, floating, "tl.cos({0})", {}, {}, 10},
    {"cosh", E, 1, floating, "libdevice.cosh({0})", {}, {}, 10},
    {"div", E, 2, floating, "{0} / {1}"},
    // rounded as IEEE says, for float32: where a quotient decides an index
    {"div_rn", E, 2, floating, "tl.div_rn({0}, {1})", {}, {}, 4},
    {"eq", E, 2, boolean, "{0} == {1}", "{0} == {1}", "{0} == {1}"},
    {"erf", E, 1, floating, "tl.erf({0})", {}, {}, 10},
    {"erfc", E, 1, floating, "libdevice.erfc({0})", {}, {}, 10},
    {"erfcx", E, 1, floating, "libdevice.erfcx({0})", {}, {}, 10},
    {"erfinv", E, 1, floating, "libdevice.erfinv({0})", {}, {}, 10},
    {"exp", E, 1, floating, "tl.exp({0})", {}, {}, 4},
    {"exp2", E, 1, floating, "tl.exp2({0})", {}, {}, 2},
    {"expm1", E, 1, floating, "libdevice.expm1({0})", {}, {}, 6},
    {"floor", E, 1, promoted, "tl.floor({0})", "{0}"},
    // C's remainder: the sign of the dividend
    {"fmod", E, 2, promoted, "libdevice.fmod({0}, {1})", "{0} % {1}", {}, 8},
    {"ge", E, 2, boolean, "{0} >= {1}", "{0} >= {1}", "{0} >= {1}"},
    {"gt", E, 2, boolean, "{0} > {1}", "{0} > {1}", "{0} > {1}"},
    {"hypot", E, 2, floating, "libdevice.hypot({0}, {1})", {}, {}, 8},
    {"le", E, 2, boolean, "{0} <= {1}", "{0} <= {1}", "{0} <= {1}"},
    {"lgamma", E, 1, floating, "libdevice.lgamma({0})", {}, {}, 20},
    {"log", E, 1, floating, "tl.log({0})", {}, {}, 4},
    {"log1p", E, 1, floating, "libdevice.log1p({0})", {}, {}, 6},
    {"log2", E, 1, floating, "tl.log2({0})", {}, {}, 2},
    {"lt", E, 2, boolean, "{0} < {1}", "{0} < {1}", "{0} < {1}"},
    {"maximum", E, 2, promoted, "tl.maximum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)", "tl.maximum({0}, {1})",
     "{0} | {1}"},
    {"minimum", E, 2, promoted, "tl.minimum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)", "tl.minimum({0}, {1})",
     "{0} & {1}"},
    {"mul", E, 2, promoted, "{0} * {1}", "{0} * {1}", "{0} & {1}"},
    {"ne", E, 2, boolean, "{0} != {1}", "{0} != {1}", "{0} != {1}"},
    {"neg", E, 1, promoted, "-{0}", "-{0}"},
    {"nextafter", E, 2, floating, "libdevice.nextafter({0}, {1})", {}, {}, 4},
    {"normcdfinv", E, 1, floating, "libdevice.normcdfinv({0})", {}, {}, 10},
    {"not", E, 1, promoted, "", "~{0}", "{0} == 0"},
    {"or", E, 2, promoted, "", "{0} | {1}", "{0} | {1}"},
    {"pow", E, 2, promoted, "libdevice.pow({0}, {1})", {}, {}, 12},
    {"round", E, 1, promoted, "libdevice.rint({0})", "{0}"},
    {"rsqrt", E, 1, floating, "tl.rsqrt({0})", {}, {}, 2},
    {"shift_left", E, 2, promoted, "", "{0} << {1}"},
    {"shift_right", E, 2, promoted, "", "{0} >> {1}"},
    {"sigmoid", E, 1, floating, "tl.sigmoid({0})", {}, {}, 6},
    {"sin", E, 1, floating, "tl.sin({0})", {}, {}, 10},
    {"sinh", E, 1, floating, "libdevice.sinh({0})", {}, {}, 10},
    {"sqrt", E, 1, floating, "tl.sqrt_rn({0})", {}, {}, 2, "tl.sqrt({0})"},
    {"sub", E, 2, promoted, "{0} - {1}", "{0} - {1}"},
    {"tan", E, 1, floating, "libdevice.tan({0})", {}, {}, 10},
    {"tanh", E, 1, floating, "libdevice.tanh({0})", {}, {}, 10},
    {"trunc", E, 1, promoted, "libdevice.trunc({0})", "{0}"},
    // quotient of integers towards zero
    {"trunc_div", E, 2, promoted, "libdevice.trunc({0} / {1})", "{0} // {1}", {}, 8},
    {"where", E, 3, promoted, "tl.where({0}, {1}, {2})", "tl.where({0}, {1}, {2})", "tl.where({0}, {1}, {2})"},
    {"xor", E, 2, promoted, "", "{0} ^ {1}", "{0} ^ {1}"},

    {"reshape", Fusion::view, 1, stated, ""},
    {"permute", Fusion::view, 1, stated, ""},
    {"remap", Fusion::view, 1, stated, ""},
    {"cat", Fusion::view, -1, stated, ""},
    {"gather", Fusion::gather, -1, stated, ""},
    {"reduce", Fusion::reduce, 1, stated, ""},
    {"scan", Fusion::scan, 1, stated, ""},
    {"matmul", Fusion::contraction, -1, stated, ""},
    {"recurrence", Fusion::opaque, -1, stated, ""},
    {"order", Fusion::opaque, 1, stated, ""},
    {"unknown", Fusion::opaque, -1, stated, ""},
};

}  // namespace

std::span<const Primitive> all_primitives() {
  return kPrimitives;
}

const Primitive* find_primitive(std::string_view name) {
  const auto found = std::find_if(std::begin(kPrimitives), std::end(kPrimitives), [&](const Primitive& p) { return p.name == name; });
  return found == std::end(kPrimitives) ? nullptr : found;
}

}  // namespace ka::ir
