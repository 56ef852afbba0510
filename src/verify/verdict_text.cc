#include <fmt/format.h>

#include "base/strings.h"
#include "verify/judge.h"

namespace ka::verify {
namespace {

std::string sizes_text(const std::map<std::string, std::int64_t>& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(fmt::format("{}={}", name, value));
  return join(parts, " ");
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) out += "    " + line + "\n";
  return out;
}

}  // namespace

std::string verdict_text(const model::Verdict& verdict) {
  std::string out = verdict.accepted ? "ACCEPTED" : "REFUSED";
  out += fmt::format("  {}  ({})\n", verdict.kernel.path, verdict.accepted ? verdict.kernel.entry : verdict.rule);
  out += fmt::format("  {}\n", verdict.reason);
  if (!verdict.detail.empty()) out += indented(verdict.detail);
  out += fmt::format("  problem    {} ({}, {})\n", verdict.problem.path, verdict.problem.kind,
                     verdict.problem.mode == "eval" ? "eval mode" : "as constructed");
  if (verdict.problem.scaled)
    out += fmt::format("  sizes      given {}\n             verified {}\n", sizes_text(verdict.problem.given_sizes),
                       sizes_text(verdict.problem.verified_sizes));
  for (const model::CheckRun& check : verdict.checks)
    out += fmt::format("  {:<10} {} ({})\n", check.name, check.count, check.note);
  if (verdict.precision.multiple_allowed > 0)
    out += fmt::format("  precision  tier {}, error {:.3g} times PyTorch's own ({:g} allowed), max abs error {:.3g}\n",
                       verdict.precision.tier, verdict.precision.multiple_seen, verdict.precision.multiple_allowed,
                       verdict.precision.max_abs_error);
  if (verdict.specialised) out += fmt::format("  specialised {}\n", verdict.specialised_reason);
  if (!verdict.buffers.updated.empty())
    out += fmt::format("  buffers    {} updated by the program, {} by the kernel\n", join(verdict.buffers.updated, " "),
                       verdict.buffers.reproduced ? "and" : "not");
  out += fmt::format("  device     {}, sandbox {}\n", verdict.device == "cpu" ? "cpu (Triton interpreter)" : verdict.device,
                     verdict.sandbox.level);
  out += fmt::format("  time       {:.2f} s, of which kernel {:.2f}, compiler {:.2f}, start of the interpreter {:.2f}\n",
                     verdict.times.count("total") ? verdict.times.at("total") : 0.0,
                     verdict.times.count("kernel") ? verdict.times.at("kernel") : 0.0,
                     verdict.times.count("compile") ? verdict.times.at("compile") : 0.0,
                     verdict.times.count("interpreter start") ? verdict.times.at("interpreter start") : 0.0);
  out += fmt::format("  again      {}\n", verdict.reproduce);
  return out;
}

}  // namespace ka::verify
