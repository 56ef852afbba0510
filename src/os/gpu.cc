#include "os/gpu.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "os/environment.h"
#include "os/process.h"

namespace ka::os {
namespace {

constexpr std::size_t kColumns = 6;
constexpr std::uint64_t kMaxMiB = std::uint64_t{1} << 32;
constexpr double kMaxWatts = 1e5;

template <typename Number>
bool parse_all(const std::string& text, Number& out) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && stopped == end && !text.empty();
}

}  // namespace

std::vector<Gpu> parse_gpu_table(std::string_view text) {
  std::vector<Gpu> gpus;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != kColumns && cells.size() != kColumns - 1) continue;
    Gpu gpu;
    std::uint64_t mib = 0;
    if (!parse_all(trim(cells[0]), gpu.index)) continue;
    // A GPU may decline to tell its memory ("[N/A]" on machines where it shares the main memory); it is still
    // a GPU.
    if (parse_all(trim(cells[3]), mib) && mib < kMaxMiB) gpu.memory_bytes = mib << 20;
    gpu.name = trim(cells[1]);
    gpu.compute_capability = trim(cells[2]);
    gpu.driver = trim(cells[4]);
    double watts = 0;
    if (cells.size() == kColumns && parse_all(trim(cells[5]), watts) && watts > 0 && watts < kMaxWatts) gpu.power_limit_watts = watts;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

std::optional<std::vector<int>> visible_gpus(const std::vector<Gpu>& gpus, const std::optional<std::string>& visible) {
  std::vector<int> out;
  if (!visible) {
    for (const Gpu& gpu : gpus) out.push_back(gpu.index);
    return out;
  }
  for (const std::string& entry : split(*visible, ',')) {
    const std::string word = trim(entry);
    if (word.starts_with("GPU-") || word.starts_with("MIG-")) return std::nullopt;
    int number = -1;
    const auto is_it = [&](const Gpu& gpu) { return gpu.index == number; };
    if (!parse_all(word, number) || std::none_of(gpus.begin(), gpus.end(), is_it)) break;
    if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
  }
  return out;
}

Result<std::vector<Gpu>> query_gpus(Deadline deadline) {
  const std::optional<std::string> program = find_program("nvidia-smi");
  if (!program) return std::vector<Gpu>{};
  ProcessSpec spec;
  spec.argv = {*program, "--query-gpu=index,name,compute_cap,memory.total,driver_version,power.limit",
               "--format=csv,noheader,nounits"};
  spec.env = clean_environment();
  const Result<CommandResult> result = run_command(spec, deadline, CancelToken{});
  if (!result || result->timed_out || !result->status.success()) return std::vector<Gpu>{};
  return parse_gpu_table(result->out);
}

}  // namespace ka::os
