#include <array>

#include "synth/llm/wire.h"

namespace ka::llm {
namespace {

constexpr std::array<const Wire*, 4> kWireTable = {&kOpenAiResponses, &kOpenAiChat, &kAnthropic, &kRelay};

}  // namespace

std::span<const Wire* const> all_wires() { return kWireTable; }

}  // namespace ka::llm
