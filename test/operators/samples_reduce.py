"""Sample calls of reductions and running sums; `f` is the operator."""

from __future__ import annotations

WHOLE = ["f(x)", "f(xt)", "f(h)", "f(g)", "f(d)", "f(s)", "f(one)", "f(img)", "f(e32[:19])"]
ALONG = ["f(x, {0})", "f(xt, {1})", "f(img, {2})", "f(h, {1}, True)", "f(g, {0})", "f(d, {1})", "f(one, {0})", "f(e32[:24].reshape(2, 12), {1})", "f(t3t, {1})"]
ONE = [text.replace("{", "").replace("}", "") for text in ALONG]
LIST = [text.replace("{", "[").replace("}", "]") for text in ALONG] + ["f(img, [0, 2, 3])", "f(img, [1, 3], True)", "f(imgt, [2])"]
INTEGERS = ["f(i32, {0})", "f(i64, {1})", "f(u8, {1})", "f(i8, {0})"]
INT_ONE = [text.replace("{", "").replace("}", "") for text in INTEGERS]
INT_LIST = [text.replace("{", "[").replace("}", "]") for text in INTEGERS]
EMPTY = ["f(z, [0])", "f(z, [1])", "f(w, [1])"]

SAMPLES: dict[str, list[str]] = {
    "aten.all.default": ["f(b)", "f(x)", "f(i32)", "f(e32)", "f(z)"], "aten.any.default": ["f(b)", "f(x * 0)", "f(i32)", "f(e32)", "f(z)"],
    "aten.all.dim": ["f(b, 1)", "f(x, 0, True)", "f(i32, 1)", "f(z, 0)", "f(u8, 0)"], "aten.any.dim": ["f(b, 1)", "f(x, 0, True)", "f(i32, 1)", "f(z, 0)"],
    "aten.all.dims": ["f(b, [0, 1])", "f(img > 2, [1, 2])"], "aten.any.dims": ["f(b, [0, 1])", "f(img > 2, [1, 2], True)"],
    "aten.amax.default": [*LIST, *INT_LIST, "f(b, [0])", "f(z, [1])", "f(e32)"], "aten.amin.default": [*LIST, *INT_LIST, "f(b, [0])", "f(z, [1])", "f(e32)"],
    "aten.aminmax.default": ["*f(x)", "*f(x, dim=1)", "*f(e32)", "*f(i32, dim=0, keepdim=True)"],
    "aten.argmax.default": [*WHOLE, *ONE, *INT_ONE, "f(e32)", "f(x.round())", "f(i32)"], "aten.argmin.default": [*WHOLE, *ONE, *INT_ONE, "f(e32)", "f(x.round())"],
    "aten.count_nonzero.default": ["f(x.round())", "f(i32)", "f(b)", "f(i32, 1)", "f(z)"],
    "aten.count_nonzero.dim_IntList": ["f(i32, [0])", "f(b, [0, 1])"],
    "aten.cumprod.default": ["f(x, 0)", "f(xt, 1)", "f(h, 1)", "f(d, 0)", "f(sh, 1)", "f(u8, 0)", "f(b, 1)", "f(x, 1, dtype=torch.float64)", "f(s, 0)", "f(z, 0)"],
    "aten.cumsum.default": ["f(x, 0)", "f(xt, 1)", "f(h, 1)", "f(d, 0)", "f(i32, 1)", "f(u8, 0)", "f(b, 1)", "f(x, 1, dtype=torch.float64)", "f(s, 0)", "f(z, 0)", "f(img, 2)", "f(e32[:19], 0)"],
    "aten.dist.default": ["f(x, y)", "f(x, row, 1)", "f(h, ht)"],
    "aten.linalg_vector_norm.default": [f"f(x, {p}, [1])" for p in ("0", "1", "2", "3", "0.5", "float('inf')", "float('-inf')")]
    + ["f(x)", "f(h, 2, [0], True)", "f(img, 2, [1, 2])", "f(d, 3)", "f(h, 2, [1], dtype=torch.float32)", "f(z, 2, [0])", "f(e32[:19], 2)"],
    "aten.logsumexp.default": [*LIST, "f(e32, [0])", "f(x * 0 - float('inf'), [1])", "f(z, [0])", "f(i32, [1])"],
    "aten.max.default": [*WHOLE, "f(i32)", "f(u8)", "f(e32)"], "aten.min.default": [*WHOLE, "f(i32)", "f(u8)", "f(e32)"],
    "aten.max.dim": [f"*{c}" for c in (*ONE, *INT_ONE, "f(e32, 0)", "f(x.round(), 1)")], "aten.min.dim": [f"*{c}" for c in (*ONE, *INT_ONE, "f(e32, 0)")],
    "aten.mean.default": [*WHOLE, "f(i32, dtype=torch.float32)", "f(z)"], "aten.mean.dim": [*LIST, *EMPTY, "f(i32, [1], dtype=torch.float32)", "f(h, [1], dtype=torch.float32)", "f(x, None)"],
    "aten.nansum.default": ["f(e32)", "f(e32[:24].reshape(2, 12), [1])", "f(x, [0], True)", "f(i32)"],
    "aten.norm.Scalar": ["f(x)", "f(x, 3)"], "aten.norm.ScalarOpt_dim": ["f(x, 2, [1])", "f(x, 1, [0], True)", "f(h, 3, [1])"],
    "aten.prod.default": [*WHOLE[:4], "f(sh)", "f(u8)", "f(b)", "f(z)"], "aten.prod.dim_int": [*ONE, "f(sh, 1)", "f(b, 0)", "f(z, 0)"],
    "aten.std.default": ["f(x)", "f(h, False)"], "aten.var.default": ["f(x)", "f(h, False)"],
    "aten.std.dim": ["f(x, [1])", "f(img, [2, 3], False)", "f(h, [0], True, True)"], "aten.var.dim": ["f(x, [1])", "f(img, [2, 3], False)", "f(h, [0], True, True)", "f(one, [0])"],
    "aten.std.correction": ["f(x, [1])", "f(x, [1], correction=0)", "f(img, [0, 2], correction=2, keepdim=True)", "f(h, [0])", "f(x)"],
    "aten.var.correction": ["f(x, [1])", "f(x, [1], correction=0)", "f(img, [0, 2], correction=2, keepdim=True)", "f(h, [0])", "f(x)", "f(one, [1])"],
    "aten.std_mean.dim": ["*f(x, [1])"], "aten.var_mean.dim": ["*f(x, [1])", "*f(img, [2, 3], False, True)"],
    "aten.std_mean.correction": ["*f(x, [1], correction=0)"], "aten.var_mean.correction": ["*f(x, [1], correction=0)", "*f(x)"],
    "aten.sum.default": [*WHOLE, "f(i32)", "f(u8)", "f(b)", "f(z)", "f(h, dtype=torch.float64)", "f(e32)"],
    "aten.sum.dim_IntList": [*LIST, *INT_LIST, *EMPTY, "f(b, [1])", "f(x, None)", "f(i32, [1], dtype=torch.float32)", "f(x * 9, [0], dtype=torch.int64)"],
    "aten.trace.default": ["f(sq)", "f(x)", "f(i32)"],
}
