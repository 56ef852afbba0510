// Names that are new each time.
#pragma once

#include <cstdint>
#include <string>

#include "base/wall_time.h"

namespace ka {

// "run_20261115_064020_1a2b3c4d": UTC time, then the random number, so that sorting by name is sorting by
// time.
std::string new_run_id(WallTime now, std::uint32_t random);

// The same from the system's clock and random numbers.
std::string new_run_id();

// 32 hexadecimal digits that nobody can guess.
std::string new_nonce();

}  // namespace ka
