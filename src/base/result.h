// Result<T>: a value or an Error. An Error says whose turn it is: the user's (bad input), the world's (a
// missing program, a full disk, a time-out, a cancellation) or ours (a bug). The kind decides the exit code,
// so no caller ever looks at the message to find out what to do.
//
//   Result<std::string> text = read_file(path);
//   if (!text) return text.error().with("problem");  // "problem: x.py does not exist"
//   KA_ASSIGN(std::string source, read_file(path));  // the same, in one line
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace ka {

enum class ErrorKind {
  invalid_input,  // user: the given file, flag or value is wrong
  unsupported,    // user: well-formed, but not something we do
  not_found,      // user: the named thing does not exist
  environment,    // world: something this machine lacks (interpreter, package, GPU, permission)
  io,             // world: reading or writing failed
  network,        // world: the other end failed
  timeout,        // world: a deadline passed
  cancelled,      // world: the user asked us to stop
  internal,       // ours: a state that should not exist
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;

  // The same error with one more word about where it happened: "where: message".
  [[nodiscard]] Error with(const std::string& where) const { return Error{kind, where + ": " + message}; }
};

// 2 for the user's mistakes, 3 for the machine's, 130 for a cancellation, 70 for our bugs.
int exit_code(const Error& error);
const char* to_string(ErrorKind kind);

Error invalid_input(std::string message);
Error unsupported(std::string message);
Error not_found(std::string message);
Error environment_error(std::string message);
Error io_error(std::string message);
Error timeout_error(std::string message);
Error cancelled_error(std::string message);
Error internal_error(std::string message);
// io error whose message ends with the text of errno: "cannot open x: No such file or directory".
Error errno_error(const std::string& what, int error_number);

struct Unit {};

template <typename T = Unit>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & { return checked(); }
  T&& value() && { return std::move(checked()); }
  const T& value() const& {
    KA_CHECK(state_.index() == 0);
    return std::get<0>(state_);
  }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(checked()); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    KA_CHECK(state_.index() == 1);
    return std::get<1>(state_);
  }

 private:
  T& checked() {
    KA_CHECK(state_.index() == 0);
    return std::get<0>(state_);
  }
  std::variant<T, Error> state_;
};

using Status = Result<Unit>;
inline Status ok() {
  return Unit{};
}

}  // namespace ka

#define KA_CONCAT_INNER(a, b) a##b
#define KA_CONCAT(a, b) KA_CONCAT_INNER(a, b)

// Evaluates a Result and returns its error from the enclosing function, if it has one.
#define KA_TRY(expression)                                 \
  do {                                                     \
    auto&& ka_result = (expression);                       \
    if (!ka_result) return ::ka::Error(ka_result.error()); \
  } while (false)

// KA_ASSIGN(int n, parse(text)): declares n from a Result, or returns its error.
#define KA_ASSIGN(declaration, expression)                                                           \
  auto KA_CONCAT(ka_result_, __LINE__) = (expression);                                               \
  if (!KA_CONCAT(ka_result_, __LINE__)) return ::ka::Error(KA_CONCAT(ka_result_, __LINE__).error()); \
  declaration = std::move(KA_CONCAT(ka_result_, __LINE__)).value()
