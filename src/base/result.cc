#include "base/result.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ka {

namespace {

// The user's mistakes quote what the user gave us; control characters in it are spelt out, so that the sentence stays one line and
// controls no terminal.
std::string in_one_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) out += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else (out += "\\x") += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  return out;
}

}  // namespace

void check_failed(const char* claim, const char* file, int line) {
  std::fprintf(stderr, "kernelagent: internal error: %s does not hold (%s:%d)\n", claim, file, line);
  std::abort();
}

int exit_code(const Error& error) {
  switch (error.kind) {
    case ErrorKind::invalid_input:
    case ErrorKind::unsupported:
    case ErrorKind::not_found:
      return 2;
    case ErrorKind::environment:
    case ErrorKind::io:
    case ErrorKind::network:
    case ErrorKind::timeout:
      return 3;
    case ErrorKind::cancelled:
      return 130;
    case ErrorKind::internal:
      return 70;
  }
  return 70;
}

const char* to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_input:
      return "invalid input";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::not_found:
      return "not found";
    case ErrorKind::environment:
      return "environment";
    case ErrorKind::io:
      return "io";
    case ErrorKind::network:
      return "network";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

Error invalid_input(std::string message) {
  return {ErrorKind::invalid_input, in_one_line(message)};
}
Error unsupported(std::string message) {
  return {ErrorKind::unsupported, in_one_line(message)};
}
Error not_found(std::string message) {
  return {ErrorKind::not_found, in_one_line(message)};
}
Error environment_error(std::string message) {
  return {ErrorKind::environment, std::move(message)};
}
Error io_error(std::string message) {
  return {ErrorKind::io, std::move(message)};
}
Error timeout_error(std::string message) {
  return {ErrorKind::timeout, std::move(message)};
}
Error cancelled_error(std::string message) {
  return {ErrorKind::cancelled, std::move(message)};
}
Error internal_error(std::string message) {
  return {ErrorKind::internal, std::move(message)};
}

Error errno_error(const std::string& what, int error_number) {
  return io_error(what + ": " + std::strerror(error_number));
}

}  // namespace ka
