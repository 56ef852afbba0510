// One run of the program in the background. Its thread starts the process, reads what it says and sees its end; the thread lives at least as long as the
// process, which is why the process can be tied to it: when the thread's process dies, however it does, the kernel ends the job.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "app/capi/request.h"
#include "base/result.h"
#include "os/cancel.h"
#include "os/process.h"

namespace ka::capi {

struct JobPipes;

class Job {
 public:
  // not_found or environment when the program cannot be started.
  static Result<std::shared_ptr<Job>> start(const std::string& program, JobRequest request);
  ~Job();  // ends it
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Negative: without a limit. True when it has ended.
  bool wait(std::int64_t milliseconds);
  std::string take_events();
  void cancel() { stop_.cancel(); }
  // As kernelagent.h has it; empty while it runs.
  std::string result();

 private:
  explicit Job(JobRequest request) : request_(std::move(request)) {}
  Result<os::Process> spawn(const std::string& program, JobPipes& pipes);
  void run(const std::string& program, std::promise<Status>& started);
  void watch(os::Process& process, JobPipes& pipes);
  void keep_event_lines(std::string& bytes);

  JobRequest request_;
  os::CancelSource stop_;
  std::string out_, err_;  // of the thread, until done_

  std::mutex mutex_;  // guards the rest
  std::condition_variable ended_;
  bool done_ = false;
  std::string events_, result_;
  std::thread thread_;
};

}  // namespace ka::capi
