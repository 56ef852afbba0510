"""Sample calls of the elementwise operators; `f` is the operator."""

from __future__ import annotations

FLOAT = ["f(e32)", "f(e16)", "f(eb)", "f(e64)", "f(xt)", "f(z)", "f(s)", "f(one)"]
REAL = [*FLOAT, "f(i64)", "f(u8)", "f(b)"]  # integers become floats
EXACT = [*FLOAT, "f(i32)", "f(u8)", "f(i8)"]  # integers stay
UNIT = ["f(u)", "f(uh)", "f(u.double())", "f(u.t())", "f(e32)", "f(i64)"]
TENSORS = ["f(e32, e32.flip(0))", "f(e16, e16.roll(3))", "f(eb, eb.roll(5))", "f(e64, e64.roll(1))", "f(x, row)", "f(col, xt)",
           "f(xs, one)", "f(x, s)", "f(s, x)", "f(z, row)", "f(h, x)", "f(h, g)", "f(x, d)", "f(h, s)"]
INTEGERS = ["f(i32, j32)", "f(i64, j32)", "f(u8, k8)", "f(i8, j32)", "f(i16, i8)"]
ARITHMETIC = [*TENSORS, *INTEGERS, "f(x, i64)", "f(i32, h)"]
LOGIC = ["f(b, c)", "f(i32, j32)", "f(u8, k8)", "f(i64, b)", "f(b, c[0])"]
COMPARE = [*ARITHMETIC, "f(b, c)"]
SCALAR = ["f(e32, 2.5)", "f(e16, -1.5)", "f(eb, 0.3)", "f(e64, 0.1)", "f(xt, 3)", "f(z, 1.0)", "f(s, 2)"]
SCALARS = [*SCALAR, "f(i32, 3)", "f(i64, -4)", "f(u8, 7)"]
COMPARED = [*SCALARS, "f(tiny, 0.0)", "f(i32, 2.5)", "f(e32, 0.0)", "f(e32, float('inf'))", "f(i8, 0)"]

SAMPLES: dict[str, list[str]] = {
    "aten.abs.default": EXACT,
    "aten.acos.default": REAL, "aten.acosh.default": REAL, "aten.asin.default": REAL, "aten.asinh.default": REAL,
    "aten.atan.default": REAL, "aten.atanh.default": REAL, "aten.cos.default": ["f(x)", "f(h)", "f(g)", "f(d)", "f(i64)", "f(b)", "f(z)"],
    "aten.sin.default": ["f(x)", "f(h)", "f(g)", "f(d)", "f(i64)", "f(b)", "f(z)"],
    "aten.tan.default": ["f(x)", "f(h)", "f(d)", "f(i64)"],
    "aten.cosh.default": REAL, "aten.sinh.default": REAL, "aten.tanh.default": REAL,
    "aten.digamma.default": ["f(p)", "f(x)", "f(h)", "f(p * 30)", "f(d)"],
    "aten.erf.default": REAL, "aten.erfc.default": REAL, "aten.erfinv.default": UNIT,
    "aten.exp.default": REAL, "aten.exp2.default": REAL, "aten.expm1.default": REAL,
    "aten.i0.default": ["f(x)", "f(p * 9)", "f(h)", "f(d)", "f(i64)"],
    "aten.lgamma.default": ["f(p)", "f(p * 9)", "f(h)", "f(d)", "f(u8)"],
    "aten.log.default": REAL, "aten.log10.default": REAL, "aten.log1p.default": REAL, "aten.log2.default": REAL,
    "aten.reciprocal.default": REAL, "aten.rsqrt.default": REAL, "aten.sqrt.default": REAL, "aten.sigmoid.default": REAL,
    "aten.sinc.default": ["f(x)", "f(h)", "f(d)", "f(i64)", "f(x * 0)"],
    "aten.deg2rad.default": REAL, "aten.rad2deg.default": REAL,
    "aten.special_bessel_j0.default": ["f(x)", "f(d)"], "aten.special_bessel_j1.default": ["f(x)", "f(d)"],
    "aten.special_entr.default": REAL, "aten.special_erfcx.default": ["f(x)", "f(d)", "f(p * 20)"],
    "aten.special_i1.default": ["f(x)", "f(d)"],
    "aten.special_log_ndtr.default": ["f(x * 5)", "f(d)", "f(e32)"], "aten.special_ndtr.default": ["f(x * 3)", "f(d)", "f(e32)"],
    "aten.special_ndtri.default": ["f(u)", "f(u.double())"],
    "aten.special_xlog1py.default": ["f(x, p)", "f(e32, e32.flip(0))", "f(d, p.double())"],
    "aten.ceil.default": EXACT, "aten.floor.default": EXACT, "aten.round.default": EXACT, "aten.trunc.default": EXACT,
    "aten.frac.default": FLOAT, "aten.neg.default": EXACT, "aten.positive.default": EXACT, "aten.sign.default": [*EXACT, "f(b)"],
    "aten.sgn.default": [*EXACT, "f(b)"], "aten.signbit.default": [*EXACT, "f(b)"], "aten.square.default": EXACT,
    "aten.isfinite.default": REAL, "aten.isinf.default": REAL, "aten.isnan.default": REAL,
    "aten.isneginf.default": REAL, "aten.isposinf.default": REAL,
    "aten.logical_not.default": REAL, "aten.bitwise_not.default": ["f(i32)", "f(u8)", "f(i8)", "f(b)", "f(i64)"],
    "aten.round.decimals": ["f(x, decimals=2)", "f(x * 1000, decimals=-2)", "f(h, decimals=1)", "f(d, decimals=3)", "f(x, decimals=0)"],

    "aten.add.Tensor": [*ARITHMETIC, "f(tiny, tiny)", "f(x, y, alpha=2)", "f(i32, j32, alpha=3)", "f(b, c)", "f(x, b)"],
    "aten.sub.Tensor": [*ARITHMETIC, "f(x, y, alpha=0.5)", "f(i32, j32, alpha=3)"],
    "aten.mul.Tensor": [*ARITHMETIC, "f(b, c)", "f(x, b)"],
    "aten.div.Tensor": [*ARITHMETIC, "f(b, c)"],
    "aten.add.Scalar": SCALARS, "aten.sub.Scalar": SCALARS, "aten.mul.Scalar": [*SCALARS, "f(tiny, 2.0)", "f(b, 2)"], "aten.div.Scalar": SCALARS,
    "aten.rsub.Scalar": SCALARS, "aten.rsub.Tensor": [*ARITHMETIC, "f(x, y, alpha=2)"],
    "aten.div.Tensor_mode": [f"{c[:-1]}, rounding_mode='{m}')" for m in ("floor", "trunc") for c in
                             ("f(x, y)", "f(e32, e32.roll(2))", "f(h, ht)", "f(d, d.flip(0))", "f(i32, j32)", "f(i64, j64)", "f(u8, k8)", "f(i8, j32)")],
    "aten.div.Scalar_mode": [f"{c[:-1]}, rounding_mode='{m}')" for m in ("floor", "trunc") for c in
                             ("f(x, 0.3)", "f(e32, 2)", "f(i32, 3)", "f(i64, -4)", "f(h, 0.5)", "f(u8, 7)")],
    "aten.floor_divide.default": ["f(x, y)", "f(e32, e32.roll(2))", "f(i32, j32)", "f(i64, j64)", "f(u8, k8)", "f(h, ht)", "f(d, d.flip(0))"],
    "aten.floor_divide.Scalar": ["f(x, 0.3)", "f(i32, 3)", "f(i64, -4)", "f(u8, 7)"],
    "aten.fake_quantize_per_tensor_affine.default": ["f(x, 0.05, 3, 0, 255)", "f(xt, 0.1, -2, -128, 127)", "f(h, 0.25, 0, -8, 7)"],
    "aten.fake_quantize_per_tensor_affine.tensor_qparams": ["f(x, s.abs() * 0.01 + 0.03, (s * 0).int() + 2, 0, 255)"],
    "aten.fake_quantize_per_channel_affine.default": ["f(x, p[0, :1].expand(x.shape[0]) * 0.1 + 0.02, torch.zeros(x.shape[0], dtype=torch.int32) + 1, 0, 0, 255)"],
    "aten.fmod.Tensor": ["f(x, y)", "f(e32, e32.roll(2))", "f(i32, j32)", "f(i64, j64)", "f(u8, k8)", "f(h, ht)", "f(d, d.flip(0))", "f(x, row)"],
    "aten.fmod.Scalar": ["f(e32, 2.5)", "f(i32, 3)", "f(i64, -4)", "f(u8, 7)", "f(h, 0.75)"],
    "aten.remainder.Tensor": ["f(x, y)", "f(e32, e32.roll(2))", "f(i32, j32)", "f(i64, j64)", "f(u8, k8)", "f(h, ht)", "f(d, d.flip(0))", "f(x, row)"],
    "aten.remainder.Scalar": ["f(e32, 2.5)", "f(e32, -2.5)", "f(i32, 3)", "f(i64, -4)", "f(u8, 7)", "f(h, 0.75)"],
    "aten.remainder.Scalar_Tensor": ["f(7, j32)", "f(-7, j64)", "f(2.5, y)"],
    "aten.pow.Tensor_Tensor": ["f(p, y)", "f(e32, e32.roll(3))", "f(x, j32)", "f(d, d)", "f(h, ht)", "f(i32, sh)", "f(i64, k8)", "f(u8, sh)"],
    "aten.pow.Tensor_Scalar": ["f(e32, 2)", "f(e32, 0.5)", "f(e32, -1)", "f(e32, -0.5)", "f(e32, 3)", "f(e32, 4)", "f(e32, 0)", "f(e32, 1)",
                               "f(p, 1.7)", "f(h, 2)", "f(g, 3)", "f(d, 2.5)", "f(i32, 2)", "f(i64, 5)", "f(u8, 0)", "f(i32, 2.0)", "f(i64, 0.5)", "f(b, 2)"],
    "aten.pow.Scalar": ["f(2, x)", "f(2.5, h)", "f(0, p)", "f(1, e32)", "f(2, sh)", "f(3, d)"],
    "aten.atan2.default": [*TENSORS, "f(i32, j32)"],
    "aten.hypot.default": TENSORS, "aten.copysign.Tensor": [*TENSORS, "f(i32, j32)", "f(i32, x)"],
    "aten.copysign.Scalar": ["f(e32, -1.0)", "f(e32, 0.0)", "f(i32, -2)", "f(h, -1.0)"],
    "aten.nextafter.default": ["f(e32, e32.flip(0))", "f(x, y)", "f(d, d * 2)"],
    "aten.heaviside.default": ["f(e32, e32.flip(0))", "f(x, row)", "f(h, ht)", "f(i32, j32)"],
    "aten.logaddexp.default": TENSORS, "aten.logaddexp2.default": TENSORS[:-2],
    "aten.fmax.default": [*TENSORS, *INTEGERS], "aten.fmin.default": [*TENSORS, *INTEGERS],
    "aten.maximum.default": [*TENSORS, *INTEGERS, "f(b, c)"], "aten.minimum.default": [*TENSORS, *INTEGERS, "f(b, c)"],
    "aten.max.other": [*TENSORS, *INTEGERS], "aten.min.other": [*TENSORS, *INTEGERS],
    "aten.xlogy.Tensor": [*TENSORS, "f(x * 0, e32[:4])", "f(i32, p)"], "aten.xlogy.Scalar_Other": ["f(e32, 2.0)", "f(i32, 3)"],
    "aten.xlogy.Scalar_Self": ["f(0.0, e32)", "f(2.0, p)"],
    "aten.lerp.Scalar": ["f(x, y, 0.3)", "f(x, y, 0.8)", "f(h, ht, 0.5)", "f(e32, e32.roll(1), 0.7)", "f(d, d.flip(0), 0.1)"],
    "aten.lerp.Tensor": ["f(x, y, u)", "f(h, ht, uh)", "f(x, row, col)", "f(e32, e32.roll(1), e32 * 0 + 0.7)"],
    "aten.addcmul.default": ["f(x, y, row)", "f(x, y, xt, value=0.5)", "f(h, h, ht)", "f(i32, j32, sh, value=2)", "f(d, d, d)"],
    "aten.addcdiv.default": ["f(x, y, p)", "f(x, y, col, value=0.5)", "f(h, h, ht)", "f(d, d, d)"],
    "aten.logical_and.default": [*LOGIC, "f(x, b)", "f(e32, e32.flip(0))"], "aten.logical_or.default": [*LOGIC, "f(x * 0, b)"],
    "aten.logical_xor.default": [*LOGIC, "f(x, b)"],
    "aten.bitwise_and.Tensor": LOGIC, "aten.bitwise_or.Tensor": LOGIC, "aten.bitwise_xor.Tensor": LOGIC,
    "aten.bitwise_and.Scalar": ["f(i32, 6)", "f(u8, 3)", "f(b, True)"], "aten.bitwise_or.Scalar": ["f(i32, 6)", "f(u8, 3)", "f(b, True)"],
    "aten.bitwise_xor.Scalar": ["f(i32, 6)", "f(u8, 3)", "f(b, True)"],
    "aten.bitwise_left_shift.Tensor": ["f(i32, sh)", "f(i64, sh)", "f(k8, sh)"],
    "aten.bitwise_right_shift.Tensor": ["f(i32, sh)", "f(i64, sh)", "f(u8, k8)"],
    "aten.bitwise_left_shift.Tensor_Scalar": ["f(i32, 2)", "f(k8, 3)"], "aten.bitwise_right_shift.Tensor_Scalar": ["f(i32, 2)", "f(i64, 1)"],
    "aten.__lshift__.Scalar": ["f(i32, 2)"], "aten.__lshift__.Tensor": ["f(i32, sh)"],
    "aten.__rshift__.Scalar": ["f(i32, 2)"], "aten.__rshift__.Tensor": ["f(i64, sh)"],

    "aten.eq.Tensor": COMPARE, "aten.lt.Tensor": COMPARE, "aten.eq.Scalar": COMPARED, "aten.lt.Scalar": COMPARED,
    **{f"aten.{name}.Tensor": ["f(e32, e32.flip(0))", "f(h, x)", "f(i32, j32)", "f(u8, k8)", "f(b, c)"] for name in ("ne", "le", "gt", "ge")},
    **{f"aten.{name}.Scalar": ["f(e32, 0.0)", "f(e16, -1.5)", "f(i32, 2.5)", "f(u8, 7)"] for name in ("ne", "le", "gt", "ge")},

    "aten.clamp.default": ["f(e32, -1, 2)", "f(e32, min=0.5)", "f(e32, max=0.5)", "f(e16, -1.5, 1.5)", "f(i32, -2, 3)", "f(u8, 3, 100)", "f(x, 2, -2)", "f(i32, 0.5, 2.5)"],
    "aten.clamp.Tensor": ["f(e32, e32.roll(1), e32.roll(2))", "f(x, row, col)", "f(x, max=row)", "f(i32, i32 - 1, j32)"],
    "aten.clamp_max.default": ["f(e32, 0.5)", "f(i32, 3)", "f(h, 0.1)"], "aten.clamp_max.Tensor": ["f(e32, e32.roll(1))", "f(x, row)"],
    "aten.clamp_min.default": ["f(e32, 0.5)", "f(i32, 3)", "f(h, 0.1)"], "aten.clamp_min.Tensor": ["f(e32, e32.roll(1))", "f(x, row)"],
    "aten.where.self": ["f(b, x, y)", "f(b, x, row)", "f(b[0], col, y)", "f(b, i32, x)", "f(b, h, g)", "f(b, s, h)", "f(b, i32, j64)", "f(b, b, c)"],
    "aten.where.ScalarOther": ["f(b, x, 2.5)", "f(b, i32, 2)", "f(b, h, float('-inf'))", "f(b, i32, 1.5)"],
    "aten.where.ScalarSelf": ["f(b, 2.5, x)", "f(b, 1, h)"], "aten.where.Scalar": ["f(b, 1.0, 0.0)", "f(b, 1, 0)"],
    "aten.masked_fill.Scalar": ["f(x, b, -1.5)", "f(h, b, float('-inf'))", "f(i32, b, 7)", "f(x, b[0], 0)", "f(c, b, True)", "f(col, b, 2.0)"],
    "aten.masked_fill.Tensor": ["f(x, b, s)", "f(h, b, s)", "f(z, b[:0], s)"],
    "aten.nan_to_num.default": ["f(e32)", "f(e16)", "f(eb)", "f(e64)", "f(e32, 1.5, 9.0, -9.0)", "f(i32)"],
    "aten.fill.Scalar": ["f(x, 2.5)", "f(i32, 3)", "f(b, 1)"], "aten.fill.Tensor": ["f(x, s)", "f(h, s)"],
    "aten.zero.default": ["f(x)", "f(i32)"], "aten.copy.default": ["f(x, row)", "f(h, x)", "f(i32, x)"],
    "aten.alias.default": ["f(x)"], "aten.clone.default": ["f(xt)", "f(b)", "f(z)"], "aten.contiguous.default": ["f(xt)", "f(xs)", "f(h)"],
    "aten.detach.default": ["f(x)"], "aten.lift_fresh_copy.default": ["f(x)"],
    "aten.to.dtype": [f"f({x}, torch.{t})" for x in ("x * 9", "h", "i64", "b", "u8", "d") for t in ("float32", "float16", "bfloat16", "float64", "int32", "int64", "bool")]
    + ["f(e32, torch.float16)", "f(e32, torch.bool)", "f(e32, torch.bfloat16)", "f(e64, torch.float32)", "f(i64, torch.uint8)", "f(i64, torch.int8)"],
    "aten._to_copy.default": ["f(x, dtype=torch.float16)", "f(x * 9, dtype=torch.int32)"],
    "aten.to.dtype_layout": ["f(x, dtype=torch.float16)"], "aten.to.device": ["f(x, torch.device('cpu'), torch.float16)"],
    "aten.to.other": ["f(x, h)", "f(x * 9, i32)"], "aten.type_as.default": ["f(x, h)", "f(x * 9, i32)", "f(i32, x)"],

    "aten.celu.default": [*FLOAT, "f(x, 0.5)"], "aten.elu.default": [*FLOAT, "f(x, 0.5)", "f(x, 1.5, 2.0, 0.5)"],
    "aten.gelu.default": ["f(e32[:19])", "f(e16[:19])", "f(eb[:19])", "f(e64)", "f(xt)", "f(z)", "f(e32, approximate='tanh')", "f(h, approximate='tanh')"],
    "aten.hardshrink.default": [*FLOAT, "f(x, 0.2)"], "aten.hardsigmoid.default": FLOAT, "aten.hardswish.default": FLOAT,
    "aten.hardtanh.default": [*FLOAT, "f(x, -0.5, 0.7)", "f(i32, -2, 3)"], "aten.leaky_relu.default": [*FLOAT, "f(x, 0.2)", "f(x, -0.2)"],
    "aten.log_sigmoid.default": FLOAT, "aten.logit.default": ["f(u)", "f(uh)", "f(u.double())", "f(e32)", "f(x, 0.1)", "f(e32, 0.1)"],
    "aten.mish.default": FLOAT, "aten.prelu.default": ["f(img, ch)", "f(imgh, ch.half())", "f(x, v)", "f(e32, v[:1])", "f(v, v[:1])"],
    "aten.relu.default": EXACT, "aten.relu6.default": FLOAT, "aten.rrelu.default": ["f(x)", "f(e32, 0.1, 0.3)", "f(h)"],
    "aten.selu.default": FLOAT, "aten.silu.default": FLOAT, "aten.softplus.default": [*FLOAT, "f(x, 2.0, 1.0)", "f(e32, 0.5, 3.0)"],
    "aten.softshrink.default": [*FLOAT, "f(x, 0.2)"], "aten.threshold.default": ["f(e32, 0.5, 20.0)", "f(h, 0.1, -1.0)", "f(i32, 2, 9)"],
}
