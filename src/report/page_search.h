// The section of the page about a search: time per round, the roofline with all contenders, what was tried, and what the winner changed. Internal to this folder.
#pragma once

#include "report/html.h"
#include "report/run_view.h"

namespace ka::report {

void add_search(Html& html, const RunView& view);

}  // namespace ka::report
