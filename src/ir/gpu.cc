#include "ir/gpu.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"

// The bytes come from a generated assembler file.
extern "C" const char ka_embedded_gpus[], ka_embedded_gpus_end[];

namespace ka::ir {
namespace {

// A rate that was measured, and the peak that it is a share of.
struct Rate {
  const char* name;
  double Gpu::*reached;
  double (*peak)(const Gpu& gpu);
};

constexpr Rate kRates[] = {
    {"bytes", &Gpu::bytes, [](const Gpu& gpu) { return gpu.peak_bytes; }},
    {"float_products", &Gpu::float_products, [](const Gpu& gpu) { return gpu.peak_float32; }},
    {"three_products", &Gpu::three_products, [](const Gpu& gpu) { return gpu.peak_half / 3; }},
    {"gathered_products", &Gpu::gathered_products, [](const Gpu& gpu) { return gpu.peak_tf32; }},
    {"half_products", &Gpu::half_products, [](const Gpu& gpu) { return gpu.peak_half; }},
    {"launch_seconds", &Gpu::launch_seconds, [](const Gpu&) { return 1.0; }},
    {"python_launch_seconds", &Gpu::python_launch_seconds, [](const Gpu&) { return 1.0; }},
};

Result<CudaLimits> read_cuda(const Json& json) {
  FieldReader in(json, "gpus: cuda");
  CudaLimits out;
  out.arch = in.required<int>("arch");
  for (const auto& [name, field] : {std::pair{"threads", &CudaLimits::threads}, std::pair{"blocks", &CudaLimits::blocks},
                                    std::pair{"shared_bytes", &CudaLimits::shared_bytes}, std::pair{"registers", &CudaLimits::registers}}) {
    out.*field = in.required<std::int64_t>(name);
    if (out.*field < 1) in.fail(name, "must be at least 1");
  }
  const auto unknown = in.unknown();
  if (!unknown.empty()) in.fail(unknown.begin()->first, "is no fact about a GPU");
  KA_TRY(in.status());
  return out;
}

// The words of a title in small letters, and each with the next one: "rtx", "4090", "rtx4090".
std::vector<std::string> title_words(std::string_view title) {
  std::vector<std::string> words(1);
  for (const char c : title) {
    if (c != ' ' && c != '-') words.back() += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    else if (!words.back().empty()) words.emplace_back();
  }
  for (std::size_t i = 0, count = words.size(); i + 1 < count; ++i) words.push_back(words[i] + words[i + 1]);
  return words;
}

Result<Gpu> read_gpu(const Json& json, const Gpu* first) {
  FieldReader in(json, "gpus");
  Gpu out;
  out.name = in.required<std::string>("name");
  out.title = in.required<std::string>("title");
  out.source = in.required<std::string>("source");
  for (const auto& [name, field] : {std::pair{"multiprocessors", &Gpu::multiprocessors}, std::pair{"memory_bytes", &Gpu::memory_bytes},
                                    std::pair{"l2_bytes", &Gpu::l2_bytes}, std::pair{"shared_bytes", &Gpu::shared_bytes}})
    out.*field = in.required<std::int64_t>(name);
  for (const auto& [name, field] : {std::pair{"peak_bytes", &Gpu::peak_bytes}, std::pair{"peak_float32", &Gpu::peak_float32},
                                    std::pair{"peak_tf32", &Gpu::peak_tf32}, std::pair{"peak_half", &Gpu::peak_half}})
    out.*field = in.required<double>(name);
  for (const Rate& rate : kRates) {
    if (first == nullptr || out.source == "measured") out.*rate.reached = in.required<double>(rate.name);
    else out.*rate.reached = first->*rate.reached / rate.peak(*first) * rate.peak(out);
  }
  std::vector<std::string> forms = in.optional<std::vector<std::string>>("forms").value_or(std::vector<std::string>{});
  for (const std::string& form : forms) {
    KA_ASSIGN(const std::set<Form> one, read_forms(form));
    out.forms.insert(one.begin(), one.end());
  }
  if (const Json* cuda = in.optional_object("cuda")) {
    KA_ASSIGN(out.cuda, read_cuda(*cuda));
  }
  const auto unknown = in.unknown();
  if (!unknown.empty()) in.fail(unknown.begin()->first, "is no fact about a GPU");
  KA_TRY(in.status());
  if (out.multiprocessors < 1 || out.bytes <= 0 || out.half_products <= 0) return invalid_input(fmt::format("gpus: {}: a rate is not positive", out.name));
  return out;
}

}  // namespace

Result<std::vector<Gpu>> read_gpus(std::string_view text) {
  KA_ASSIGN(const Json json, parse_json(text, "gpus"));
  FieldReader in(json, "gpus");
  const Json* rows = in.required_array("gpus");
  KA_TRY(in.status());
  std::vector<Gpu> out;
  for (const Json& row : *rows) {
    KA_ASSIGN(Gpu gpu, read_gpu(row, out.empty() ? nullptr : &out[0]));
    if (std::any_of(out.begin(), out.end(), [&](const Gpu& other) { return other.name == gpu.name; })) return invalid_input(fmt::format("gpus: {} is there twice", gpu.name));
    out.push_back(std::move(gpu));
  }
  if (out.empty()) return invalid_input("gpus: there is none");
  return out;
}

std::span<const Gpu> all_gpus() {
  static const std::vector<Gpu> gpus = [] {
    Result<std::vector<Gpu>> read = read_gpus({ka_embedded_gpus, static_cast<std::size_t>(ka_embedded_gpus_end - ka_embedded_gpus)});
    KA_CHECK(static_cast<bool>(read));
    return *read;
  }();
  return gpus;
}

Result<Gpu> find_gpu(std::string_view name) {
  std::string names;
  for (const Gpu& gpu : all_gpus()) {
    if (gpu.name == name) return gpu;
    names += (names.empty() ? "" : ", ") + gpu.name;
  }
  return invalid_input(fmt::format("there are no facts about a GPU \"{}\"; known are {}", name, names));
}

const Gpu* gpu_by_title(std::string_view title) {
  const std::vector<std::string> words = title_words(title);
  for (const Gpu& gpu : all_gpus())
    if (std::find(words.begin(), words.end(), gpu.name) != words.end()) return &gpu;
  return nullptr;
}

}  // namespace ka::ir
