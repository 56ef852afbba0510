// What compiled code is made of: its instructions counted by kind, from the text of a disassembler (SASS) or from what Triton gave to the
// assembler (PTX). Each instruction counts once, however often a loop runs it.
//
//   "global_load_128" 32, "shared_store" 32, "tensor" 8, "special" 128 ..., "total" 900
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ka::profile {

enum class CodeForm { sass, ptx };

// Kinds that do not occur are left out; an empty text has none.
std::map<std::string, std::int64_t> instruction_mix(std::string_view code, CodeForm form);

// The kind of one instruction by its name ("LDG.E.128", "ld.global.v4.b32"), or an empty text for what is no instruction.
std::string instruction_kind(std::string_view mnemonic, CodeForm form);

}  // namespace ka::profile
