// Why a run is as it is: its route, its cuts, what was refused and by what rule, and where the time went.
// Values first; the two faces, text and JSON, and the page are made from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/run_view.h"

namespace ka::report {

struct WhyRoute {
  std::string strategy, decided_by, rationale;
  double confidence = 0;
  std::string decided;  // the row of the table; empty when no row did
  std::vector<std::pair<std::string, std::string>> also, not_matched;  // name and reason of the other rows
};

// A piece that became one kernel, or one part of a pipeline.
struct WhyCut {
  std::string name, kind;
  std::vector<std::string> ops;
  std::int64_t count = 1;
  std::string where, cost, kept;
  std::vector<std::string> results, reads;  // names of values; of the pieces that it reads from
};

struct WhyNot {
  std::string reason;
  std::vector<std::string> cases;  // "mul (p.py:35) with kernel 0"
};

struct WhyVerdict {
  std::string subject;  // a path, or the id of a part
  bool accepted = false;
  std::string rule, reason, detail, again;
};

struct TimeShare {
  std::string name;
  double seconds = 0;
  double share = 0;  // of the run; for the steps of the judge, which overlap: of the judge
};

struct Explanation {
  std::optional<WhyRoute> route;
  std::vector<WhyCut> cuts;
  std::vector<WhyNot> refusals;      // grouped by reason, the most frequent first
  std::vector<WhyVerdict> verdicts;  // the whole first, then parts that were refused
  std::size_t parts_accepted = 0, parts_judged = 0;
  std::vector<TimeShare> times, judge_times, part_times;  // longest first
};

Explanation explain(const RunView& view);
Json to_json(const Explanation& explanation, const RunView& view);
// At most 100 columns where words allow.
std::string to_text(const Explanation& explanation, const RunView& view);

// "reduce, div, sub, ... (18 operations)": each name once, cut to about `width` characters.
std::string ops_text(const std::vector<std::string>& ops, std::size_t width);

}  // namespace ka::report
