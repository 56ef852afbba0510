// The warm interpreter: one Python process that has imported torch and triton and forks a sandboxed child per request.
//
// Starting it costs a second or two; a request costs some milliseconds. It never runs foreign code itself. When it dies,
// every request in flight gets an error, its children are killed, and the next request starts a new one.
// Thread-safe: several threads may spawn children at once; one reader thread owns the control socket.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "bridge/child.h"
#include "os/cancel.h"
#include "os/clock.h"
#include "os/places.h"
#include "os/process.h"
#include "os/sandbox.h"
#include "os/unique_fd.h"

namespace ka::bridge {

struct InterpreterFacts {
  std::string python, torch, triton, numpy;
  double import_seconds = 0;
  int threads = 1;
  std::vector<std::string> prefixes;  // folders that a child must be able to read
};

struct InterpreterOptions {
  std::string python;  // path of the interpreter
  std::chrono::milliseconds start_limit{120'000};
};

class WarmInterpreter {
 public:
  explicit WarmInterpreter(InterpreterOptions options);
  ~WarmInterpreter();
  WarmInterpreter(const WarmInterpreter&) = delete;
  WarmInterpreter& operator=(const WarmInterpreter&) = delete;

  // Starts the interpreter unless it runs already. Environment error when it cannot import torch or triton.
  Result<InterpreterFacts> start(const os::CancelToken& cancel);

  // Forks a child that enters the sandbox and runs ka_bridge.<module>. The request's `readable` folders are completed
  // with the interpreter's own.
  Result<Child> spawn(const std::string& module, os::SandboxRequest request, const os::CancelToken& cancel);

  // For work that needs several children, such as a judgement: with more of it at a time than the machine has cores for, forks and steps would run into their time limits.
  const os::Places& places() const { return places_; }

  // Process id of the interpreter that runs now, 0 when none does. For tests and `doctor`.
  int pid() const;

 private:
  friend class Child;
  struct State;  // shared with children, so that they may outlive a restart
  Status start_locked(const os::CancelToken& cancel);

  InterpreterOptions options_;
  os::Places places_;
  mutable std::mutex mutex_;  // guards state_ and the act of starting
  std::shared_ptr<State> state_;
};

// The interpreter to use: KERNELAGENT_PYTHON when set, else .venv/bin/python beside the program's own folder or one of
// its parents. Environment error with the remedy when there is none.
Result<std::string> find_interpreter();

}  // namespace ka::bridge
