// What samples say: medians, and how sure their ratio is.
#pragma once

#include <cstdint>
#include <vector>

namespace ka {

// 0 for an empty list.
double median(std::vector<double> samples);
double mean(const std::vector<double>& samples);
// Of numbers above 0.
double geometric_mean(const std::vector<double>& samples);
// Between the two neighbours where it falls between them; share 0 is the smallest, 1 the largest. 0 for an empty list.
double quantile(std::vector<double> samples, double share);

struct Ratio {
  double value = 0;          // median of the first over median of the second
  double low = 0, high = 0;  // of the confidence interval
  double confidence = 0;
  int rounds = 0;

  // Whether the interval excludes 1: the difference is not noise.
  bool is_certain() const { return low > 1 || high < 1; }
};

// A bootstrap over rounds: sample i of both was taken in the same round, so rounds are drawn, not samples; what disturbs a
// round (a clock, a neighbour) disturbs both. Percentile interval. Deterministic in the seed. Sizes must agree.
Ratio ratio_of_medians(const std::vector<double>& numerator, const std::vector<double>& denominator, double confidence = 0.95,
                       int resamples = 2000, std::uint64_t seed = 1);

// Of two ratios that were measured apart: the relative errors add up as independent ones do.
Ratio product_of(const Ratio& a, const Ratio& b);

}  // namespace ka
