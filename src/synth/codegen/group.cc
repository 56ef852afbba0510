#include "synth/codegen/group.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include <fmt/format.h>

#include "base/strings.h"

namespace ka::codegen {
namespace {

constexpr std::size_t kMostMembers = 8;   // a launch has so many pointers already
constexpr std::size_t kMostTried = 16;    // groups of one kind that a kernel may join

// What members have in common besides their text.
using Key = std::tuple<std::size_t, std::vector<std::string>, std::vector<std::pair<std::string, std::string>>, std::string, int, int, std::vector<ir::DType>>;

// Launches that wait for each other, while they are being joined.
class Units {
 public:
  explicit Units(const ir::Plan& plan) : plan_(plan), unit_(plan.kernels.size()) {
    for (std::size_t k = 0; k < unit_.size(); ++k) {
      unit_[k] = k;
      members_.push_back({k});
    }
  }

  const Launch& members(std::size_t unit) const { return members_[unit]; }

  // Whether the first waits for the second.
  bool waits(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(members_.size(), false);
    std::vector<std::size_t> waiting{from};
    while (!waiting.empty()) {
      const std::size_t unit = waiting.back();
      waiting.pop_back();
      if (unit == to) return true;
      if (seen[unit]) continue;
      seen[unit] = true;
      for (const std::size_t need : needs(unit)) waiting.push_back(need);
    }
    return false;
  }

  void join(std::size_t unit, std::size_t kernel) {
    members_[unit].push_back(kernel);
    members_[kernel].clear();
    unit_[kernel] = unit;
  }

  // Each after those that it waits for; otherwise as they were.
  std::vector<Launch> ordered() const {
    std::vector<Launch> out;
    std::vector<bool> done(members_.size(), false);
    const std::function<void(std::size_t)> visit = [&](std::size_t unit) {
      if (done[unit]) return;
      done[unit] = true;
      for (const std::size_t need : needs(unit)) visit(need);
      out.push_back(members_[unit]);
    };
    for (std::size_t unit = 0; unit < members_.size(); ++unit) {
      if (!members_[unit].empty()) visit(unit);
    }
    return out;
  }

 private:
  std::vector<std::size_t> needs(std::size_t unit) const {
    std::vector<std::size_t> out;
    for (const std::size_t member : members_[unit]) {
      for (const int need : plan_.kernels[member].needs) out.push_back(unit_[static_cast<std::size_t>(need)]);
    }
    return out;
  }

  const ir::Plan& plan_;
  std::vector<std::size_t> unit_;     // by kernel
  std::vector<Launch> members_;       // by unit; empty: joined another one
};

// A kernel that fills the GPU alone gains nothing but a launch; one that is launched again and again, over two dimensions, with descriptors or with programs that wait for each other has no place for members.
bool is_small(const EmittedKernel& kernel, const ir::Gpu& gpu) {
  return kernel.loop.empty() && kernel.blocks.empty() && kernel.counters.empty() && kernel.grid.ends_with(",)") && kernel.programs > 0 && kernel.programs < gpu.wanted_programs();
}

std::vector<std::string> parameters_of(const std::string& text) {
  const std::size_t begin = text.find('(', text.find("\ndef ")) + 1, end = text.find("):\n", begin);
  return split(text.substr(begin, end - begin), ',');
}

}  // namespace

std::vector<Launch> group_launches(const std::vector<EmittedKernel>& kernels, const std::vector<std::size_t>& same, const ir::Plan& plan,
                                   const std::map<std::string, ir::DType>& types, const ir::Gpu& gpu) {
  Units units(plan);
  std::map<Key, std::vector<std::size_t>> groups;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const EmittedKernel& kernel = kernels[k];
    if (!is_small(kernel, gpu)) continue;
    std::vector<ir::DType> handed;
    for (const std::string& pointer : kernel.pointers) handed.push_back(types.at(pointer));
    std::vector<std::size_t>& mine = groups[{same[k], kernel.sizes, kernel.constants, kernel.grid, kernel.num_warps, kernel.num_stages, handed}];
    const std::size_t first = mine.size() > kMostTried ? mine.size() - kMostTried : 0;
    const auto found = std::find_if(mine.begin() + static_cast<std::ptrdiff_t>(first), mine.end(), [&](std::size_t unit) {
      return units.members(unit).size() < kMostMembers && !units.waits(unit, k) && !units.waits(k, unit);
    });
    if (found == mine.end()) mine.push_back(k);
    else units.join(*found, k);
  }
  return units.ordered();
}

std::vector<bool> shared_pointers(const std::vector<EmittedKernel>& kernels, const Launch& launch) {
  std::vector<bool> out;
  for (std::size_t i = 0; i < kernels[launch[0]].pointers.size(); ++i)
    out.push_back(std::all_of(launch.begin(), launch.end(), [&](std::size_t k) { return kernels[k].pointers[i] == kernels[launch[0]].pointers[i]; }));
  return out;
}

std::string group_text(const EmittedKernel& kernel, const std::string& name, const std::vector<bool>& shared, std::size_t members) {
  std::vector<std::string> parameters, names, chosen;
  for (const std::string& parameter : parameters_of(kernel.text)) {
    parameters.push_back(trim(parameter));
    names.push_back(parameters.back().substr(0, parameters.back().find(':')));
  }
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (!shared[i]) chosen.push_back(names[i]);
  }
  const auto numbered = [&](std::size_t member) {
    std::vector<std::string> out;
    for (const std::string& pointer : chosen) out.push_back(fmt::format("{}_{}", pointer, member));
    return out;
  };
  std::string branches;
  std::vector<std::string> all(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(shared.size()));
  for (std::size_t m = 1; m < members; ++m) {
    const std::vector<std::string> more = numbered(m);
    all.insert(all.end(), more.begin(), more.end());
    branches += fmt::format("    {} member == {}:\n        {} = {}\n", m == 1 ? "if" : "elif", m, fmt::join(chosen, ", "), fmt::join(more, ", "));
  }
  all.insert(all.end(), parameters.begin() + static_cast<std::ptrdiff_t>(shared.size()), parameters.end());
  return fmt::format("@triton.jit\ndef {}({}):\n    member = tl.program_id(1)\n{}    {}({})\n", name, fmt::join(all, ", "), branches, kernel.name, fmt::join(names, ", "));
}

EmittedKernel group_launch(const std::vector<EmittedKernel>& kernels, const Launch& launch, const std::string& name) {
  EmittedKernel out = kernels[launch[0]];
  if (launch.size() == 1) return out;
  const std::vector<bool> shared = shared_pointers(kernels, launch);
  for (std::size_t m = 1; m < launch.size(); ++m) {
    for (std::size_t i = 0; i < shared.size(); ++i) {
      if (!shared[i]) out.pointers.push_back(kernels[launch[m]].pointers[i]);
    }
  }
  out.name = name;
  out.grid.replace(out.grid.size() - 2, 2, fmt::format(", {})", launch.size()));  // "(n,)" -> "(n, 3)"
  return out;
}

}  // namespace ka::codegen
