// A profile as a table for people, at most 100 columns wide.
#pragma once

#include <string>

#include "model/profile.h"

namespace ka::profile {

std::string profile_text(const model::Profile& profile);

}  // namespace ka::profile
