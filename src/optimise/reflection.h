// Reflections: what a language model expected of a change, what came of it, and what follows from that, by rule. They are kept with the search and shown to the model.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace ka::optimise {

struct Attempt;

struct Reflection {
  int round = 0, parent = 0;
  std::string move, bottleneck;
  std::string expected;     // the model's own words; may be empty
  std::string actual;       // a sentence
  std::string avoid, next;  // what not to do again, what to do more of; at most one of them is not empty
};

// `parent_ms`: of the program that was changed.
Reflection reflect(const Attempt& attempt, double parent_ms);

// For people and for the model: one line for each part that there is.
std::string reflection_text(const Reflection& reflection);

Json to_json(const Reflection& reflection);
Result<Reflection> reflection_from_json(const Json& json);

}  // namespace ka::optimise
