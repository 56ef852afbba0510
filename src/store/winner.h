// One winning kernel: what it is for, where it was measured, and what it measured. Nobody believes it: whoever takes one out of a store has it judged again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ka::store {

inline constexpr const char* kInterpreter = "cpu (interpreter)";  // in the place of a GPU, for what the CPU timed

struct WinnerVersions {
  std::string kernelagent, torch, triton;
  bool operator==(const WinnerVersions&) const = default;
};

struct Winner {
  std::string signature;  // of the program (graph/signature.h)
  std::string gpu;        // title of the GPU that it was timed on, or kInterpreter
  std::string device;     // cuda, cpu
  WinnerVersions versions;
  std::string kernel, kernel_sha256, entry;
  std::vector<std::string> weights;  // keywords of the program's weights, in the order of the signature
  double input_ms = 0, best_ms = 0;  // of the kernel that the search began with, and of this one
  double floor_ms = 0;               // the least possible time; 0: not known
  std::vector<std::string> moves;    // from the one to the other
  std::string when;                  // UTC
  std::string run_id, problem;       // for people: the run, and the name of the problem's file
  bool operator==(const Winner&) const = default;

  double efficiency() const { return floor_ms > 0 && best_ms > 0 ? floor_ms / best_ms : 0; }
};

Json to_json(const Winner& winner);
// Strict: missing fields, numbers that are no times, and a text that is not the one that was hashed are invalid_input.
Result<Winner> winner_from_json(const Json& json);

// A file of winners that travels.
std::string export_text(const std::vector<Winner>& winners);
Result<std::vector<Winner>> parse_export(std::string_view text, const std::string& path);

// Whether what was measured with these versions says something about those: the same major versions, of a version 0.x the same x.
bool fits(const WinnerVersions& measured, const WinnerVersions& here);

// The kernel as a program takes it whose weights have these keywords, in the order of the signature: the text itself where they are the same.
Result<std::string> text_for(const Winner& winner, std::size_t inputs, const std::vector<std::string>& weights);

// "from the store: 0.0123 ms on an NVIDIA H200 (run_..., 2026-11-16)"
std::string told(const Winner& winner);

}  // namespace ka::store
