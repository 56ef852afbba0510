// Forms of kernels that pay on some GPUs and not on others, or that need what not every GPU has. Which of them are written follows from the GPU's row in
// data/gpus.json, where those stand that were measured to win there; `--forms` says otherwise, and a search tries all of them.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ka::ir {

enum class Form {
  descriptors,  // products read their tiles by tensor descriptors
  conv_tiles,   // so do convolutions, a block of the image at a time
  persistent,   // a recurrent layer is one launch, its weights on the chip
  shared_rows,  // a row that is too long for one program is kept in the registers of several
  graphs,       // the launches of a call are captured once and replayed
};

struct FormRow {
  Form form;
  std::string_view name;
  std::string_view what;  // for --help, --explain and the moves of a search
};

std::span<const FormRow> all_forms();
const FormRow& row_of(Form form);
// "descriptors,graphs"; "none" and "all" too. Bad input names those that are known.
Result<std::set<Form>> read_forms(std::string_view list);

}  // namespace ka::ir
