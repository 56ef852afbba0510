// What a candidate did for the sizes that were given, where smaller ones were verified.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/memory_file.h"
#include "verify/reference_side.h"

namespace ka::verify {

// Of the given sizes, where smaller ones were verified: what some programs of each launch did (python/bridge/coverage.py).
struct SampledPrograms {
  std::string why_not;  // nothing was run, and why
  std::int64_t programs = 0, of = 0;
  std::vector<std::string> out_of_bounds;
  std::vector<std::string> unwritten;  // outputs that are not covered
  std::vector<std::string> state;      // what the file keeps that differs between equal calls
  std::vector<std::string> untouched;  // outputs that no launch was given
  struct Zeros {
    std::size_t output = 0;
    std::int64_t written = 0;
    std::string text;
  };
  std::vector<Zeros> zeros;  // outputs that host code makes as zeros: how many elements kernels store to, at most
  std::string shapes = "[]";           // of the outputs, JSON
  os::Mapping bytes;
  std::vector<SampledValues> values;  // in `bytes`
};

// What the host code does there, without its kernels.
struct GivenSizes {
  std::vector<std::string> hidden;  // autotune configurations that pruning keeps there alone
  std::string launches = "[]";
  std::size_t count = 0;
};

}  // namespace ka::verify
