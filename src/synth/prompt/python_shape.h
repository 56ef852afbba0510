// Questions about Python text that need no parser. Each is answered for any text, also one that is no Python.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ka::prompt {

// A file or a part of one, rather than prose, a log or another language.
bool looks_like_python(std::string_view text);

// The Python file in a text that has no fences: from the first line that begins one to the first line of prose behind it. Empty when there is none.
std::string python_without_fence(std::string_view text);

// Begins as a file does: with an import, after comments and a docstring.
bool begins_file(std::string_view text);

// Nothing is open at its end: no bracket, no text, no line that must go on.
bool is_finished(std::string_view text);

bool has_only_imports(std::string_view text);

bool imports_module(std::string_view text, std::string_view module);

// A comment that stands for code: "# ... rest of the kernel unchanged ...".
std::optional<std::string> left_out_line(std::string_view text);

}  // namespace ka::prompt
