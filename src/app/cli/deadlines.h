// A limit for each of several jobs that run at the same time: whoever exceeds it is cancelled, and so is everyone when the user
// cancels all. A job asks which of the two it was.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "os/cancel.h"
#include "os/clock.h"

namespace ka::app {

class Deadlines {
 public:
  explicit Deadlines(os::CancelToken all);
  ~Deadlines();

  // As long as it lives, its token is cancelled at the deadline or with all others.
  class Job {
   public:
    Job(Deadlines& owner, std::chrono::milliseconds limit);
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    os::CancelToken token() const { return source_.token(); }
    bool exceeded() const;

   private:
    friend class Deadlines;
    Deadlines& owner_;
    os::CancelSource source_;
    os::Deadline deadline_;
  };

 private:
  void watch();
  os::CancelToken all_;
  mutable std::mutex mutex_;  // guards jobs_ and done_
  std::condition_variable wake_;
  std::list<Job*> jobs_;
  bool done_ = false;
  std::thread watcher_;  // the last member: it uses all others
};

}  // namespace ka::app
