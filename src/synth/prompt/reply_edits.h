// Answers that change the previous kernel instead of writing it anew: search/replace blocks and unified diffs. Applied exactly or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ka::prompt {

bool has_search_blocks(std::string_view text);
bool has_diff(std::string_view text);

struct Edited {
  std::string text;
  int edits = 0;
  bool cut = false;  // the last edit is not complete
};

//   <<<<<<< SEARCH
//   old lines
//   =======
//   new lines
//   >>>>>>> REPLACE
// The old lines stand at exactly one place of the previous text. Bad input: one sentence for the model.
Result<Edited> apply_search_blocks(std::string_view previous, std::string_view text);

// Hunks in order; the numbers behind @@ only choose between several places that fit.
Result<Edited> apply_diff(std::string_view previous, std::string_view text);

}  // namespace ka::prompt
