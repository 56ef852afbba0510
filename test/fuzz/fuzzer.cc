// The entry points of libFuzzer. One program for all targets: KA_FUZZ_TARGET names the one to run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fuzz/mutate.h"
#include "fuzz/targets.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t max_size);

namespace {
const ka::fuzz::Target* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("KA_FUZZ_TARGET");
  chosen = ka::fuzz::find_target(name == nullptr ? "" : name);
  if (chosen != nullptr) return 0;
  std::fputs("KA_FUZZ_TARGET must be one of:", stderr);
  for (const ka::fuzz::Target& target : ka::fuzz::all_targets()) std::fprintf(stderr, " %s", target.name.data());
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}

// Half of the changes keep JSON what it is; for other texts they change nothing, and bytes are changed instead.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(bytes, size, max_size);
  const std::string_view before(reinterpret_cast<const char*>(bytes), size);
  const std::string after = ka::fuzz::mutated_json(before, seed);
  if (after.size() > max_size || after == before) return LLVMFuzzerMutate(bytes, size, max_size);
  std::memcpy(bytes, after.data(), after.size());
  return after.size();
}
