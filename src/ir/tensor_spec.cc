#include "ir/tensor_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace ka::ir {

namespace {

using Sizes = std::vector<std::int64_t>;

// All arguments are >= 0; nullopt on overflow.
std::optional<std::int64_t> times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<std::int64_t> plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// An empty dimension makes the product 0 whatever the others are, so [0, INT64_MAX, INT64_MAX] is no overflow.
std::optional<std::int64_t> count_elements(const Sizes& shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (std::int64_t size : shape) {
    std::optional<std::int64_t> product = times(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

std::optional<std::int64_t> count_span(const Sizes& shape, const Sizes& strides) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::optional<std::int64_t> reach = times(shape[d] - 1, strides[d]);
    std::optional<std::int64_t> sum = reach ? plus(last, *reach) : std::nullopt;
    if (!sum) return std::nullopt;
    last = *sum;
  }
  return plus(last, 1);
}

Status check_dimensions(const TensorSpec& spec) {
  if (spec.shape.size() > kMaxTensorDims) {
    return invalid_input(fmt::format("a tensor with {} dimensions; at most {} are supported", spec.shape.size(),
                                     kMaxTensorDims));
  }
  if (spec.strides.size() != spec.shape.size()) {
    return invalid_input(fmt::format("a tensor with {} dimensions but {} strides", spec.shape.size(),
                                     spec.strides.size()));
  }
  for (std::size_t d = 0; d < spec.shape.size(); ++d) {
    if (spec.shape[d] < 0) {
      return invalid_input(fmt::format("dimension {} has the negative size {}", d, spec.shape[d]));
    }
    if (spec.strides[d] < 0) {
      return invalid_input(fmt::format("dimension {} has the negative stride {}", d, spec.strides[d]));
    }
  }
  return ok();
}

Status check_place(const TensorSpec& spec, std::uint64_t file_size) {
  const std::uint64_t alignment = size_of(spec.dtype);
  if (spec.offset % alignment != 0) {
    return invalid_input(fmt::format("offset {} is not a multiple of {}, the size of a {}", spec.offset, alignment,
                                     to_string(spec.dtype)));
  }
  if (spec.nbytes > kMaxTensorBytes) {
    return invalid_input(fmt::format("{} bytes for one tensor; at most {} are supported", spec.nbytes,
                                     kMaxTensorBytes));
  }
  if (spec.offset > file_size || spec.nbytes > file_size - spec.offset) {
    return invalid_input(fmt::format("{} bytes at offset {} reach beyond the end of the file ({} bytes)", spec.nbytes,
                                     spec.offset, file_size));
  }
  return ok();
}

Result<std::int64_t> checked_integer(const Json& value, const std::string& field) {
  // An unsigned number above INT64_MAX would turn negative on conversion: it must not pass as something else.
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)) {
    return invalid_input(fmt::format("field '{}' of a tensor spec must hold 64-bit integers", field));
  }
  return value.get<std::int64_t>();
}

Result<Sizes> read_sizes(const Json& json, const char* field) {
  auto found = json.find(field);
  if (found == json.end()) return invalid_input(fmt::format("a tensor spec without the field '{}'", field));
  if (!found->is_array()) return invalid_input(fmt::format("field '{}' of a tensor spec must be an array", field));
  if (found->size() > kMaxTensorDims) {
    return invalid_input(fmt::format("field '{}' of a tensor spec has {} entries; at most {} are supported", field,
                                     found->size(), kMaxTensorDims));
  }
  Sizes sizes;
  for (const Json& entry : *found) {
    KA_ASSIGN(std::int64_t size, checked_integer(entry, field));
    sizes.push_back(size);
  }
  return sizes;
}

Result<std::uint64_t> read_bytes(const Json& json, const char* field) {
  auto found = json.find(field);
  if (found == json.end()) return std::uint64_t{0};
  KA_ASSIGN(std::int64_t bytes, checked_integer(*found, field));
  if (bytes < 0) return invalid_input(fmt::format("field '{}' of a tensor spec is negative: {}", field, bytes));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

Status check_spec(const TensorSpec& spec, std::uint64_t file_size, Storage storage) {
  KA_TRY(check_dimensions(spec));
  std::optional<std::int64_t> elements = count_elements(spec.shape);
  if (!elements || *elements > kMaxTensorElements) {
    return invalid_input(fmt::format("shape [{}] has too many elements; at most {} are supported",
                                     fmt::join(spec.shape, ", "), kMaxTensorElements));
  }
  std::optional<std::int64_t> span = count_span(spec.shape, spec.strides);
  const auto item = static_cast<std::int64_t>(size_of(spec.dtype));
  std::optional<std::int64_t> bytes = span ? times(*span, item) : std::nullopt;
  if (!bytes) {
    return invalid_input(fmt::format("shape [{}] with strides [{}] spans more bytes than there can be",
                                     fmt::join(spec.shape, ", "), fmt::join(spec.strides, ", ")));
  }
  KA_TRY(check_place(spec, file_size));
  // elements <= 2^36 and item <= 8: this product cannot overflow.
  const auto dense = static_cast<std::uint64_t>(*elements * item);
  if (storage == Storage::dense && spec.nbytes != dense) {
    return invalid_input(fmt::format("{} needs {} bytes, the spec says {}", describe(spec), dense, spec.nbytes));
  }
  if (storage == Storage::strided && static_cast<std::uint64_t>(*bytes) > spec.nbytes) {
    return invalid_input(fmt::format("{} spans {} bytes, the spec says {}", describe(spec), *bytes, spec.nbytes));
  }
  return ok();
}

std::int64_t numel(const TensorSpec& spec) {
  std::optional<std::int64_t> count = count_elements(spec.shape);
  KA_CHECK(count.has_value());
  return *count;
}

std::uint64_t span_bytes(const TensorSpec& spec) {
  KA_CHECK(spec.shape.size() == spec.strides.size());
  std::optional<std::int64_t> span = count_span(spec.shape, spec.strides);
  std::optional<std::int64_t> bytes =
      span ? times(*span, static_cast<std::int64_t>(size_of(spec.dtype))) : std::nullopt;
  KA_CHECK(bytes.has_value());
  return static_cast<std::uint64_t>(*bytes);
}

bool is_contiguous(const TensorSpec& spec) {
  if (spec.shape.size() != spec.strides.size()) return false;
  if (std::ranges::find(spec.shape, 0) != spec.shape.end()) return true;
  std::int64_t expected = 1;
  for (std::size_t d = spec.shape.size(); d-- > 0;) {
    if (spec.shape[d] == 1) continue;  // the stride of a dimension of size 1 is never used
    if (spec.strides[d] != expected) return false;
    std::optional<std::int64_t> next = times(expected, spec.shape[d]);
    if (!next) return false;
    expected = *next;
  }
  return true;
}

Result<Sizes> contiguous_strides(const Sizes& shape) {
  Sizes strides(shape.size(), 1);
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    std::optional<std::int64_t> next = times(stride, std::max<std::int64_t>(shape[d], 1));
    if (!next) return invalid_input(fmt::format("shape [{}] has too many elements", fmt::join(shape, ", ")));
    stride = *next;
  }
  return strides;
}

Result<TensorSpec> dense_spec(DType dtype, Sizes shape, std::uint64_t offset) {
  TensorSpec spec{dtype, std::move(shape), {}, offset, 0};
  KA_ASSIGN(spec.strides, contiguous_strides(spec.shape));
  KA_TRY(check_dimensions(spec));
  std::optional<std::int64_t> elements = count_elements(spec.shape);
  if (!elements || *elements > kMaxTensorElements) {
    return invalid_input(fmt::format("shape [{}] has too many elements; at most {} are supported",
                                     fmt::join(spec.shape, ", "), kMaxTensorElements));
  }
  spec.nbytes = static_cast<std::uint64_t>(*elements) * size_of(dtype);
  KA_TRY(check_spec(spec, UINT64_MAX, Storage::dense));
  return spec;
}

std::string describe(const TensorSpec& spec) {
  std::string text = fmt::format("{}[{}]", to_string(spec.dtype), fmt::join(spec.shape, ", "));
  if (!is_contiguous(spec)) text += fmt::format(" strides [{}]", fmt::join(spec.strides, ", "));
  return text;
}

Json to_json(const TensorSpec& spec) {
  return {{"dtype", to_string(spec.dtype)},
          {"shape", spec.shape},
          {"strides", spec.strides},
          {"offset", spec.offset},
          {"nbytes", spec.nbytes}};
}

Result<TensorSpec> tensor_spec_from_json(const Json& json) {
  if (!json.is_object()) return invalid_input("a tensor spec must be a JSON object");
  auto dtype = json.find("dtype");
  if (dtype == json.end()) return invalid_input("a tensor spec without the field 'dtype'");
  if (!dtype->is_string()) return invalid_input("field 'dtype' of a tensor spec must be a string");
  TensorSpec spec;
  KA_ASSIGN(spec.dtype, parse_dtype(dtype->get_ref<const std::string&>()));
  KA_ASSIGN(spec.shape, read_sizes(json, "shape"));
  KA_ASSIGN(spec.strides, read_sizes(json, "strides"));
  KA_ASSIGN(spec.offset, read_bytes(json, "offset"));
  KA_ASSIGN(spec.nbytes, read_bytes(json, "nbytes"));
  return spec;
}

}  // namespace ka::ir
