// What a body writes to memory.
#include <fmt/format.h>

#include "synth/codegen/body.h"

namespace ka::codegen {

using ir::Sym;
using ir::ValueId;

void Body::store_tile(ValueId value, const Operand& operand, const std::vector<Sym>& index, const std::string& mask) {
  const Buffer& buffer = context_.buffers->at(value);
  const std::string role = context_.use_pointer(buffer, true);
  const Sym offset = ir::linearize(index, buffer.shape);
  const bool fixed = variables_in(offset).empty() && offset.constant().has_value();
  const std::string where = fixed ? fmt::format("tl.full({}.shape, {}, tl.int32)", operand.text, text(offset))
                                  : fmt::format("tl.broadcast_to({}, {}.shape)", text(offset), operand.text);
  const std::string place = emit("place", where, operand.over).text;
  source_.line(fmt::format("tl.store({}_ptr + {}, {}, mask={})", role, place, operand.text, mask));
}

void Body::store(ValueId value, const Operand& operand, const std::vector<Sym>& index) {
  const Buffer& buffer = context_.buffers->at(value);
  const std::string role = context_.use_pointer(buffer, true);
  const Sym offset = ir::linearize(index, buffer.shape);
  std::set<std::string> over = variables_in(offset);
  const std::string mask = mask_of(over);
  const Operand x = named(operand, buffer.dtype);
  const std::string place = offset.is(0) ? role + "_ptr" : fmt::format("{}_ptr + {}", role, summand_text(offset));
  const std::string masked = mask.empty() ? "" : ", mask=" + mask;
  source_.line(fmt::format("tl.store({}, {}{})", place, x.text, masked));
}

}  // namespace ka::codegen
