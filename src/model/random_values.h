// Random values for property tests. The initialisers name no field, so a field added to a struct does not compile until
// it is added here. Map keys start with "key_" and unknown fields with "x_": neither is a field of any value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "model/attribute.h"
#include "model/candidate.h"
#include "model/diagnosis.h"
#include "model/problem.h"
#include "model/profile.h"
#include "model/route.h"
#include "model/run_info.h"
#include "model/run_summary.h"
#include "model/sentence_record.h"
#include "model/subgraph.h"
#include "model/timing.h"
#include "model/verdict.h"

namespace ka::model {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  bool flag() { return below(2) == 0; }
  int small() { return static_cast<int>(below(2000)) - 1000; }
  std::int64_t whole();
  std::uint64_t bits() { return engine_(); }
  double number();  // finite, of any magnitude
  std::string text();
  std::vector<std::int64_t> shape();
  ir::DType dtype() { return static_cast<ir::DType>(below(10)); }
  Attribute attribute();
  Attributes attributes();
  JsonText json();
  UnknownFields unknown();

  template <class Make>
  auto list(Make make) {
    std::vector<decltype(make())> items;
    for (std::uint64_t n = below(3); n > 0; --n) items.push_back(make());
    return items;
  }
  template <class Make>
  auto map(Make make) {
    std::map<std::string, decltype(make())> items;
    for (std::uint64_t n = below(3); n > 0; --n) items.emplace("key_" + text(), make());
    return items;
  }
  template <class Make>
  auto maybe(Make make) {
    return flag() ? std::optional<decltype(make())>(make()) : std::nullopt;
  }
  std::vector<std::string> texts() {
    return list([this] { return text(); });
  }
  std::vector<double> numbers() {
    return list([this] { return number(); });
  }
  std::map<std::string, std::int64_t> sizes() {
    return map([this] { return whole(); });
  }

 private:
  std::mt19937_64 engine_;
};

TensorType random_tensor(Random& r);
Problem random_problem(Random& r);
Route random_route(Random& r);
Subgraph random_subgraph(Random& r);
Candidate random_candidate(Random& r);
Verdict random_verdict(Random& r);
Timing random_timing(Random& r);
Profile random_profile(Random& r);
Diagnosis random_diagnosis(Random& r);
RunSummary random_run_summary(Random& r);
RunInfo random_run_info(Random& r);
SentenceRecord random_sentence_record(Random& r);

}  // namespace ka::model
