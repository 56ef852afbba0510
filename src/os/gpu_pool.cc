#include "os/gpu_pool.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace ka::os {
namespace {

constexpr std::chrono::milliseconds kAskEvery{50};

}  // namespace

GpuPool::GpuPool(Options options, EventLog* log) : options_(std::move(options)), log_(log) {
  for (const int gpu : options_.gpus) rows_.push_back({gpu, 0, std::nullopt});
}

GpuPool::Slot::~Slot() {
  if (pool_ != nullptr) pool_->give_back(row_);
}

int GpuPool::Slot::gpu() const { return pool_->options_.gpus[row_]; }

void GpuPool::give_back(std::size_t row) {
  const std::lock_guard lock(mutex_);
  if (--rows_[row].used == 0) rows_[row].lease.reset();
}

Result<std::optional<GpuPool::Slot>> GpuPool::try_take() {
  const std::lock_guard lock(mutex_);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    if (row.used == 0) {
      KA_ASSIGN(row.lease, GpuLease::try_acquire(row.gpu, options_.purpose, options_.folder));
      if (!row.lease) continue;
      best = i;
      break;
    }
    if (row.used < options_.slots && (!best || row.used < rows_[*best].used)) best = i;
  }
  if (!best) return std::optional<Slot>();
  ++rows_[*best].used;
  told_ = false;
  return std::optional<Slot>(Slot(*this, *best));
}

// Only about others: that this run's own threads wait for each other is nobody's concern.
void GpuPool::tell_who_waits() {
  const std::lock_guard lock(mutex_);
  if (told_ || log_ == nullptr) return;
  std::vector<std::string> holders;
  for (const Row& row : rows_) {
    const std::string holder = row.used > 0 ? "" : gpu_holder(row.gpu, options_.folder);
    if (holder.empty()) return;
    holders.push_back(fmt::format("GPU {} by {}", row.gpu, holder));
  }
  told_ = true;
  log_->warning("gpu", "waiting", "waiting for a GPU: in use are " + join(holders, ", "));
}

Result<GpuPool::Slot> GpuPool::take(const CancelToken& cancel) {
  if (capacity() == 0) return environment_error("there is no GPU to lease");
  while (true) {
    KA_ASSIGN(std::optional<Slot> slot, try_take());
    if (slot) return std::move(*slot);
    tell_who_waits();
    KA_ASSIGN(const Ready ready, wait_ready(-1, 0, Deadline::in(kAskEvery), cancel));
    if (ready == Ready::cancelled) return cancelled_error("interrupted while waiting for a GPU");
  }
}

}  // namespace ka::os
