// A winner for tests.
#pragma once

#include "base/hash.h"
#include "store/winner.h"

namespace ka::store {

inline Winner winner(char digit, double best_ms) {
  Winner out;
  out.signature = std::string(64, digit);
  out.gpu = "NVIDIA H200";
  out.device = "cuda";
  out.versions = {"0.1.0", "2.13.0", "3.7.1"};
  out.kernel = "def kernel_function(x, fc_weight):\n    return f(x, fc_weight)  # kernel_function\n";
  out.kernel_sha256 = sha256_hex(out.kernel);
  out.entry = "kernel_function";
  out.weights = {"fc_weight", "fc_bias"};
  out.input_ms = 2;
  out.best_ms = best_ms;
  out.floor_ms = 0.5;
  out.moves = {"k: BLOCK 64 instead of 16"};
  out.when = "2026-11-16T16:00:00.000Z";
  out.run_id = "run_a";
  out.problem = "p.py";
  return out;
}

}  // namespace ka::store
