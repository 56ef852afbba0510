#include "model/random_values.h"

#include <bit>
#include <cmath>

namespace ka::model {

std::int64_t Random::whole() {
  const std::int64_t values[] = {0, 1, -1, INT64_MAX, INT64_MIN, std::int64_t{1} << 53, (std::int64_t{1} << 53) + 1};
  return flag() ? values[below(std::size(values))] : static_cast<std::int64_t>(below(100000)) - 50000;
}

double Random::number() {
  const double values[] = {0.0, -0.0, 1.0, 1e-3, 0.1, 5e-324, 1.7976931348623157e308, 1e22, -2.5, 123456789012345680.0};
  if (flag()) return values[below(std::size(values))];
  while (true) {
    const auto value = std::bit_cast<double>(bits());
    if (std::isfinite(value)) return value;
  }
}

std::string Random::text() {
  const char* pieces[] = {"a", "B", " ", "\"", "\\", "\n", "\t", "/", "\x01", "\x7f", "é", "𝄞", "0", "}", "nan"};
  std::string text;
  for (std::uint64_t n = below(6); n > 0; --n) text += pieces[below(std::size(pieces))];
  if (below(8) == 0) text += '\0';
  return text;
}

std::vector<std::int64_t> Random::shape() {
  return list([this] { return static_cast<std::int64_t>(below(4096)); });
}

Attribute Random::attribute() {
  switch (below(9)) {
    case 0: return std::monostate{};
    case 1: return flag();
    case 2: return whole();
    case 3: return number();
    case 4: return text();
    case 5: return list([this] { return whole(); });
    case 6: return std::vector<double>{number(), number()};
    case 7: return HUGE_VAL;
    default: return std::vector<double>{-HUGE_VAL, 1.0};
  }
}

Attributes Random::attributes() {
  return map([this] { return attribute(); });
}

JsonText Random::json() {
  const char* values[] = {"1", "null", "[1,2.5]", "\"text\"", "[]", "true"};
  return {values[below(std::size(values))]};
}

UnknownFields Random::unknown() {
  const char* values[] = {"1", "null", "[1,{\"a\":2.5}]", "\"text\"", "{\"deep\":{\"er\":[]}}", "true"};
  UnknownFields fields;
  for (std::uint64_t n = below(3); n > 0; --n) {
    fields["x_" + std::to_string(below(100))] = values[below(std::size(values))];
  }
  return fields;
}

TensorType random_tensor(Random& r) {
  return {r.text(), r.dtype(), r.shape(), r.maybe([&] { return r.shape(); }), r.unknown(), r.maybe([&] { return r.text(); }), {}};
}

namespace {

std::vector<TensorType> tensors(Random& r) {
  return r.list([&] { return random_tensor(r); });
}

ProblemInput problem_input(Random& r) {
  return {r.text(), r.maybe([&] { return random_tensor(r); }), r.attribute(), r.unknown()};
}

ProblemWeight problem_weight(Random& r) {
  return {r.text(), r.text(), r.text(), r.maybe([&] { return r.text(); }), random_tensor(r), r.unknown()};
}

WorstElement worst_element(Random& r) {
  return {r.small(), r.shape(), r.number(), r.number(), r.number(), r.unknown()};
}

RootCause root_cause(Random& r) {
  return {r.text(), r.list([&] { return Evidence{r.text(), r.number(), r.text(), r.unknown()}; }),
          r.list([&] { return Fix{r.text(), r.text(), r.unknown()}; }), r.unknown()};
}

Bottleneck bottleneck(Random& r) {
  return {r.text(),   r.text(),   r.text(), r.text(), r.text(), r.number(), r.number(), r.list([&] { return root_cause(r); }),
          r.unknown()};
}

KernelProfile kernel_profile(Random& r) {
  auto maybe_whole = [&] { return r.maybe([&] { return r.whole(); }); };
  return {r.text(),      r.whole(),     r.maybe([&] { return r.number(); }),
          maybe_whole(), maybe_whole(), maybe_whole(),
          maybe_whole(), r.maybe([&] { return r.number(); }), r.text(),
          r.maybe([&] { return r.number(); }), r.list([&] { return r.whole(); }), r.map([&] { return r.whole(); }),
          r.whole(),     r.whole(),     r.map([&] { return r.number(); }),
          r.unknown()};
}

}  // namespace

Problem random_problem(Random& r) {
  return {1,
          r.text(),
          r.text(),
          r.text(),
          r.text(),
          r.text(),
          r.text(),
          r.list([&] { return problem_input(r); }),
          r.list([&] { return problem_weight(r); }),
          tensors(r),
          r.text(),
          r.sizes(),
          r.sizes(),
          r.flag(),
          r.texts(),
          r.list([&] { return SizeVariant{r.text(), r.sizes(), r.unknown()}; }),
          r.flag(),
          r.flag(),
          r.text(),
          r.texts(),
          r.flag(),
          r.whole(),
          r.whole(),
          r.unknown()};
}

Route random_route(Random& r) {
  RouteFeatures features{r.flag(),  r.flag(),  r.flag(),  r.flag(),  r.flag(),
                         r.whole(), r.whole(), r.whole(), r.sizes(), {},       r.unknown()};
  for (const auto& [name, value] : r.sizes()) features.lines[name] = {value, r.whole()};
  return {1,
          r.text(),
          r.text(),
          r.number(),
          r.text(),
          features,
          r.list([&] { return RouteRule{r.text(), r.flag(), r.text(), r.unknown()}; }),
          r.text(),
          r.text(),
          r.attributes(),
          r.unknown()};
}

Subgraph random_subgraph(Random& r) {
  return {1,
          r.text(),
          r.text(),
          r.text(),
          r.dtype(),
          r.map([&] { return r.whole(); }),
          r.list([&] {
            return SubgraphOp{r.text(), r.text(), r.text(), r.map([&] { return r.json(); }), r.map([&] { return r.json(); }), r.list([&] { return r.json(); }), r.unknown()};
          }),
          tensors(r),
          tensors(r),
          tensors(r),
          r.list([&] { return SubgraphUpdate{r.text(), r.text(), r.unknown()}; }),
          r.list([&] { return SubgraphCall{r.whole(), r.texts(), r.texts(), r.texts(), r.unknown()}; }),
          r.list([&] { return SubgraphSample{r.map([&] { return r.whole(); }), r.json(), r.unknown()}; }),
          r.text(),
          {r.text(), r.text(), r.unknown()},
          r.whole(),
          r.text(),
          r.unknown()};
}

Candidate random_candidate(Random& r) {
  auto usage = [&] { return ModelUsage{r.text(), r.whole(), r.whole(), r.number(), r.unknown()}; };
  return {1,        r.text(), r.text(), r.text(),  r.text(),  r.attributes(), r.text(),       r.text(),
          r.text(), r.text(), r.text(), r.small(), r.small(), r.text(),       r.maybe(usage), r.unknown()};
}

Verdict random_verdict(Random& r) {
  JudgedProblem problem{r.text(), r.text(), r.text(), r.sizes(), r.sizes(), r.flag(), r.text(), r.unknown()};
  JudgedKernel kernel{r.text(), r.text(), r.text(), r.unknown()};
  Precision precision{r.text(),   r.number(), r.number(), r.number(),
                      r.number(), r.number(), r.number(), r.unknown()};
  return {1,
          r.flag(),
          r.text(),
          r.text(),
          r.text(),
          r.maybe([&] { return worst_element(r); }),
          problem,
          kernel,
          precision,
          r.list([&] { return CheckRun{r.text(), r.whole(), r.text(), r.unknown()}; }),
          r.flag(),
          r.text(),
          {r.texts(), r.flag(), r.unknown()},
          {r.text(), r.list([&] { return MissingPart{r.text(), r.text(), r.unknown()}; }), r.unknown()},
          r.text(),
          r.bits(),
          r.text(),
          {r.text(), r.text(), r.text(), r.text(), r.unknown()},
          r.map([&] { return r.number(); }),
          r.unknown()};
}

Timing random_timing(Random& r) {
  return {1,        r.text(),  r.text(), r.text(), r.text(),    r.text(),   r.text(),   r.text(),
          r.whole(), r.flag(), r.flag(), r.numbers(), r.number(), r.number(), r.number(), r.unknown()};
}

Profile random_profile(Random& r) {
  return {1,
          r.text(),
          r.text(),
          r.text(),
          r.text(),
          r.list([&] { return kernel_profile(r); }),
          r.map([&] { return r.text(); }),
          r.unknown()};
}

Diagnosis random_diagnosis(Random& r) {
  Roofline roofline{r.number(), r.number(), r.number(), r.number(), r.flag(), r.flag(), r.text(), r.texts(), r.unknown()};
  return {1, r.text(), r.text(), r.text(), roofline, r.list([&] { return bottleneck(r); }), r.unknown()};
}

RunSummary random_run_summary(Random& r) {
  auto result = [&] {
    return SubgraphResult{r.text(), r.flag(), r.text(), r.text(), r.text(), r.small(), r.small(), r.small(), r.text(), r.unknown()};
  };
  auto composition = [&] {
    return Composition{r.flag(), r.text(), r.text(), r.flag(), r.texts(), r.text(), r.unknown()};
  };
  return {1,
          r.text(),
          r.text(),
          r.text(),
          r.text(),
          r.text(),
          r.flag(),
          r.small(),
          r.text(),
          r.text(),
          r.text(),
          r.text(),
          r.list(result),
          r.maybe(composition),
          r.list([&] { return SpeedLine{r.text(), r.number(), r.number(), r.unknown()}; }),
          r.number(),
          r.map([&] { return r.text(); }),
          r.map([&] { return r.number(); }),
          r.unknown()};
}

SentenceRecord random_sentence_record(Random& r) {
  return {1, r.text(), r.text(), r.text(), r.text(), r.small(), r.whole(), r.whole(), r.number(), r.unknown()};
}

RunInfo random_run_info(Random& r) { return {1, r.text(), r.text(), r.text(), r.text(), r.unknown()}; }

}  // namespace ka::model
