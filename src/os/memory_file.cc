#include "os/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace ka::os {

Mapping::Mapping(Mapping&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (address_ != nullptr) ::munmap(address_, size_);
}

Result<MemoryFile> MemoryFile::create(const char* name) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return errno_error("cannot create a memory file", errno);
  return MemoryFile(std::move(fd));
}

Result<MemoryFile> MemoryFile::adopt(UniqueFd fd) {
  // Only memory files know seals, so asking for them tells.
  if (::fcntl(fd.get(), F_GET_SEALS) < 0) return invalid_input("the descriptor is not a memory file");
  return MemoryFile(std::move(fd));
}

Status MemoryFile::write(std::string_view bytes) {
  KA_ASSIGN(std::size_t end, size());
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(end));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno_error("cannot write to a memory file", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    end += static_cast<std::size_t>(written);
  }
  return ok();
}

Result<std::size_t> MemoryFile::size() const {
  struct stat status{};
  if (::fstat(fd_.get(), &status) != 0) return errno_error("cannot ask for the size of a memory file", errno);
  return static_cast<std::size_t>(status.st_size);
}

Status MemoryFile::resize(std::size_t bytes) {
  if (!std::in_range<off_t>(bytes)) return invalid_input("a memory file cannot be that large");
  int failed = -1;
  do {
    failed = ::ftruncate(fd_.get(), static_cast<off_t>(bytes));
  } while (failed != 0 && errno == EINTR);
  if (failed != 0) return errno_error(fmt::format("cannot resize a memory file to {} bytes", bytes), errno);
  return ok();
}

Status MemoryFile::seal_size() const {
  constexpr int kSize = F_SEAL_SHRINK | F_SEAL_GROW;
  const int seals = ::fcntl(fd_.get(), F_GET_SEALS);
  if (seals >= 0 && (seals & kSize) == kSize) return ok();
  if (::fcntl(fd_.get(), F_ADD_SEALS, kSize) != 0) {
    return errno_error("cannot seal the size of a memory file", errno);
  }
  return ok();
}

Status MemoryFile::seal() {
  constexpr int kAll = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  const int seals = ::fcntl(fd_.get(), F_GET_SEALS);
  if (seals >= 0 && (seals & kAll) == kAll) return ok();
  if (::fcntl(fd_.get(), F_ADD_SEALS, kAll) != 0) return errno_error("cannot seal a memory file", errno);
  return ok();
}

Result<void*> MemoryFile::map_pages(int protection, std::size_t* size_out) const {
  // The size is asked for after it has become final; the other order would be a race with the other side.
  KA_TRY(seal_size());
  KA_ASSIGN(*size_out, size());
  if (*size_out == 0) return static_cast<void*>(nullptr);
  void* const address = ::mmap(nullptr, *size_out, protection, MAP_SHARED, fd_.get(), 0);
  if (address == MAP_FAILED) return errno_error(fmt::format("cannot map {} bytes", *size_out), errno);
  return address;
}

Result<Mapping> MemoryFile::map() const {
  std::size_t bytes = 0;
  KA_ASSIGN(void* address, map_pages(PROT_READ, &bytes));
  return Mapping(address, bytes);
}

Result<WritableMapping> MemoryFile::map_writable() const {
  std::size_t bytes = 0;
  KA_ASSIGN(void* address, map_pages(PROT_READ | PROT_WRITE, &bytes));
  return WritableMapping(address, bytes);
}

Result<std::string> MemoryFile::read_all(std::size_t max_bytes) const {
  KA_ASSIGN(const std::size_t bytes, size());
  if (bytes > max_bytes) {
    return invalid_input(
        fmt::format("a memory file has {} bytes, more than the {} allowed", bytes, max_bytes));
  }
  std::string text(bytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t got = ::pread(fd_.get(), text.data() + filled, bytes - filled, static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("cannot read a memory file", errno);
    if (got == 0) return io_error("a memory file shrank while it was read");
    filled += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace ka::os
