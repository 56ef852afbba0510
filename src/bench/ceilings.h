// What a GPU reaches at best, measured: bytes, operations and launches, in a sandboxed child that has the GPU to itself. Kept per machine, by GPU, driver and power limit.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "ir/gpu.h"
#include "os/gpu.h"

namespace ka::bench {

enum class Unit { bytes, flops, seconds };

// A ceiling, and what the data sheet says about it (nothing: it does not).
struct CeilingRow {
  const char* name;
  const char* title;
  Unit unit;
  double (*peak)(const ir::Gpu& gpu);
};
inline constexpr auto kCeilings = std::to_array<CeilingRow>({
    {"copy_bytes", "copy of device memory (read + written)", Unit::bytes, [](const ir::Gpu& gpu) { return gpu.peak_bytes; }},
    {"read_bytes", "read of device memory", Unit::bytes, [](const ir::Gpu& gpu) { return gpu.peak_bytes; }},
    {"l2_bytes", "read of the L2 cache", Unit::bytes, nullptr},
    {"float32_flops", "float32 products, no tensor cores", Unit::flops, [](const ir::Gpu& gpu) { return gpu.peak_float32; }},
    {"tf32_flops", "TF32 products", Unit::flops, [](const ir::Gpu& gpu) { return gpu.peak_tf32; }},
    {"float16_flops", "float16 products", Unit::flops, [](const ir::Gpu& gpu) { return gpu.peak_half; }},
    {"bfloat16_flops", "bfloat16 products", Unit::flops, [](const ir::Gpu& gpu) { return gpu.peak_half; }},
    {"launch_seconds", "a kernel of a queued chain", Unit::seconds, nullptr},
    {"python_launch_seconds", "a launch by Python", Unit::seconds, nullptr},
});

// One way of reaching a ceiling: every sample, and what one of them did.
struct CeilingWay {
  std::string ceiling, how;
  double work = 0;  // bytes, operations or launches
  std::vector<double> seconds;

  double value(Unit unit) const;  // of the median sample: work per second, or seconds per launch
};

struct Ceilings {
  std::string gpu, driver;
  double power_limit_watts = 0;
  std::string measured;  // when
  std::vector<CeilingWay> ways;

  // The best of the ways to this one. Every row of kCeilings has at least one.
  const CeilingWay& best(std::string_view ceiling) const;
  double value(std::string_view ceiling) const;
  bool is_of(const os::Gpu& other) const;
};
Json to_json(const Ceilings& ceilings);
// Strict: every ceiling is there, and every number is one that a clock can have given.
Result<Ceilings> ceilings_from_json(const Json& json);

struct CeilingOptions {
  std::string device = "cuda";  // cpu: tiny sizes and the CPU's clock, for tests
  std::optional<int> only_gpu = {};
  std::chrono::milliseconds limit{120'000};
};
// `gpu`: the one that is measured, as its driver tells about it; whoever calls has leased it.
Result<Ceilings> measure_ceilings(const os::Gpu& gpu, const CeilingOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

// "kernelagent/ceilings" in $XDG_CACHE_HOME, else in ~/.cache; empty where neither is known.
std::string ceilings_folder();
// "nvidia_h200_580.159.04_700w.json" in it.
std::string ceilings_file(const os::Gpu& gpu, const std::string& folder = ceilings_folder());
// Nothing where none were measured, where the file is damaged, and where it is about another GPU.
std::optional<Ceilings> kept_ceilings(const os::Gpu& gpu, const std::string& folder = ceilings_folder());
Status keep_ceilings(const os::Gpu& gpu, const Ceilings& ceilings, const std::string& folder = ceilings_folder());

}  // namespace ka::bench
