// SHA-256 (FIPS 180-4). Names content in the run directory and derives seeds; not used to keep secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ka {

// Incremental form: update() any number of times; digest() and hex() may be asked in between.
class Sha256 {
 public:
  Sha256& update(std::string_view bytes);
  std::array<std::uint8_t, 32> digest() const;
  std::string hex() const;

 private:
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t length_ = 0;  // bytes seen; length_ % 64 of them wait in block_
};

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// A seed that depends on every byte of the text and on n, the same on every machine: the first eight bytes
// (big endian) of the SHA-256 of the text, a zero byte and n in decimal.
std::uint64_t derive_seed(std::string_view text, std::uint64_t n);

}  // namespace ka
