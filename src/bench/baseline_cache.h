// Times of baselines that were measured before: a folder with a file per machine, problem, mode, seed and baseline. Each has the samples of the baseline and those of eager
// PyTorch from the same process, so that a later run, which times eager again, knows by how much the machine differs.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/statistics.h"
#include "bench/fingerprint.h"
#include "model/timing.h"

namespace ka::bench {

struct BaselineKey {
  Fingerprint machine;
  std::string problem_sha256, object, mode, method;
  std::uint64_t seed = 0;
  std::string contender;
};

struct CachedBaseline {
  std::string taken;  // when, in UTC
  model::Timing baseline, eager;
};

// The text of an entry's file. An error, of one sentence, where it is damaged or about something else.
std::string baseline_text(const BaselineKey& key, const CachedBaseline& entry);
Result<CachedBaseline> read_baseline(const std::string& text, const BaselineKey& key);

class BaselineCache {
 public:
  explicit BaselineCache(std::string folder) : folder_(std::move(folder)) {}
  // Nothing where it is not known. An error, which names the file, where the entry is damaged or about something else: measure anew.
  Result<std::optional<CachedBaseline>> find(const BaselineKey& key) const;
  Status keep(const BaselineKey& key, const CachedBaseline& entry) const;

 private:
  std::string path_of(const BaselineKey& key) const;
  std::string folder_;
};

// What the baseline would take now, by what eager took then and takes now; and over the kernel's time now.
struct ScaledBaseline {
  double median_ms = 0;
  Ratio ratio;
};
ScaledBaseline scaled(const CachedBaseline& cached, const model::Timing& eager_now, const model::Timing& kernel_now);

}  // namespace ka::bench
