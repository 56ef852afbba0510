// How a kernel's loads lie in memory, as far as this can be told without computing: how far apart two neighbours are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "synth/codegen/body.h"

namespace ka::codegen {

// Offsets of all loads that computing a value at an index needs; loads at places that are computed are left out.
std::vector<ir::Sym> load_offsets(const KernelContext& context, ir::ValueId value, const std::vector<ir::Sym>& index);

// Whether more of these loads are contiguous along `one` than along `other`; nothing is said where neither is.
enum class Contiguous { along_one, along_other, neither };
Contiguous contiguous_axis(const std::vector<ir::Sym>& offsets, const std::string& one, const std::string& other,
                           const std::map<std::string, std::int64_t>& sizes);

}  // namespace ka::codegen
