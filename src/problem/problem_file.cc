#include "problem/problem_file.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "os/files.h"

namespace ka::problem {
namespace {

// The first byte that is no part of UTF-8 text, or npos.
std::size_t first_foreign_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length == 0 || i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

Result<std::string> read_source(const std::string& path, std::size_t most_bytes) {
  Result<std::string> text = os::read_file(path, most_bytes);
  // A link that leads nowhere or a file that may not be read was named by the user.
  if (!text && text.error().kind == ErrorKind::io) return invalid_input(text.error().message);
  if (!text) return text.error();
  if (text->find('\0') != std::string::npos) return invalid_input(fmt::format("{}: not a text file (it holds a NUL byte)", path));
  const std::size_t foreign = first_foreign_byte(*text);
  if (foreign != std::string_view::npos) {
    const auto line = 1 + std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(foreign), '\n');
    return invalid_input(fmt::format("{}:{}: the file is not UTF-8 text", path, line));
  }
  return text;
}

Result<ProblemFile> read_problem(const std::string& argument) {
  ProblemFile problem{argument, "", ""};
  const std::size_t colon = argument.rfind(':');
  if (colon != std::string::npos && is_identifier(std::string_view(argument).substr(colon + 1))) {
    problem.path = argument.substr(0, colon);
    problem.object = argument.substr(colon + 1);
  }
  KA_ASSIGN(problem.text, read_source(problem.path));
  return problem;
}

}  // namespace ka::problem
