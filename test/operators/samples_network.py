"""Sample calls of products, convolutions, norms, pools and losses; `f` is the operator."""

from __future__ import annotations

CONV2 = ["f(img, k2)", "f(img, k2, b6, [2, 1], [1, 1])", "f(img, k2, None, [1, 1], [2, 2], [2, 2])", "f(img, k2g, ch, [1, 1], [1, 1], [1, 1], 2)",
         "f(img, k2d, ch, [2, 2], [1, 1], [1, 1], 4)", "f(img[0], k2, b6)", "f(imgh, k2.half(), b6.half())", "f(imgt, k2)"]
RED = ("0", "1", "2")


def losses(call: str) -> list[str]:
    return [call.replace("R", reduction) for reduction in RED]


ATTENTION = ["f(qq, kk, vv)", "f(qq, kk, vv, mask)", "f(qq, kk, vv, bias)", "f(qq, kk, vv, is_causal=True)", "f(qq, kk, vv, scale=0.5)",
             "f(qq, k_few, v_few, enable_gqa=True)", "f(qq, kk, vv, masked_row)", "f(qq[0], kk[0], vv[0])", "f(qq.half(), kk.half(), vv.half())",
             "f(qq, kk, vv, dropout_p=0.3)"]

SAMPLES: dict[str, list[str]] = {
    "aten.addbmm.default": ["f(m35, b234, b245)", "f(m35, b234, b245, beta=0.5, alpha=2)"],
    "aten.addmm.default": ["f(m35, x, m45)", "f(m35[0], x, m45, beta=2, alpha=0.5)", "f(m45h[0], h, m45h)", "f(m35[:0], z, m45)", "f(m35, w, m45[:0])", "f(m35 / 0 - m35 / 0, x, m45, beta=0)"],
    "aten.addmv.default": ["f(b3, x, v)", "f(b3, x, v, beta=0.5, alpha=2)"],
    "aten.baddbmm.default": ["f(b235, b234, b245)", "f(b235, b234, b245, beta=0.5, alpha=2)", "f(b235[:1], b234, b245)"],
    "aten.bilinear.default": ["f(x, y, torch.stack([sq[:4, :4], sq[1:, 1:]]), None)", "f(x, y, torch.stack([sq[:4, :4], sq[1:, 1:]]), v[:2])"],
    "aten.bmm.default": ["f(b234, b245)", "f(t3t, b245)", "f(t3h, b245.half())", "f(b234[:0], b245[:0])", "f(b234.double(), b245.double())"],
    "aten.conv1d.default": ["f(seq, k1)", "f(seq, k1, b6, [2], [1], [2])", "f(seq[0], k1)"], "aten.conv2d.default": CONV2,
    "aten.conv3d.default": ["f(vol, k3)", "f(vol, k3, b3, [1, 2, 1], [1, 1, 0])"],
    "aten.conv1d.padding": ["f(seq, k1, None, [1], 'same')", "f(seq, k1, b6, [2], 'valid')"],
    "aten.conv2d.padding": ["f(img, k2, None, [1, 1], 'same', [2, 2])", "f(img, k2[:, :, :2, :2], None, [1, 1], 'same')"], "aten.conv3d.padding": ["f(vol, k3, None, [1, 1, 1], 'same')"],
    "aten.conv_transpose1d.default": ["f(seq, kt1)", "f(seq, kt1, b3, [2], [1], [1])", "f(seq, kt1, None, [3], [0], [0], 1, [2])"],
    "aten.conv_transpose2d.input": ["f(img, kt2)", "f(img, kt2, b3, [2, 2], [1, 1], [1, 0])", "f(img, k2g[:, :, :2], None, [1, 2], [0, 0], [0, 0], 2)", "f(img, kt2, None, [1, 1], [2, 2], [0, 0], 1, [2, 2])", "f(img, kt2, b3, [2, 4], [1, 0], [0, 1], 1, [2, 3])"],
    "aten.conv_transpose3d.input": ["f(vol, kt3)", "f(vol, kt3, b3, [2, 1, 2], [1, 0, 1])", "f(vol, kt3, None, [1, 1, 1], [1, 0, 1])"],
    "aten.cdist.default": [f"f(x, m35.new_ones([2, 4]) * row, {p}, None)" for p in ("2.0", "1.0", "float('inf')", "3.0")] + ["f(b234, t3, 2.0, None)"],
    "aten.dot.default": ["f(v, row)", "f(v.half(), row.half())", "f(v.double(), row.double())"], "aten.vdot.default": ["f(v, row)"],
    "aten.einsum.default": ["f('ij,jk->ik', [x, m45])", "f('bij,bjk->bik', [b234, b245])", "f('ij->ji', [x])", "f('ij->', [x])", "f('i,j->ij', [v, row])", "f('ij,ij->i', [x, y])",
                            "f('bij,jk', [b234, m45])", "f('...ij,...jk->...ik', [b234, b245])", "f('...ij,jk->...ik', [b234, m45])", "f('ii->i', [sq])", "f('ii', [sq])", "f('bhid,bhjd->bhij', [qq, kk])",
                            "f('ij,jk,kl->il', [x, m45, sq])", "f('...d,d->...', [b234, v])", "f('i...->...', [x])", "f('ij,ij', [h, ht])"],
    "aten.linear.default": ["f(x, m45.t())", "f(x, y, b3)", "f(t3, x)", "f(h, ht, b3.half())", "f(v, x, b3)", "f(d, d)"],
    "aten.matmul.default": ["f(x, m45)", "f(v, m45)", "f(x, v)", "f(v, row)", "f(b234, m45)", "f(t3t, b245)", "f(qq, kk.transpose(2, 3))", "f(x, b245)", "f(i32, i32.t())", "f(h, m45h)", "f(z, m45)", "f(w, m45[:0])"],
    "aten.mm.default": ["f(x, m45)", "f(xt, m45)", "f(h, m45h)", "f(g, m45.bfloat16())", "f(d, m45.double())", "f(i64, i64.t())", "f(col, one)"], "aten.mv.default": ["f(x, v)", "f(d, v.double())"],
    "aten.outer.default": ["f(v, b3)", "f(v.half(), b3.half())"], "aten.scaled_dot_product_attention.default": ATTENTION,

    "aten.batch_norm.default": ["f(img, ch, ch, ch, chp, False, 0.1, 1e-5, False)", "f(img, None, None, None, None, True, 0.1, 1e-5, False)",
                                 "f(x, v, v, None, None, True, 0.1, 1e-5, False)", "f(imgh, ch, ch, ch, chp, False, 0.1, 1e-3, False)"],
    "aten._softmax.default": ["f(x, 1, False)", "f(h, 0, False)"], "aten.softmax.int": ["f(x, 1)", "f(xt, 0)", "f(h, -1)", "f(g, 1)", "f(h, 1, torch.float32)", "f(img, 1)", "f(e32[:24], 0)", "f(z, 0)", "f(s, 0)", "f(d, 1)"],
    "aten.log_softmax.int": ["f(x, 1)", "f(xt, 0)", "f(h, -1)", "f(h, 1, torch.float32)", "f(img, 1)", "f(z, 1)", "f(s, 0)"], "aten._log_softmax.default": ["f(x, 1, False)"],
    "aten.adaptive_avg_pool1d.default": ["f(seq, [3])", "f(seq, [4])", "f(seq[0], [2])"], "aten.adaptive_avg_pool2d.default": ["f(img, [3, 2])", "f(img, [1, 1])", "f(imgh, [4, 4])"], "aten.adaptive_avg_pool3d.default": ["f(vol, [2, 3, 2])"],
    "aten.adaptive_max_pool1d.default": ["*f(seq, [3])", "*f(seq, [4])"], "aten.adaptive_max_pool2d.default": ["*f(img, [3, 2])", "*f(img, [4, 4])"], "aten.adaptive_max_pool3d.default": ["*f(vol, [2, 3, 2])"],
    "aten.avg_pool1d.default": ["f(seq, [3])", "f(seq, [3], [2], [1])", "f(seq, [3], [2], [1], True, False)"],
    "aten.avg_pool2d.default": ["f(img, [3])", "f(img, [3, 2], [2, 1], [1, 1])", "f(img, [3, 3], [2, 2], [1, 1], True, False)", "f(img, [2, 2], [2, 2], [0, 0], True, True, 3)", "f(imgh, [2, 2])", "f(img[0], [2, 2])"],
    "aten.avg_pool3d.default": ["f(vol, [2])", "f(vol, [2, 3, 2], [1, 2, 2], [1, 1, 0], True)"],
    "aten.max_pool1d.default": ["f(seq, [3])", "f(seq, [3], [2], [1], [2])", "f(seq, [2], [2], [0], [1], True)"],
    "aten.max_pool2d.default": ["f(img, [3])", "f(img, [3, 2], [2, 1], [1, 1])", "f(img, [2, 2], [2, 2], [0, 0], [2, 2], True)", "f(imgh, [2, 2])", "f(img[0], [2, 2])", "f((img * 9).to(torch.int64), [3, 3], [2, 2], [1, 1])"],
    "aten.max_pool3d.default": ["f(vol, [2])", "f(vol, [2, 3, 2], [1, 2, 2], [1, 1, 0])"],
    "aten.max_pool1d_with_indices.default": ["*f(seq, [3], [2], [1])"], "aten.max_pool2d_with_indices.default": ["*f(img, [3, 3], [2, 2], [1, 1])", "*f(img, [2, 3])", "*f(img, [2, 2], [1, 1], [0, 0], [2, 1], True)"],
    "aten.max_pool3d_with_indices.default": ["*f(vol, [2, 2, 2], [2, 2, 2], [1, 1, 1])"],
    "aten.group_norm.default": ["f(img, 2, ch, ch)", "f(img, 4)", "f(imgh, 1, ch.half(), ch.half())", "f(seq, 2)"],
    "aten.instance_norm.default": ["f(img, ch, ch, None, None, True, 0.1, 1e-5, False)", "f(seq, None, None, None, None, True, 0.1, 1e-3, False)", "f(img, ch, ch, ch, chp, False, 0.1, 1e-5, False)"],
    "aten.layer_norm.default": ["f(x, [4], v, v)", "f(img, [7, 6])", "f(h, [4])", "f(x, [3, 4], y)", "f(z, [4])"],
    "aten.rms_norm.default": ["f(x, [4], v)", "f(x, [4], None, 1e-3)", "f(h, [4], v.half())", "f(img, [7, 6])", "f(d, [4])"],
    "aten._weight_norm.default": ["f(x, col)", "f(k2, k2[:, :1, :1, :1])", "f(x, row[None], 1)"],
    "aten.broadcast_tensors.default": ["*f([row, col])", "*f([x, s, row])"], "aten.cosine_similarity.default": ["f(x, y)", "f(x, row, 1)", "f(img, img.flip(0), 1)", "f(h, ht, 0)", "f(x * 0, y)"],
    "aten.pairwise_distance.default": ["f(x, y)", "f(x, row, 1.0)", "f(x, y, float('inf'), 1e-6, True)", "f(x, y, 3.0)"],
    "aten.pixel_shuffle.default": ["f(img, 2)", "f(img[0], 2)"], "aten.pixel_unshuffle.default": ["f(img[:, :, :6], 2)", "f(img[:, :, :6], 3)"],
    "aten.glu.default": ["f(x)", "f(img, 1)", "f(h, -1)"],
    "aten.embedding_bag.padding_idx": ["f(x, idx, bags, False, 0, False, None, False, None)[0]", "f(x, idx, bags, False, 1, False, None, False, 1)[0]", "f(x, idx, bags, False, 2, False, None, False, None)[0]",
                                       "f(x, idx, bags, False, 0, False, u[0, :1].repeat(5), False, None)[0]", "f(x, idx, bags, False, 0, False, None, True, None)[0]"],

    "aten.dropout.default": ["f(x, 0.3, True)", "f(x, 0.3, False)", "f(h, 0.5, True)", "f(x, 0.0, True)", "f(x, 1.0, True)"], "aten.native_dropout.default": ["f(x, 0.3, False)[0]"],
    "aten.feature_dropout.default": ["f(img, 0.3, True)", "f(img, 0.3, False)"], "aten.alpha_dropout.default": ["f(x, 0.3, True)", "f(x, 0.3, False)", "f(h, 0.3, True)"], "aten.feature_alpha_dropout.default": ["f(img, 0.3, True)"],
    "aten.rand.default": ["f([2, 3])", "f([2, 3], dtype=torch.float64)"], "aten.randn.default": ["f([2, 3])"], "aten.rand_like.default": ["f(x)", "f(h)"], "aten.randn_like.default": ["f(x)", "f(d)"],
    "aten.randint.default": ["f(9, [2, 3])"], "aten.randint.low": ["f(-4, 9, [2, 3])"], "aten.randperm.default": ["f(6)"], "aten.normal.float_float": ["f(1.0, 2.0, [3, 4])"],
    "aten.uniform.default": ["f(x, -1.0, 2.0)"], "aten.exponential.default": ["f(x, 2.0)"], "aten.bernoulli.p": ["f(x, 0.3)", "f(h, 0.8)"], "aten.normal_functional.default": ["f(x, 1.0, 2.0)"],

    "aten.binary_cross_entropy.default": losses("f(u, p / 2, None, R)") + ["f(u, p / 2, q, 1)", "f(b.float(), c.float())", "f(uh, b.half())"],
    "aten.binary_cross_entropy_with_logits.default": losses("f(x, u, None, None, R)") + ["f(x, u, q, None, 1)", "f(x, u, None, row.abs(), 1)", "f(h, uh)", "f(x * 90, u)"],
    "aten.cosine_embedding_loss.default": losses("f(x, y, sg[:, 0], 0.1, R)") + ["f(x, y, col[:, 0] * 0, 0.1, 0)", "f(h, ht, sg[:, 1])"],
    "aten.cross_entropy_loss.default": losses("f(logits, label, None, R)") + losses("f(logits, label, chp, R, 2, 0.1)") + losses("f(logits, probs, None, R)") + losses("f(logits, probs, chp, R, -100, 0.2)")
    + ["f(img, pixels)", "f(img, pixels, ch.abs(), 1, 1)", "f(logits[0], label[0])", "f(logits.half(), label)", "f(logits, label, None, 1, -100, 0.3)", "f(logits, label * 0, None, 1, 0)"],
    "aten.hinge_embedding_loss.default": losses("f(x, sg, 1.0, R)") + ["f(x, sg * 0, 0.5, 0)"], "aten.huber_loss.default": losses("f(x, y, R, 0.7)") + ["f(h, ht)", "f(e32, e32.roll(1), 0)"],
    "aten.kl_div.default": losses("f(x, u, R)") + losses("f(x, y, R, log_target=True)") + ["f(x, u * 0)", "f(h, uh)"], "aten.l1_loss.default": losses("f(x, y, R)") + ["f(h, ht)", "f(x, row)", "f(z, z)"],
    "aten.margin_ranking_loss.default": losses("f(x, y, sg, 0.2, R)"), "aten.mse_loss.default": losses("f(x, y, R)") + ["f(h, ht)", "f(x, row)", "f(z, z, 2)"],
    "aten.multi_margin_loss.default": losses("f(logits, label, 1, 1.0, None, R)") + ["f(logits, label, 2, 0.5, chp)", "f(logits[0], label[0])"],
    "aten.multilabel_margin_loss.default": losses("f(logits, several, R)") + ["f(logits[0], several[0])"],
    "aten.nll_loss_nd.default": losses("f(logits, label, None, R)") + losses("f(logits, label, chp, R, 2)") + ["f(img, pixels, None, 0)", "f(img, pixels)", "f(logits[0], label[0])"],
    "aten.poisson_nll_loss.default": losses("f(x, p * 3, True, False, 1e-8, R)") + ["f(p, q * 3, False, True, 1e-8, 1)", "f(x, p * 3, True, True, 1e-8, 0)"],
    "aten.smooth_l1_loss.default": losses("f(x, y, R, 0.7)") + ["f(x, y, 1, 0.0)", "f(h, ht)"], "aten.soft_margin_loss.default": losses("f(x, sg, R)") + ["f(x * 90, sg)"],
    "aten.triplet_margin_loss.default": losses("f(x, y, p, 1.0, 2.0, 1e-6, False, R)") + ["f(x, y, p, 0.5, 1.0, 1e-6, True)"],
}
