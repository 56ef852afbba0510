#include "app/cli/deadlines.h"

namespace ka::app {
namespace {
constexpr std::chrono::milliseconds kLookEvery{50};
}

Deadlines::Deadlines(os::CancelToken all) : all_(std::move(all)), watcher_([this] { watch(); }) {}

Deadlines::~Deadlines() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  watcher_.join();
}

void Deadlines::watch() {
  std::unique_lock lock(mutex_);
  while (!done_) {
    for (Job* job : jobs_) {
      if (all_.cancelled() || job->deadline_.passed()) job->source_.cancel();
    }
    wake_.wait_for(lock, kLookEvery);
  }
}

Deadlines::Job::Job(Deadlines& owner, std::chrono::milliseconds limit) : owner_(owner), deadline_(os::Deadline::in(limit)) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.jobs_.push_back(this);
}

Deadlines::Job::~Job() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.jobs_.remove(this);
}

bool Deadlines::Job::exceeded() const { return deadline_.passed() && !owner_.all_.cancelled(); }

}  // namespace ka::app
