#include "profile/ncu_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/strings.h"
#include "profile/ncu_metrics.h"

namespace ka::profile {
namespace {

constexpr std::size_t kMostRows = 100000, kMostFields = 4096, kQuoted = 160;
constexpr double kMsPerSecond = 1e3;

// What ncu says instead of a table, and what can be done. The first that is found counts.
struct Complaint {
  std::string_view words, sentence;
};
constexpr Complaint kComplaints[] = {
    {"ERR_NVGPUCTRPERM",
     "the driver keeps the hardware counters to administrators, and nothing in the sandbox is one, whoever starts it: load the kernel module nvidia with "
     "NVreg_RestrictProfilingToAdminUsers=0 (for a container: on its host)"},
    {"driver is not compatible", "this version of Nsight Compute and the driver do not fit together: install the version that belongs to the driver"},
    {"lock file", "another Nsight Compute is at work on this machine, or its lock file cannot be written: wait for it, or remove what it has left behind"},
    {"Failed to find metric", "Nsight Compute does not know the metrics that are asked for: install version 2022.1 or newer"},
    {"is not supported on this device", "Nsight Compute does not know this GPU: install a newer version"},
    {"No kernels were profiled", "Nsight Compute saw no kernel in the profiled call"},
    {"The application returned an error code", "the profiled program failed"},
};

std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

// Fields of one line; nothing for quotes that do not match.
std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') out.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) out.emplace_back();
    else out.back() += c;
    if (out.size() > kMostFields) return std::nullopt;
  }
  if (quoted) return std::nullopt;
  return out;
}

// "1,234,567.8", with the separators only where they belong; nothing for "n/a", "nan", an empty field and everything else.
std::optional<double> number_in(std::string_view field) {
  const std::string text = trim(field);
  std::string plain;
  const std::size_t whole_end = std::min(text.find('.'), text.size());
  std::size_t since = 0;
  bool separated = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      plain += text[i];
      if (i < whole_end && text[i] != '-') ++since;
      continue;
    }
    if (i >= whole_end || since == 0 || since > 3 || (separated && since != 3)) return std::nullopt;
    separated = true;
    since = 0;
  }
  if (separated && since != 3) return std::nullopt;
  double value = 0;
  const auto [end, code] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (plain.empty() || code != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// "(128, 1, 1)".
std::array<std::int64_t, 3> extents_in(std::string_view field) {
  std::array<std::int64_t, 3> out = {1, 1, 1};
  std::string text = trim(field);
  std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == ' '; });
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 3) return out;
  for (std::size_t i = 0; i < 3; ++i) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), value);
    out[i] = code == std::errc() && end == parts[i].data() + parts[i].size() && value >= 1 ? value : 1;
  }
  return out;
}

struct Header {
  std::vector<std::string> names;
  std::vector<double> factors;  // 0: no metric, or one in a unit that is not known
  std::size_t kernel = 0, block = 0, grid = 0;
};

std::optional<std::size_t> place_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

bool is_metric(std::string_view name) { return name.find("__") != std::string_view::npos; }

Result<Header> header_from(const std::vector<std::string>& names, const std::vector<std::string>& units, std::size_t line) {
  if (units.size() != names.size()) return invalid_input(fmt::format("ncu: line {}: {} units for {} columns", line, units.size(), names.size()));
  Header out;
  out.names = names;
  const auto kernel = place_of(names, "Kernel Name"), block = place_of(names, "Block Size"), grid = place_of(names, "Grid Size");
  if (!kernel || !block || !grid) return invalid_input("ncu: the table lacks one of the columns Kernel Name, Block Size, Grid Size");
  out.kernel = *kernel, out.block = *block, out.grid = *grid;
  for (std::size_t i = 0; i < names.size(); ++i) out.factors.push_back(is_metric(names[i]) ? unit_factor(trim(units[i])) : 0);
  if (std::none_of(out.factors.begin(), out.factors.end(), [](double factor) { return factor > 0; })) return invalid_input("ncu: the table has no metrics");
  return out;
}

Result<CountedLaunch> launch_from(const Header& header, const std::vector<std::string>& fields, std::size_t line) {
  if (fields.size() != header.names.size()) return invalid_input(fmt::format("ncu: line {}: {} fields for {} columns", line, fields.size(), header.names.size()));
  CountedLaunch out;
  out.kernel = printable(elide_middle(trim(fields[header.kernel]), kQuoted));
  if (out.kernel.empty()) return invalid_input(fmt::format("ncu: line {}: a launch without the name of its kernel", line));
  out.block = extents_in(fields[header.block]);
  out.grid = extents_in(fields[header.grid]);
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (const std::optional<double> value = number_in(fields[i]); value && header.factors[i] > 0) out.metrics[header.names[i]] = *value * header.factors[i];
  return out;
}

Error no_table(std::string_view text) {
  for (const Complaint& complaint : kComplaints)
    if (text.find(complaint.words) != std::string_view::npos) return environment_error(std::string(complaint.sentence));
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with("==ERROR==")) return environment_error("Nsight Compute says: " + printable(elide_middle(trim(line.substr(9)), kQuoted)));
  const std::string said = printable(elide_middle(trim(std::string(text)), kQuoted));
  return invalid_input(fmt::format("ncu: there is no table in what Nsight Compute wrote{}", said.empty() ? "" : ": " + said));
}

double weight_of(const CountedLaunch& launch, std::string_view by) {
  const auto found = launch.metrics.find(std::string(by));
  return found == launch.metrics.end() ? 0 : found->second;
}

// By time where every launch has one, else by cycles, else all alike.
std::vector<double> weights_of(const std::vector<const CountedLaunch*>& launches) {
  for (const std::string_view by : {kTimeMetric, kCyclesMetric}) {
    std::vector<double> out;
    for (const CountedLaunch* launch : launches) out.push_back(weight_of(*launch, by));
    if (std::all_of(out.begin(), out.end(), [](double weight) { return weight > 0; })) return out;
  }
  return std::vector<double>(launches.size(), 1);
}

Sum sum_of(std::string_view name) {
  const auto row = std::find_if(kMetrics.begin(), kMetrics.end(), [&](const Metric& metric) { return metric.name == name; });
  if (row != kMetrics.end()) return row->sum;
  return name.ends_with(".sum") ? Sum::total : Sum::weighted;
}

std::map<std::string, double> summed(const std::vector<const CountedLaunch*>& launches) {
  struct Running {
    double value = 0, weight = 0;
    std::size_t seen = 0;
  };
  const std::vector<double> weights = weights_of(launches);
  std::map<std::string, Running> running;
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (const auto& [name, value] : launches[i]->metrics) {
      Running& one = running[name];
      one.value += sum_of(name) == Sum::total ? value : value * weights[i];
      one.weight += weights[i];
      ++one.seen;
    }
  std::map<std::string, double> out;
  for (const auto& [name, one] : running) {
    const bool total = sum_of(name) == Sum::total;
    const double value = total ? one.value : one.value / one.weight;
    if ((!total || one.seen == launches.size()) && std::isfinite(value)) out[name] = value;
  }
  return out;
}

std::optional<std::int64_t> whole(const std::map<std::string, double>& metrics, const char* name) {
  const auto found = metrics.find(name);
  if (found == metrics.end() || found->second < 0 || found->second > 1e15) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(found->second));
}

}  // namespace

double unit_factor(std::string_view unit) {
  if (const std::size_t slash = unit.find('/'); slash != std::string_view::npos) {
    const double below = unit_factor(unit.substr(slash + 1));
    return below > 0 && unit.find('/', slash + 1) == std::string_view::npos ? unit_factor(unit.substr(0, slash)) / below : 0;
  }
  constexpr std::string_view bases[] = {"byte", "second", "s", "hz", "inst", "cycle", "warp", "block", "thread", "register", "sector", "request", "bit", "wavefront"};
  constexpr std::pair<char, double> prefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  const auto is_base = [&](std::string_view word) { return std::find(std::begin(bases), std::end(bases), word) != std::end(bases); };
  if (unit.empty() || unit == "%" || is_base(unit)) return 1;
  for (const auto& [prefix, factor] : prefixes)
    if (unit[0] == prefix && is_base(unit.substr(1))) return factor;
  return 0;
}

Result<std::vector<CountedLaunch>> parse_ncu(std::string_view text) {
  std::optional<Header> header;
  std::optional<std::vector<std::string>> names;
  std::vector<CountedLaunch> out;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('"')) continue;  // messages, and what the program itself prints
    std::optional<std::vector<std::string>> fields = fields_of(line);
    if (!fields) return invalid_input(fmt::format("ncu: line {}: quotes that do not match, or too many columns", number));
    if (!names) {
      if (!place_of(*fields, "Kernel Name")) continue;
      names = std::move(fields);
    } else if (!header) {
      KA_ASSIGN(header, header_from(*names, *fields, number));
    } else {
      if (out.size() == kMostRows) return invalid_input(fmt::format("ncu: more than {} launches", kMostRows));
      KA_ASSIGN(CountedLaunch launch, launch_from(*header, *fields, number));
      out.push_back(std::move(launch));
    }
  }
  if (out.empty()) return no_table(text);
  return out;
}

std::vector<model::KernelProfile> aggregated(const std::vector<CountedLaunch>& launches) {
  std::vector<std::vector<const CountedLaunch*>> groups;
  std::map<std::string, std::size_t> places;
  for (const CountedLaunch& launch : launches) {
    const std::string key = fmt::format("{}\n{} {} {}\n{:g}", launch.kernel, launch.block[0], launch.block[1], launch.block[2],
                                        weight_of(launch, "launch__registers_per_thread"));
    const auto [place, fresh] = places.try_emplace(key, groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(&launch);
  }
  std::vector<model::KernelProfile> out;
  for (const std::vector<const CountedLaunch*>& members : groups) {
    model::KernelProfile kernel;
    const CountedLaunch& first = *members.front();
    kernel.name = first.kernel;
    kernel.launches = static_cast<std::int64_t>(members.size());
    kernel.grid.assign(first.grid.begin(), first.grid.end());
    kernel.num_warps = (std::min<std::int64_t>(first.block[0], 1024) * std::min<std::int64_t>(first.block[1], 1024) * std::min<std::int64_t>(first.block[2], 1024) + 31) / 32;
    kernel.metrics = summed(members);
    if (const auto time = kernel.metrics.find(std::string(kTimeMetric)); time != kernel.metrics.end()) kernel.time_ms = time->second * kMsPerSecond;
    kernel.registers = whole(kernel.metrics, "launch__registers_per_thread");
    kernel.shared_bytes = whole(kernel.metrics, "launch__shared_mem_per_block_allocated");
    if (const auto waves = kernel.metrics.find("launch__waves_per_multiprocessor"); waves != kernel.metrics.end()) kernel.waves = waves->second;
    out.push_back(std::move(kernel));
  }
  return out;
}

std::vector<std::string> unknown_metrics(std::string_view text) {
  constexpr std::string_view kWords = "Failed to find metric ";
  std::vector<std::string> out;
  for (std::size_t at = text.find(kWords); at != std::string_view::npos; at = text.find(kWords, at + 1)) {
    std::string_view name = text.substr(at + kWords.size());
    name = name.substr(0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    while (name.ends_with('.')) name.remove_suffix(1);
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.emplace_back(name);
  }
  return out;
}

}  // namespace ka::profile
