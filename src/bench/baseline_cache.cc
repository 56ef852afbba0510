#include "bench/baseline_cache.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "os/files.h"

namespace ka::bench {
namespace {

constexpr int kCacheSchema = 1;

Json key_json(const BaselineKey& key) {
  return {{"machine", to_json(key.machine)}, {"problem_sha256", key.problem_sha256}, {"object", key.object},       {"mode", key.mode},
          {"method", key.method},            {"seed", std::to_string(key.seed)},     {"contender", key.contender}};
}

Result<model::Timing> cached_timing(const Json& json, const std::string& contender) {
  KA_ASSIGN(model::Timing timing, model::timing_from_json(json));
  const bool times = std::all_of(timing.samples_ms.begin(), timing.samples_ms.end(), [](double ms) { return std::isfinite(ms) && ms > 0; });
  if (timing.contender != contender || timing.samples_ms.empty() || !times) return invalid_input("its samples are no times of " + contender);
  timing.median_ms = median(timing.samples_ms);
  return timing;
}

}  // namespace

Result<CachedBaseline> read_baseline(const std::string& text, const BaselineKey& key) {
  KA_ASSIGN(const Json json, parse_json(text, "entry"));
  FieldReader in(json, "entry");
  const int schema = in.required<int>("schema");
  const std::string sum = in.required<std::string>("sha256");
  const Json* entry = in.required_object("entry");
  KA_TRY(in.status());
  if (schema != kCacheSchema || sha256_hex(to_json_text(*entry)) != sum) return invalid_input("it is not what was written");
  FieldReader fields(*entry, "entry");
  const Json* about = fields.required_object("key");
  const Json* baseline = fields.required_object("baseline");
  const Json* eager = fields.required_object("eager");
  CachedBaseline out;
  out.taken = fields.required<std::string>("taken");
  KA_TRY(fields.status());
  if (*about != key_json(key)) return invalid_input("it is about something else");
  KA_ASSIGN(out.baseline, cached_timing(*baseline, key.contender));
  KA_ASSIGN(out.eager, cached_timing(*eager, "eager"));
  if (out.baseline.samples_ms.size() != out.eager.samples_ms.size()) return invalid_input("its samples are not of the same rounds");
  return out;
}

std::string baseline_text(const BaselineKey& key, const CachedBaseline& entry) {
  const Json json = {{"key", key_json(key)}, {"taken", entry.taken}, {"baseline", model::to_json(entry.baseline)}, {"eager", model::to_json(entry.eager)}};
  return to_pretty_json_text({{"schema", kCacheSchema}, {"entry", json}, {"sha256", sha256_hex(to_json_text(json))}});
}

std::string BaselineCache::path_of(const BaselineKey& key) const { return fmt::format("{}/{}.json", folder_, sha256_hex(to_json_text(key_json(key)))); }

Result<std::optional<CachedBaseline>> BaselineCache::find(const BaselineKey& key) const {
  const std::string path = path_of(key);
  const Result<std::string> text = os::read_file(path);
  if (!text && text.error().kind == ErrorKind::not_found) return std::optional<CachedBaseline>();
  if (!text) return text.error();
  Result<CachedBaseline> entry = read_baseline(*text, key);
  if (!entry) return invalid_input(fmt::format("{} is damaged: {}", path, entry.error().message));
  return std::optional<CachedBaseline>(std::move(*entry));
}

Status BaselineCache::keep(const BaselineKey& key, const CachedBaseline& entry) const {
  KA_TRY(os::make_dirs(folder_));
  return os::write_file_atomic(path_of(key), baseline_text(key, entry));
}

ScaledBaseline scaled(const CachedBaseline& cached, const model::Timing& eager_now, const model::Timing& kernel_now) {
  const Ratio then = ratio_of_medians(cached.baseline.samples_ms, cached.eager.samples_ms), now = ratio_of_medians(eager_now.samples_ms, kernel_now.samples_ms);
  return {then.value * eager_now.median_ms, product_of(then, now)};
}

}  // namespace ka::bench
