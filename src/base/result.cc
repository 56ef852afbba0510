#include "base/result.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ka {

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
  return {ErrorKind::invalid_input, std::move(message)};
}
Error unsupported(std::string message) {
  return {ErrorKind::unsupported, std::move(message)};
}
Error not_found(std::string message) {
  return {ErrorKind::not_found, std::move(message)};
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
