// What the tasks of a suite say together, for programs (CSV) and for people (text). Failures are counted, not dropped.
#pragma once

#include <string>
#include <vector>

#include "model/suite.h"

namespace ka::bench {

// `baselines`: names of contenders, in the order of the tables.
model::SuiteSummary summary_of(const std::vector<model::SuiteTask>& tasks, const std::vector<std::string>& baselines);

// What searches have made of the tasks; nothing where none was searched.
std::optional<model::SuiteAfter> after_of(const std::vector<model::SuiteTask>& tasks, const std::vector<std::string>& baselines);

// The ratio to a baseline (or model::kBestBaseline) that a task counts with: kFailedRatio for a failure; nothing where it is left or the baseline has no time.
std::optional<double> counted_ratio(const model::SuiteTask& task, const std::string& baseline);

// A line per task, names first, as RFC 4180 has it; with further columns where a task was searched.
std::string suite_csv(const std::vector<model::SuiteTask>& tasks, const std::vector<std::string>& baselines);

// The worst tasks and the summary, at most `columns` wide as far as names allow.
std::string suite_text(const std::vector<model::SuiteTask>& tasks, const model::SuiteSummary& summary, std::size_t worst = 10);

// The same of what searches have made of them: a line, and the means where there are baselines.
std::string after_text(const model::SuiteAfter& after);
std::string after_line(const model::SuiteAfter& after);

}  // namespace ka::bench
