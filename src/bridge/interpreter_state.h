// What the warm interpreter's owner, its reader thread and its children share. Internal to src/bridge.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "bridge/warm_interpreter.h"
#include "os/files.h"
#include "os/sandbox_cgroup.h"

namespace ka::bridge {

// One fork asked of the interpreter, as the reader thread learns about it.
struct ForkRequest {
  int pid = 0;
  os::UniqueFd pidfd;
  std::string failure;
  std::optional<os::ExitStatus> exit;
  // Set when nobody waits for the child any more: what it needed outside is removed when it has ended.
  bool abandoned = false;
  std::optional<os::Cgroup> cgroup;
  std::optional<os::TempDir> scratch;
};

struct WarmInterpreter::State {
  explicit State(os::Process interpreter) : process(std::move(interpreter)) {}
  ~State();

  void read_events();  // body of the reader thread; ends when the interpreter does
  // Waits until `condition(request)` holds. Error when the interpreter dies first or the deadline passes.
  template <typename Condition>
  Status wait_for(std::uint64_t id, os::Deadline deadline, Condition condition);
  Result<os::ExitStatus> wait_exit(std::uint64_t id, os::Deadline deadline);
  // The owner is gone: the request and what belongs to it are removed now, or when the child has ended.
  void abandon(std::uint64_t id, std::optional<os::Cgroup> cgroup, std::optional<os::TempDir> scratch);

  os::Process process;
  os::UniqueFd control;
  InterpreterFacts facts;

  std::mutex send_mutex;  // one packet at a time on `control`
  std::mutex mutex;       // guards what follows
  std::condition_variable changed;
  bool dead = false;
  std::uint64_t next_id = 1;
  std::map<std::uint64_t, ForkRequest> requests;

  std::jthread reader;
};

struct Child::Impl {
  std::shared_ptr<WarmInterpreter::State> state;
  std::uint64_t id = 0;
  int pid = 0;
  os::UniqueFd pidfd;
  os::UniqueFd conversation;
  os::UniqueFd output;
  std::optional<os::Cgroup> cgroup;
  std::optional<os::TempDir> scratch;  // where no namespace gives the child a file system of its own
  std::string tail;
  std::optional<os::ExitStatus> exit;

  ~Impl();
  void kill();
  void drain_output();
  Answer ended(ChildEnd end);
};

template <typename Condition>
Status WarmInterpreter::State::wait_for(std::uint64_t id, os::Deadline deadline, Condition condition) {
  std::unique_lock lock(mutex);
  while (!condition(requests[id])) {
    if (dead) return environment_error("the warm interpreter died while it served a request");
    const int left = deadline.remaining_ms();
    if (left == 0) return timeout_error("the warm interpreter did not answer in time");
    changed.wait_for(lock, std::chrono::milliseconds(left < 0 ? 1000 : left));
  }
  return ok();
}

}  // namespace ka::bridge
