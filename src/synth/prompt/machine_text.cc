#include <fmt/format.h>

#include "base/quantity.h"
#include "synth/prompt/task_text.h"

namespace ka::prompt {
namespace {

// "67 TFLOP/s"
std::string rate(double operations) { return fmt::format("{:.3g} TFLOP/s", operations / 1e12); }

}  // namespace

Result<std::string> machine_text(const PromptFiles& files, const Machine& machine) {
  const ir::Gpu& gpu = machine.gpu;
  const auto bytes = [](std::int64_t count) { return bytes_text(static_cast<std::uint64_t>(count)); };
  return files.render("platform.md",
                {{"gpu", gpu.title},
                 {"architecture", machine.architecture},
                 {"source", gpu.source == "measured" ? "measured" : "figures of its data sheet"},
                 {"multiprocessors", std::to_string(gpu.multiprocessors)},
                 {"shared", bytes(gpu.shared_bytes)},
                 {"l2", bytes(gpu.l2_bytes)},
                 {"memory", bytes(gpu.memory_bytes)},
                 {"bandwidth", fmt::format("{:.3g} TB/s", gpu.peak_bytes / 1e12)},
                 {"peak_float32", rate(gpu.peak_float32)},
                 {"peak_tf32", rate(gpu.peak_tf32)},
                 {"peak_half", rate(gpu.peak_half)},
                 {"balance", fmt::format("{:.0f}", gpu.peak_float32 / gpu.peak_bytes)},
                 {"triton", machine.triton},
                 {"torch", machine.torch},
                 {"xpu", machine.platform == "xpu" ? "yes" : ""}});
}

std::string time_words(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

}  // namespace ka::prompt
