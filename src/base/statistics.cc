#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace ka {
namespace {

// splitmix64: small, and the same everywhere, which the library's distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

double median_in_place(std::vector<double>& samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

double median(std::vector<double> samples) { return median_in_place(samples); }

double mean(const std::vector<double>& samples) {
  return samples.empty() ? 0 : std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double geometric_mean(const std::vector<double>& samples) {
  double sum = 0;
  for (const double sample : samples) sum += std::log(sample);
  return samples.empty() ? 0 : std::exp(sum / static_cast<double>(samples.size()));
}

double quantile(std::vector<double> samples, double share) {
  std::sort(samples.begin(), samples.end());
  return samples.empty() ? 0 : quantile_of_sorted(samples, share);
}

Ratio product_of(const Ratio& a, const Ratio& b) {
  Ratio out;
  out.value = a.value * b.value;
  out.confidence = std::min(a.confidence, b.confidence);
  out.rounds = std::min(a.rounds, b.rounds);
  out.low = out.value * std::exp(-std::hypot(std::log(a.value / a.low), std::log(b.value / b.low)));
  out.high = out.value * std::exp(std::hypot(std::log(a.high / a.value), std::log(b.high / b.value)));
  return out;
}

Ratio ratio_of_medians(const std::vector<double>& numerator, const std::vector<double>& denominator, double confidence, int resamples,
                       std::uint64_t seed) {
  KA_CHECK(numerator.size() == denominator.size());
  Ratio out;
  out.confidence = confidence;
  out.rounds = static_cast<int>(numerator.size());
  if (numerator.empty() || resamples < 1) return out;
  out.value = median(numerator) / median(denominator);
  Random random(seed);
  std::vector<double> ratios, above(numerator.size()), below(numerator.size());
  for (int r = 0; r < resamples; ++r) {
    for (std::size_t i = 0; i < numerator.size(); ++i) {
      const std::size_t round = random.below(numerator.size());
      above[i] = numerator[round];
      below[i] = denominator[round];
    }
    ratios.push_back(median_in_place(above) / median_in_place(below));
  }
  std::sort(ratios.begin(), ratios.end());
  out.low = quantile_of_sorted(ratios, (1 - confidence) / 2);
  out.high = quantile_of_sorted(ratios, (1 + confidence) / 2);
  return out;
}

}  // namespace ka
