// One run as one HTML page: everything is in the file, nothing is loaded, nothing is executed. A
// Content-Security-Policy forbids both to the browser as well, should a text of the run ever get past the
// escaping.
#pragma once

#include <string>

#include "report/run_view.h"

namespace ka::report {

// What a page of hundreds of kernels may hold of sources, so that it stays a page that opens at once.
inline constexpr std::size_t kMaxColouredBytes =
    std::size_t{3} << 20;  // of markup; further sources are shown without colours
inline constexpr std::size_t kMaxSourceBytes = std::size_t{4}
                                               << 20;  // of markup; further ones are named only

inline constexpr const char* kPageName = "report.html";  // in the run directory; it does not list itself

std::string report_page(const RunView& view);

}  // namespace ka::report
