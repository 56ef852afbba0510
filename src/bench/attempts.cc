#include "bench/attempts.h"

#include <algorithm>

#include <fmt/format.h>

namespace ka::bench {
namespace {

// Whom to go on without after this end; nobody: there is nothing more to try. What compilers keep of the memory, and what they leave running, may be what the kernel or the
// samples fail of.
std::vector<std::string> left_out(const std::vector<std::string>& contenders, const std::string& guilty) {
  if (guilty != "kernel" && std::find(contenders.begin(), contenders.end(), guilty) != contenders.end()) return {guilty};
  if (guilty != "kernel" && guilty != kBenchSamples) return {};
  std::vector<std::string> out;
  std::copy_if(contenders.begin(), contenders.end(), std::back_inserter(out), [](const std::string& name) { return name.starts_with("compile"); });
  const bool has_eager = std::find(contenders.begin(), contenders.end(), "eager") != contenders.end();
  if (out.empty() && has_eager) out.push_back("eager");
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
    const std::vector<std::string> without = left_out(options.contenders, guilty);
    if (without.empty()) return timed.error();
    const std::string& why = timed.error().message;
    for (const std::string& name : without) {
      failed[name] = name == guilty ? why : fmt::format("left out, because with it {} failed: {}", guilty == "kernel" ? "the kernel" : "the samples", why);
      std::erase(options.contenders, name);
    }
  }
}

Result<Timed> time_in_attempts(const Subject& subject, const TimingOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  return time_in_attempts(options, [&](const TimingOptions& now, std::string& guilty) { return time_contenders(subject, now, interpreter, cancel, &guilty); });
}

}  // namespace ka::bench
