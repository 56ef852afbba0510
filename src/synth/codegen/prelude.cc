#include "synth/codegen/prelude.h"

#include <algorithm>
#include <iterator>

namespace ka::codegen {
namespace {

struct Prelude {
  const char* name;
  const char* text;
};

// A row may call those before it.
constexpr Prelude kPrelude[] = {
    {"plus", "@triton.jit\ndef plus(a, b):\n    return a + b\n"},
    {"product", "@triton.jit\ndef product(a, b):\n    return a * b\n"},
    {"largest", "@triton.jit\ndef largest(a, b):\n    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)\n"},
    {"smallest", "@triton.jit\ndef smallest(a, b):\n    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)\n"},
    {"log_plus",
     "@triton.jit\ndef log_plus(a, b):\n    high = tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)\n"
     "    low = tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)\n"
     "    return tl.where(low == float(\"-inf\"), high, high + tl.log(1.0 + tl.exp(low - high)))\n"},
    {"rows_of", "def rows_of(length):\n    \"\"\"How many rows make a tile.\"\"\"\n    return max(1, 4096 // triton.next_power_of_2(length))\n"},
    {"programs_for",
     "def programs_for(rows, columns, chunk, residents):\n    \"\"\"Of those that fit onto the GPU, whole groups of the programs that share a row, each with enough to do.\"\"\"\n"
     "    parts = triton.cdiv(columns, chunk)\n    return parts * max(1, min(rows, residents // parts, triton.cdiv(rows * columns, parts * 4096)))\n"},
    {"chunk_for",
     "def chunk_for(rows, columns, most, residents):\n    \"\"\"Columns that each program of a row keeps: few enough for all programs to have some, and for its registers.\"\"\"\n"
     "    fair = min(most, max(256, triton.cdiv(rows * columns, residents)))\n"
     "    return triton.next_power_of_2(max(fair, triton.cdiv(columns, residents)))\n"},
    {"keep",
     "@triton.jit\ndef copy_kernel(from_ptr, to_ptr, n, BLOCK: tl.constexpr):\n"
     "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
     "    tl.store(to_ptr + i, tl.load(from_ptr + i, mask=i < n), mask=i < n)\n\n\n"
     "def keep(value, buffer):\n    n = buffer.numel()\n    copy_kernel[(triton.cdiv(n, 1024),)](value, buffer, n, BLOCK=1024)\n"},
    {"power_of_two", "@triton.jit\ndef power_of_two(n):\n    return ((n + 127) << 23).to(tl.float32, bitcast=True)\n"},
    {"in_halves",
     "@triton.jit\ndef in_halves(x, AXIS: tl.constexpr):\n"
     "    \"\"\"Two float16 numbers, of which the second is what the first lacks, of x times 2^-power; a power for each row, or column.\"\"\"\n"
     "    bits = tl.abs(x).to(tl.int32, bitcast=True)\n"
     "    top = tl.max(tl.where(bits < 0x7F800000, bits, 0), AXIS, keep_dims=True) >> 23\n"
     "    power = tl.maximum(top, 17) - 141\n"
     "    fitting = x * power_of_two(-power)\n"
     "    high = fitting.to(tl.float16)\n"
     "    wide = high.to(tl.float32)\n"
     "    low = tl.where(tl.abs(wide) < float(\"inf\"), fitting - wide, 0.0).to(tl.float16)\n"
     "    return high, low, power\n"},
    {"unscaled",
     "@triton.jit\ndef unscaled(x, power, w_power):\n"
     "    half, w_half = power >> 1, w_power >> 1\n"
     "    near = x * power_of_two(half) * power_of_two(w_half)\n"
     "    return near * power_of_two(power - half) * power_of_two(w_power - w_half)\n"},
    {"product_of_halves",
     "@triton.jit\ndef product_of_halves(high, low, power, w_high, w_low, w_power):\n"
     "    small = tl.dot(high, w_low, tl.dot(low, w_high))\n"
     "    large = tl.dot(high, w_high)\n"
     "    return unscaled(tl.where(tl.abs(large) < float(\"inf\"), large + small, large), power, w_power)\n"},
    {"product_of_highs",
     "@triton.jit\ndef product_of_highs(high, power, w_high, w_power):\n    return unscaled(tl.dot(high, w_high), power, w_power)\n"},
    {"blocks_of",
     "def blocks_of(*matrices):\n    \"\"\"Tensor descriptors; None for each where one cannot be: rows must begin at multiples of 16 bytes.\"\"\"\n"
     "    for x, shape, strides, _ in matrices:\n"
     "        if x.data_ptr() % 16 != 0 or 0 in shape or any(stride * x.element_size() % 16 != 0 for stride in strides[:-1]):\n"
     "            return [None] * len(matrices)\n"
     "    return [TensorDescriptor(x, shape, strides, block) for x, shape, strides, block in matrices]\n"},
    {"first_largest",
     "@triton.jit\ndef later_largest(a, i, b, j):\n"
     "    wins = (a > b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))\n"
     "    return tl.where(wins, a, b), tl.where(wins, i, j)\n\n\n"
     "@triton.jit\ndef first_largest(x, place):\n    _, best = tl.reduce((x, place), 1, later_largest)\n    return best\n"},
    {"first_smallest",
     "@triton.jit\ndef later_smallest(a, i, b, j):\n"
     "    wins = (a < b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))\n"
     "    return tl.where(wins, a, b), tl.where(wins, i, j)\n\n\n"
     "@triton.jit\ndef first_smallest(x, place):\n    _, best = tl.reduce((x, place), 1, later_smallest)\n    return best\n"},
};

bool is_named(const std::string& text, const std::string& name) {
  for (const char before : {' ', '('}) {
    for (const char after : {'(', ')', ','}) {
      if (text.find(before + name + after) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string_view> shared_functions(std::string texts) {
  std::vector<std::string_view> out;
  for (auto row = std::rbegin(kPrelude); row != std::rend(kPrelude); ++row) {
    if (!is_named(texts, row->name)) continue;
    texts += row->text;
    out.emplace_back(row->text);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace ka::codegen
