#include "bench/attempts.h"

#include <algorithm>

#include <fmt/format.h>

namespace ka::bench {
namespace {

// Whom to go on without after this end; nobody: there is nothing more to try. What compilers keep of the memory, and what they leave running, may be what the kernel or the
// samples fail of.
std::vector<std::string> left_out(const std::vector<std::string>& contenders, const std::vector<std::string>& rivals, const std::string& guilty) {
  if (std::find(rivals.begin(), rivals.end(), guilty) != rivals.end()) return rivals;
  if (guilty != "kernel" && std::find(contenders.begin(), contenders.end(), guilty) != contenders.end()) return {guilty};
  if (guilty != "kernel" && guilty != kBenchSamples) return {};
  std::vector<std::string> out;
  std::copy_if(contenders.begin(), contenders.end(), std::back_inserter(out), [](const std::string& name) { return name.starts_with("compile"); });
  if (out.empty()) out = rivals;
  if (out.empty() && std::find(contenders.begin(), contenders.end(), "eager") != contenders.end()) out.push_back("eager");
  return out;
}

// They are known by their number: all of them go, or none.
std::vector<std::string> names_of_rivals(const TimingOptions& options) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i <= options.rivals.size(); ++i) out.push_back(rival_name(i));
  return out;
}

}  // namespace

Result<Timed> time_in_attempts(TimingOptions options, const TimeOnce& once) {
  std::map<std::string, std::string> failed;
  while (true) {
    std::string guilty;
    Result<Timed> timed = once(options, guilty);
    if (timed) {
      timed->failed.merge(failed);
      return timed;
    }
    if (timed.error().kind == ErrorKind::cancelled) return timed.error();
    const std::vector<std::string> without = left_out(options.contenders, names_of_rivals(options), guilty);
    if (without.empty()) return timed.error();
    if (without == names_of_rivals(options)) options.rivals.clear();
    const std::string& why = timed.error().message;
    for (const std::string& name : without) {
      failed[name] = name == guilty ? why : fmt::format("left out, because with it {} failed: {}", guilty == "kernel" ? "the kernel" : guilty == kBenchSamples ? "the samples" : guilty, why);
      std::erase(options.contenders, name);
    }
  }
}

Result<Timed> time_in_attempts(const Subject& subject, const TimingOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  return time_in_attempts(options, [&](const TimingOptions& now, std::string& guilty) { return time_contenders(subject, now, interpreter, cancel, &guilty); });
}

}  // namespace ka::bench
