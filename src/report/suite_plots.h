// The plots of a suite's page, as SVG that needs neither a script nor a font of its own. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "model/suite.h"
#include "report/html.h"

namespace ka::report {

extern const char* const kSuiteStyle;

// A bar per task, sorted: the baseline's time over the kernel's, upwards from 1 and downwards below it, by a logarithmic scale. A failure is a bar of its own colour.
void add_ratio_bars(Html& html, const std::vector<model::SuiteTask>& tasks, const std::string& baseline);

// Share of tasks that are verified and at least p times as fast, a line per baseline.
void add_fast_p(Html& html, const std::vector<model::SuiteSpeed>& speeds);

// A dot per task: to the right what arithmetic takes at least over what memory takes at least, upwards the share of the floor's speed.
void add_roofline(Html& html, const std::vector<model::SuiteTask>& tasks);

}  // namespace ka::report
