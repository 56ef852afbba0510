// A profile as a table for people, at most 100 columns wide.
#pragma once

#include <cstddef>
#include <string>

#include "model/profile.h"

namespace ka::profile {

std::string profile_text(const model::Profile& profile);
// The text in lines of at most as many columns, each with this many blanks before it.
std::string folded(const std::string& text, std::size_t indent);

}  // namespace ka::profile
