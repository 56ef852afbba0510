#include "problem/problem_file.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "os/files.h"

namespace ka::problem {
namespace {

bool is_identifier(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

}  // namespace

Result<ProblemFile> read_problem(const std::string& argument) {
  ProblemFile problem{argument, "", ""};
  const std::size_t colon = argument.rfind(':');
  if (colon != std::string::npos && is_identifier(std::string_view(argument).substr(colon + 1))) {
    problem.path = argument.substr(0, colon);
    problem.object = argument.substr(colon + 1);
  }
  Result<std::string> text = os::read_file(problem.path, kMaxSourceBytes);
  // A link that leads nowhere or a file that may not be read was named by the user.
  if (!text && text.error().kind == ErrorKind::io) return invalid_input(text.error().message);
  KA_ASSIGN(problem.text, std::move(text));
  if (problem.text.find('\0') != std::string::npos)
    return invalid_input(fmt::format("{}: not a Python file (it holds a NUL byte)", problem.path));
  return problem;
}

}  // namespace ka::problem
