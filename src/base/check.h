// KA_CHECK: a claim about our own code. When it does not hold the program prints the claim and aborts.
// It must never be reachable from user input, files, child output or the network: those give an Error.
#pragma once

namespace ka {
[[noreturn]] void check_failed(const char* claim, const char* file, int line);
}  // namespace ka

#define KA_CHECK(claim)                                           \
  do {                                                            \
    if (!(claim)) ::ka::check_failed(#claim, __FILE__, __LINE__); \
  } while (false)
