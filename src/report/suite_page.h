// A suite as one HTML page, like a run's (report/page.h): everything is in the file, nothing is loaded, nothing is executed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/suite.h"

namespace ka::report {

struct SuiteAbout {
  std::string suite, command, device, when;
  std::string stopped;  // why it ended before its end; empty where it did not
};

// `after`: what searches have made of the tasks; nothing where none was searched.
std::string suite_page(const std::vector<model::SuiteTask>& tasks, const model::SuiteSummary& summary, const SuiteAbout& about, const std::optional<model::SuiteAfter>& after = {});

}  // namespace ka::report
