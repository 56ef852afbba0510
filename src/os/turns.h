// Who may work while somebody must be alone: many side by side, or one alone. Whoever wants to be alone goes first, so that those who wait for it come one after another
// before anybody else begins: what is prepared side by side is measured in one go.
//
//   KA_ASSIGN(Turns::Turn turn, turns.beside(cancel));
//   ...
//   KA_TRY(turn.become_alone(cancel));   // waits until nobody is beside
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/result.h"
#include "os/cancel.h"

namespace ka::os {

class Turns {
 public:
  class Turn {
   public:
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)), alone_(other.alone_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() { end(); }
    void end() {
      if (turns_ != nullptr) std::exchange(turns_, nullptr)->leave(alone_);
    }
    // Nothing is held when it is cancelled.
    Status become_alone(const CancelToken& cancel) {
      Turns& turns = *turns_;
      end();
      KA_TRY(turns.enter_alone(cancel));
      turns_ = &turns;
      alone_ = true;
      return ok();
    }

   private:
    friend class Turns;
    Turn(Turns& turns, bool alone) : turns_(&turns), alone_(alone) {}
    Turns* turns_;
    bool alone_;
  };

  // The only error is a cancellation.
  Result<Turn> beside(const CancelToken& cancel) {
    std::unique_lock lock(mutex_);
    KA_TRY(wait(lock, cancel, [&] { return !alone_ && waiting_ == 0; }));
    ++beside_;
    return Turn(*this, false);
  }
  Result<Turn> alone(const CancelToken& cancel) {
    KA_TRY(enter_alone(cancel));
    return Turn(*this, true);
  }

 private:
  Status enter_alone(const CancelToken& cancel) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    const Status waited = wait(lock, cancel, [&] { return !alone_ && beside_ == 0; });
    --waiting_;
    if (waited) alone_ = true;
    else changed_.notify_all();
    return waited;
  }

  template <typename Condition>
  Status wait(std::unique_lock<std::mutex>& lock, const CancelToken& cancel, Condition holds) {
    while (!holds()) {
      if (cancel.cancelled()) return cancelled_error("cancelled while others were at work");
      changed_.wait_for(lock, std::chrono::milliseconds(50));
    }
    return ok();
  }

  void leave(bool alone) {
    const std::lock_guard lock(mutex_);
    if (alone) alone_ = false;
    else --beside_;
    changed_.notify_all();
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int beside_ = 0, waiting_ = 0;  // those who wait to be alone
  bool alone_ = false;
};

}  // namespace ka::os
