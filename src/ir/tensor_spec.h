// What a tensor looks like and where its bytes lie in a shared file. A spec that came from a child process is a claim:
// check_spec() must accept it before a single byte is read through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "ir/dtype.h"

namespace ka::ir {

inline constexpr std::size_t kMaxTensorDims = 16;
inline constexpr std::int64_t kMaxTensorElements = std::int64_t{1} << 36;
inline constexpr std::uint64_t kMaxTensorBytes = std::uint64_t{1} << 39;
// Where writers place tensors in an arena. check_spec() asks for less: the alignment that reading an element needs.
inline constexpr std::uint64_t kTensorAlignment = 64;

struct TensorSpec {
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in elements
  std::uint64_t offset = 0;           // of element [0,0,...] in the file, in bytes
  std::uint64_t nbytes = 0;

  bool operator==(const TensorSpec&) const = default;
};

// What the bytes at `offset` are.
enum class Storage {
  strided,  // the storage span: element i lies at the dot product of i and `strides`
  dense,    // row-major without gaps; `strides` only tells how the tensor was laid out where it came from
};

// Refuses, with a sentence, whatever could make a reader leave the file or count wrongly: negative sizes or strides,
// more than kMaxTensorDims dimensions, products that overflow, more than kMaxTensorElements elements, a misaligned
// offset, bytes beyond the end of the file, fewer bytes than the storage needs (dense: not exactly as many).
Status check_spec(const TensorSpec& spec, std::uint64_t file_size, Storage storage = Storage::strided);

// The following need sizes that check_spec() or dense_spec() has accepted; they abort on an overflow.
std::int64_t numel(const TensorSpec& spec);
// Bytes from element 0 to the end of the furthest element; 0 when there are no elements.
std::uint64_t span_bytes(const TensorSpec& spec);
bool is_contiguous(const TensorSpec& spec);

// Row-major strides; sizes of 0 count as 1, as in PyTorch.
Result<std::vector<std::int64_t>> contiguous_strides(const std::vector<std::int64_t>& shape);
// A row-major tensor at `offset` with its strides and nbytes filled in; refuses what check_spec() would refuse.
Result<TensorSpec> dense_spec(DType dtype, std::vector<std::int64_t> shape, std::uint64_t offset = 0);

// "float32[2, 3]", and with other than row-major strides "float32[2, 3] strides [1, 2]".
std::string describe(const TensorSpec& spec);

// {"dtype":"float32","shape":[2,3],"strides":[3,1],"offset":0,"nbytes":24}. When reading, offset and nbytes may be
// missing (a description with no place) and other fields are ignored. Only the form is checked here; the numbers are
// the business of check_spec().
Json to_json(const TensorSpec& spec);
Result<TensorSpec> tensor_spec_from_json(const Json& json);

}  // namespace ka::ir
