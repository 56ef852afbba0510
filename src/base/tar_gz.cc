#include "base/tar_gz.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/check.h"

namespace ka {
namespace {

constexpr std::size_t kBlock = 512, kMaxName = 100, kMaxStored = 65535;

void put(std::string& block, std::size_t at, std::string_view text) { std::copy(text.begin(), text.end(), block.begin() + static_cast<std::ptrdiff_t>(at)); }

// POSIX ustar: fields of octal digits at fixed places, and a checksum over all bytes with blanks in its own place.
std::string header(const std::string& name, std::size_t size) {
  std::string block(kBlock, '\0');
  put(block, 0, name);
  put(block, 100, "0000644");
  put(block, 108, "0000000");
  put(block, 116, "0000000");
  put(block, 124, fmt::format("{:011o}", size));
  put(block, 136, "00000000000");
  put(block, 148, "        ");
  block[156] = '0';
  put(block, 257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(block, 148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

std::string tar(const std::map<std::string, std::string>& files) {
  std::string out;
  for (const auto& [name, content] : files) {
    KA_CHECK(!name.empty() && name.size() <= kMaxName);
    out += header(name, content.size()) + content;
    out.append((kBlock - content.size() % kBlock) % kBlock, '\0');
  }
  return out.append(2 * kBlock, '\0');
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

void add_little_endian(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xffu);
}

}  // namespace

std::string tar_gz(const std::map<std::string, std::string>& files) {
  const std::string data = tar(files);
  std::string out("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10);
  for (std::size_t at = 0; at < data.size(); at += kMaxStored) {  // stored blocks: last?, length, its complement, bytes
    const auto length = static_cast<std::uint32_t>(std::min(kMaxStored, data.size() - at));
    out += at + length == data.size() ? '\x01' : '\x00';
    add_little_endian(out, length, 2);
    add_little_endian(out, ~length, 2);
    out += data.substr(at, length);
  }
  add_little_endian(out, crc32(data), 4);
  add_little_endian(out, static_cast<std::uint32_t>(data.size()), 4);
  return out;
}

}  // namespace ka
