#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten._unsafe_view.default", "reshape(self, size)"},
    {"aten.arange.default", "numbers(0, end, 1, dtype)"},
    {"aten.arange.start", "numbers(start, end, 1, dtype)"},
    {"aten.arange.start_step", "numbers(start, end, step, dtype)"},
    {"aten.broadcast_to.default", "expand(self, size)"},
    {"aten.bucketize.Tensor",  // NaN lies behind all of them
     "let v = unsqueeze(self, -1); sum(cast(if right then not (boundaries > v) else not (boundaries >= v), int64), -1, keepdim=false)"},
    {"aten.cat.default", "cat(tensors, dim)"},
    {"aten.channel_shuffle.default",
     "let n = size(self, 0); let c = size(self, 1);"
     "reshape(transpose(reshape(self, [n, groups, quotient(c, groups), -1]), 1, 2), shape(self))"},
    {"aten.chunk.default", "chunk(self, chunks, dim)"},
    {"aten.constant_pad_nd.default", "pad(self, pad, 'constant', value)"},
    {"aten.diag.default", "if rank(self) == 1 then diagonal_matrix(self, diagonal) else diagonal(self, diagonal, 0, 1)"},
    {"aten.diagonal.default", "diagonal(self, offset, dim1, dim2)"},
    {"aten.diagonal_scatter.default", "diagonal_overwritten(self, src, offset, dim1, dim2)"},
    {"aten.embedding.default", "take(weight, 0, indices)"},
    // what lies in it is not defined: whoever reads it before writing has no program
    {"aten.empty.memory_format", "full(size, 0, dtype)"},
    {"aten.empty_like.default", "full(shape(self), 0, if dtype == none then dtype_of(self) else dtype)"},
    {"aten.expand.default", "expand(self, size)"},
    {"aten.expand_as.default", "expand(self, shape(other))"},
    {"aten.eye.default", "cast(unsqueeze(arange(n), 1) == arange(n), if dtype == none then float32 else dtype)"},
    {"aten.eye.m", "cast(unsqueeze(arange(n), 1) == arange(m), if dtype == none then float32 else dtype)"},
    {"aten.flatten.using_ints", "flatten(self, start_dim, end_dim)"},
    {"aten.flip.default", "flip(self, dims)"},
    {"aten.full.default", "full(size, fill_value, dtype)"},
    {"aten.full_like.default", "full(shape(self), fill_value, if dtype == none then dtype_of(self) else dtype)"},
    {"aten.gather.default", "gather(self, dim, index)"},
    {"aten.index.Tensor", "index(self, indices)"},
    {"aten.index_select.default", "take(self, dim, index)"},
    {"aten.linspace.default",
     "let i = cast(arange(steps), if dtype == none then float32 else dtype); let d = if steps == 1 then 0.0 else (end - start) / (steps - 1.0);"
     "where(i < quotient(steps, 2), start + d * i, end - d * (steps - 1 - i))"},
    {"aten.mT.default", "transpose(self, -1, -2)"},
    {"aten.movedim.int", "movedim(self, source, destination)"},
    {"aten.movedim.intlist", "movedim(self, source, destination)"},
    {"aten.narrow.default", "slice(self, dim, start, start + length, 1)"},
    {"aten.new_empty.default", "full(size, 0, if dtype == none then dtype_of(self) else dtype)"},
    {"aten.new_full.default", "full(size, fill_value, if dtype == none then dtype_of(self) else dtype)"},
    {"aten.new_ones.default", "full(size, 1, if dtype == none then dtype_of(self) else dtype)"},
    {"aten.new_zeros.default", "full(size, 0, if dtype == none then dtype_of(self) else dtype)"},
    {"aten.numpy_T.default", "reversed(self)"},
    {"aten.one_hot.default",
     "if num_classes == -1 then refused('the number of classes depends on values; give num_classes')"
     " else cast(unsqueeze(self, -1) == arange(num_classes), int64)"},
    {"aten.ones.default", "full(size, 1.0, dtype)"},
    {"aten.ones_like.default", "full(shape(self), 1, if dtype == none then dtype_of(self) else dtype)"},
    {"aten.pad.default", "pad(self, pad, mode, value)"},
    {"aten.permute.default", "permute(self, dims)"},
    {"aten.ravel.default", "flatten(self)"},
    {"aten.reflection_pad1d.default", "pad(self, padding, 'reflect')"},
    {"aten.reflection_pad2d.default", "pad(self, padding, 'reflect')"},
    {"aten.reflection_pad3d.default", "pad(self, padding, 'reflect')"},
    {"aten.repeat.default", "repeat(self, repeats)"},
    {"aten.repeat_interleave.self_int", "repeat_interleave(self, repeats, dim)"},
    {"aten.replication_pad1d.default", "pad(self, padding, 'replicate')"},
    {"aten.replication_pad2d.default", "pad(self, padding, 'replicate')"},
    {"aten.replication_pad3d.default", "pad(self, padding, 'replicate')"},
    {"aten.reshape.default", "reshape(self, shape)"},
    {"aten.roll.default", "roll(self, shifts, dims)"},
    {"aten.scalar_tensor.default", "full([], s, dtype)"},
    {"aten.searchsorted.Tensor",
     "let v = unsqueeze(self, -1); let e = if rank(sorted_sequence) == 1 then sorted_sequence else unsqueeze(sorted_sequence, -2);"
     "let s = if sorter == none then e else refused('a sorter is not supported');"
     "sum(cast(if right or side == 'right' then not (s > v) else not (s >= v), int64), -1, keepdim=false)"},
    {"aten.select.int", "select(self, dim, index)"},
    {"aten.select_scatter.default", "overwritten(self, src, dim, index, 1)"},
    {"aten.slice.Tensor", "slice(self, dim, start, end, step)"},
    {"aten.slice_scatter.default", "overwritten(self, src, dim, start, step)"},
    {"aten.split.Tensor", "split(self, split_size, dim, results)"},
    {"aten.split_with_sizes.default", "split(self, split_sizes, dim)"},
    {"aten.squeeze.default", "squeeze(self)"},
    {"aten.squeeze.dim", "squeeze(self, dim)"},
    {"aten.squeeze.dims", "squeeze(self, dim)"},
    {"aten.stack.default", "stack(tensors, dim)"},
    {"aten.swapaxes.default", "transpose(self, axis0, axis1)"},
    {"aten.swapdims.default", "transpose(self, dim0, dim1)"},
    {"aten.t.default", "transpose(self, 0, 1)"},
    {"aten.take.default", "take(reshape(self, [-1]), 0, index, true)"},
    {"aten.take_along_dim.default", "if dim == none then gather(flatten(self), 0, flatten(indices)) else take_along(self, dim, indices)"},
    {"aten.tile.default", "repeat(self, padded_list(dims, rank(self)))"},
    {"aten.transpose.int", "transpose(self, dim0, dim1)"},
    {"aten.tril.default", "where(diagonal_distance(self) <= diagonal, self, 0)"},
    {"aten.triu.default", "where(diagonal_distance(self) >= diagonal, self, 0)"},
    {"aten.unbind.int", "unbind(self, dim)"},
    {"aten.unflatten.int", "unflatten(self, dim, sizes)"},
    {"aten.unfold.default", "unfold(self, dimension, size, step)"},
    {"aten.unsqueeze.default", "unsqueeze(self, dim)"},
    {"aten.view.default", "reshape(self, size)"},
    {"aten.view_as.default", "reshape(self, shape(other))"},
    {"aten.zeros.default", "full(size, 0.0, dtype)"},
    {"aten.zeros_like.default", "full(shape(self), 0, if dtype == none then dtype_of(self) else dtype)"},
};

}  // namespace

std::span<const Operator> view_operators() {
  return kOperators;
}

}  // namespace ka::graph
