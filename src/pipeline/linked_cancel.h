// A cancellation of one's own that also comes with another one from outside, or at a moment.
#pragma once

#include <poll.h>

#include <thread>

#include "os/cancel.h"

namespace ka::pipeline {

class LinkedCancel {
 public:
  explicit LinkedCancel(const os::CancelToken& outer, os::Deadline end = os::Deadline::never()) : watcher_([this, outer, end] {
      const Result<os::Ready> ready = os::wait_ready(outer.fd(), POLLIN, end, source_.token());
      if (!ready || *ready != os::Ready::cancelled) source_.cancel();
    }) {}
  ~LinkedCancel() { source_.cancel(); }
  LinkedCancel(const LinkedCancel&) = delete;
  LinkedCancel& operator=(const LinkedCancel&) = delete;
  void cancel() { source_.cancel(); }
  os::CancelToken token() const { return source_.token(); }

 private:
  os::CancelSource source_;
  std::jthread watcher_;  // the last member: it uses the other
};

}  // namespace ka::pipeline
