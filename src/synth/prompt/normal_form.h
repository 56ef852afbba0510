// When two kernels are the same: the text without what cannot change its meaning.
#pragma once

#include <string>
#include <string_view>

namespace ka::prompt {

// LF line ends, no blank lines, no blanks at line ends, one blank or none between words, no comments, no texts that stand alone (docstrings). Where the tokens
// of the text are not certain (a quote that is not closed, quotes inside the braces of an f-string) only line ends change. Texts and comments that the source
// policy looks into are kept. Equal forms mean equal programs; different forms may do so too.
std::string normal_form(std::string_view source);

// SHA-256 of the normal form, in hexadecimal.
std::string source_identity(std::string_view source);

}  // namespace ka::prompt
