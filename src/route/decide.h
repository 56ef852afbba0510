// Which way a problem takes: direct (one kernel) or fuse (several). An ordered table of rules; the first row that matches
// decides, and every row says what it saw, so that `generate --explain` can print the whole table.
//
// The graph knows best: where there is one, the number of kernels that it became decides. The facts of the source decide
// where there is none (the program cannot be exported), and tell people what kind of program it is where there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/route.h"

namespace ka::route {

struct PlanFacts {
  std::int64_t kernels = 0;
  std::int64_t operators = 0;  // primitive operations of the graph
};

model::Route decide(const model::RouteFeatures& features, const std::optional<PlanFacts>& plan, const std::string& problem_text);

// A later stage knows better: the program is one part. Does nothing to a route that is direct already.
void take_direct(model::Route& route, const std::string& rule, const std::string& reason);

// "direct" or "fuse": the strategy in a word.
const char* word_of(const model::Route& route);

// What people read: the decision, then the rows.
std::string to_text(const model::Route& route);

}  // namespace ka::route
