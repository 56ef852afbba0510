// Anonymous files in memory (memfd), the way bulk bytes travel between processes.
//
// The other side may hold the same file and be hostile. A mapping of a file that shrinks kills the reader
// (SIGBUS), so map() first seals the size and refuses a file whose size it cannot seal. The bytes may still
// change while they are mapped unless the writing side is gone or seal() succeeded: read such values once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace ka::os {

// Read-only view of a file's bytes; the address stays the same when the object is moved.
class Mapping {
 public:
  Mapping() = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(address_), size_}; }
  std::string_view text() const { return {static_cast<const char*>(address_), size_}; }

 protected:
  friend class MemoryFile;
  Mapping(void* address, std::size_t size) : address_(address), size_(size) {}
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

class WritableMapping : public Mapping {
 public:
  std::span<std::byte> writable_bytes() { return {static_cast<std::byte*>(address_), size_}; }

 private:
  friend class MemoryFile;
  using Mapping::Mapping;
};

class MemoryFile {
 public:
  // Empty; the name is shown in /proc only. Close-on-exec, may be sealed.
  static Result<MemoryFile> create(const char* name);
  // A descriptor that came from elsewhere; invalid_input when it is not a memory file.
  static Result<MemoryFile> adopt(UniqueFd fd);

  int fd() const { return fd_.get(); }
  // Appends.
  Status write(std::string_view bytes);
  Result<std::size_t> size() const;
  // New bytes are zero.
  Status resize(std::size_t bytes);
  // The size is final (F_SEAL_SHRINK and F_SEAL_GROW), the content is not.
  Status seal_size() const;
  // Size and content are final. Fails while a writable mapping exists anywhere.
  Status seal();
  // Seals the size, then maps the whole file. A file of zero bytes gives an empty mapping.
  Result<Mapping> map() const;
  Result<WritableMapping> map_writable() const;
  // A copy of the content, which nobody can change any more. More than max_bytes: an error, nothing is read.
  Result<std::string> read_all(std::size_t max_bytes) const;

 private:
  explicit MemoryFile(UniqueFd fd) : fd_(std::move(fd)) {}
  Result<void*> map_pages(int protection, std::size_t* size) const;
  UniqueFd fd_;
};

}  // namespace ka::os
