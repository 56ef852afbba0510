#include "ir/forms.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.h"

namespace ka::ir {
namespace {

constexpr auto kForms = std::to_array<FormRow>({
    {Form::descriptors, "descriptors", "operands of products come by tensor descriptors"},
    {Form::conv_tiles, "conv_tiles", "convolutions read blocks of the image by tensor descriptors"},
    {Form::persistent, "persistent", "a recurrent layer is one launch that keeps its weights on the chip"},
    {Form::shared_rows, "shared_rows", "a row that is too long for one program is kept in the registers of several"},
    {Form::graphs, "graphs", "the launches of a call are captured once and replayed"},
});

}  // namespace

std::span<const FormRow> all_forms() { return kForms; }

const FormRow& row_of(Form form) {
  return *std::find_if(kForms.begin(), kForms.end(), [&](const FormRow& row) { return row.form == form; });
}

Result<std::set<Form>> read_forms(std::string_view list) {
  std::set<Form> out;
  if (list == "none") return out;
  if (list == "all") {
    for (const FormRow& row : kForms) out.insert(row.form);
    return out;
  }
  for (const std::string& name : split(list, ',')) {
    const auto found = std::find_if(kForms.begin(), kForms.end(), [&](const FormRow& row) { return row.name == name; });
    if (found == kForms.end()) {
      std::string names;
      for (const FormRow& row : kForms) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
      return invalid_input(fmt::format("there is no form \"{}\" of kernels; known are {}, and none or all of them", name, names));
    }
    out.insert(found->form);
  }
  return out;
}

}  // namespace ka::ir
