// How fast answers are compared: element by element with a switch over the dtype, as a person would write it first, against
// compare(), in one run. GB/s count the bytes of the candidate, of PyTorch's answer and, for floats, of the
// float64 answer.
//   build/release/src/app/bench_compare_speed [million elements, default 32]
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "verify/compare.h"

namespace {

using namespace ka;
using verify::TensorView;

// The least that a comparison must find out: the worst element and the four sums of the budget.
double plain(const TensorView& got, const TensorView& native, const TensorView& wide) {
  double worst = -1, sums = 0, slack = 0;
  for (std::int64_t i = 0; i < verify::element_count(wide); ++i)
    slack = std::max(slack, std::abs(verify::element(native, i) - verify::element(wide, i)));
  for (std::int64_t i = 0; i < verify::element_count(got); ++i) {
    const double a = verify::element(got, i), b = verify::element(native, i), w = verify::element(wide, i);
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(w)) continue;
    if (std::abs(a - b) > 1e-3 + 1e-3 * std::abs(b)) continue;
    worst = std::max(worst, std::abs(a - w));
    sums += (a - w) * (a - w) + (b - w) * (b - w) + w * w;
  }
  return worst + sums + slack;
}

template <typename Work>
double seconds(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void measure(ir::DType dtype, std::size_t n) {
  const std::size_t size = ir::size_of(dtype);
  std::vector<std::byte> bytes(n * size);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % size + 1 == size ? 0x3f : (i * 37) & 0x7f);
  const std::vector<std::byte> other = bytes;
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(n)};
  const TensorView got{dtype, shape, bytes}, native{dtype, shape, other};
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = verify::element(got, static_cast<std::int64_t>(i));
  const TensorView wide{ir::is_float(dtype) ? ir::DType::float64 : dtype, shape,
                        ir::is_float(dtype) ? std::as_bytes(std::span(numbers)) : std::span<const std::byte>(other)};
  const std::size_t read = got.bytes.size() + native.bytes.size() + (ir::is_float(dtype) ? wide.bytes.size() : 0);
  const double gigabytes = static_cast<double>(read) / 1e9;
  volatile double sink = 0;
  const double before = seconds([&] { sink = sink + plain(got, native, wide); });
  const auto with_workers = [&](unsigned workers) {
    return seconds([&] {
      sink = sink + verify::compare(got, {native, wide, {}, {}, {}}, {1e-3, 1e-3}, {16, 64}, workers).max_abs_error;
    });
  };
  const double one = with_workers(1), all = with_workers(0);
  fmt::print("{:<10}{:>12.2f}{:>12.2f}{:>12.2f}{:>10.1f}\n", ir::to_string(dtype), gigabytes / before, gigabytes / one,
             gigabytes / all, before / all);
}

}  // namespace

int main(int argc, char** argv) {
  const auto millions = static_cast<std::size_t>(std::max(argc > 1 ? std::atoi(argv[1]) : 32, 1));
  fmt::print("{} million elements, {} cores; GB/s\n", millions, std::thread::hardware_concurrency());
  fmt::print("{:<10}{:>12}{:>12}{:>12}{:>10}\n", "dtype", "plain", "one worker", "all", "ratio");
  for (const ir::DType dtype : {ir::DType::float64, ir::DType::float32, ir::DType::float16, ir::DType::bfloat16, ir::DType::int64})
    measure(dtype, millions * 1'000'000);
  return 0;
}
