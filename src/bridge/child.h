// A sandboxed child of the warm interpreter, seen from our side: we ask, it answers, one packet each way.
//
// Everything that comes back is untrusted. A child that dies, hangs or floods its output is not an error of ours: ask()
// then returns an Answer that says how the child ended, and the caller turns that into a verdict.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "os/cancel.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/unique_fd.h"

namespace ka::bridge {

enum class ChildEnd {
  alive,      // answered
  exited,     // ended by itself, see status.code
  signalled,  // killed by a signal of its own making, see status.signal
  memory,     // killed for memory by its cgroup
  timed_out,  // we killed it at the deadline
  garbled,    // sent something that is not one JSON object
};

struct Answer {
  ChildEnd end = ChildEnd::alive;
  std::string text;  // the JSON object, when alive
  os::ExitStatus status;
  double seconds = 0;
};

class Child {
 public:
  struct Impl;
  explicit Child(std::unique_ptr<Impl> impl);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  ~Child();  // kills the child and everything it started

  // Sends one message and waits for the answer. Error only for cancellation and for a dead interpreter.
  Result<Answer> ask(const Json& message, std::span<const int> fds, os::Deadline deadline,
                     const os::CancelToken& cancel);
  int pid() const;
  // The end of what the child printed, at most 8 KiB.
  std::string output_tail() const;
  // Threads and processes that live in the child's tree now, the child itself included; read from outside.
  int live_tasks() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace ka::bridge
