// The GPUs that one run uses, shared by its threads: each is leased from other processes (gpu_lease.h) as long as somebody here works on
// it, and takes so many at a time. Work goes to a GPU of its own where one is free, else to the one with the fewest.
//
//   GpuPool pool({.gpus = {0, 1}, .slots = 3, .purpose = "kernelagent auto"}, &log);
//   KA_ASSIGN(const GpuPool::Slot slot, pool.take(cancel));  // given back, and with the last one the lease, when it ends
//   use(slot.gpu());
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "base/result.h"
#include "os/cancel.h"
#include "os/gpu_lease.h"

namespace ka::os {

class GpuPool {
 public:
  struct Options {
    std::vector<int> gpus;  // as nvidia-smi counts
    std::size_t slots = 1;  // of each
    std::string purpose;    // for others who wait
    std::string folder = gpu_lease_folder();
  };

  class Slot {
   public:
    Slot(Slot&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)), row_(other.row_) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot();
    int gpu() const;

   private:
    friend class GpuPool;
    Slot(GpuPool& pool, std::size_t row) : pool_(&pool), row_(row) {}
    GpuPool* pool_;
    std::size_t row_;
  };

  // `log` is told who holds the GPUs when all of them are in use elsewhere; may be null. Slots must not outlive the pool.
  GpuPool(Options options, EventLog* log);
  GpuPool(const GpuPool&) = delete;
  GpuPool& operator=(const GpuPool&) = delete;

  // Waits until there is one. Errors: `cancelled`, and what is wrong with the folder of the leases.
  Result<Slot> take(const CancelToken& cancel);
  // At most so many at a time.
  std::size_t capacity() const { return rows_.size() * options_.slots; }

 private:
  struct Row {
    int gpu = 0;
    std::size_t used = 0;
    std::optional<GpuLease> lease;  // while it is used
  };
  Result<std::optional<Slot>> try_take();
  void tell_who_waits();
  void give_back(std::size_t row);

  const Options options_;
  EventLog* const log_;
  std::mutex mutex_;  // guards rows_ and told_; held over GpuLease::try_acquire, which never waits
  std::vector<Row> rows_;
  bool told_ = false;
};

}  // namespace ka::os
