// The story of a search, round by round, for a terminal and for machines. Internal to this folder.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "report/search_view.h"

namespace ka::report {

// A line, or several where it is long: `first` before it, as many blanks before the others.
using AddLine = std::function<void(const std::string& first, const std::string& text)>;
void tell_search(const SearchView& search, const AddLine& add);
Json to_json(const SearchView& search);

}  // namespace ka::report
