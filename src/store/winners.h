// The store of winning kernels: one SQLite file that many processes may read and write at the same time. The only place that knows SQLite.
//
// A file that is damaged, or is something else, is one sentence (invalid_input) that names it; nobody mends it silently. It can be made again from the run directories.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/winner.h"

namespace ka::store {

inline constexpr const char* kDefaultStore = ".optimize/winners.sqlite";

class Winners {
 public:
  // To look into. Nothing where there is no such file.
  static Result<std::optional<Winners>> look(const std::string& path);
  // To write to; makes the file, and its folder, where there is none.
  static Result<Winners> open(const std::string& path);
  Winners(Winners&&) noexcept;
  Winners& operator=(Winners&&) noexcept;
  ~Winners();

  // There is one winner for a signature, a GPU and its versions: the fastest. False: the one that is there is faster, and stays.
  Result<bool> put(const Winner& winner);
  Result<std::vector<Winner>> all();
  // Of this program on this GPU, the fastest first.
  Result<std::vector<Winner>> of(const std::string& signature, const std::string& gpu);
  // All of the one signature that begins so; their number. None, and several signatures, are invalid_input.
  Result<std::size_t> remove(const std::string& beginning);

 private:
  struct Handle;
  explicit Winners(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace ka::store
