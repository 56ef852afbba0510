#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ka {
namespace {

constexpr std::size_t kBlockBytes = 64;

// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t load_big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         std::uint32_t{bytes[3]};
}

void compress(std::array<std::uint32_t, 8>& state, const std::uint8_t* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

}  // namespace

Sha256& Sha256::update(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t filled = length_ % kBlockBytes;
    if (filled == 0 && bytes.size() >= kBlockBytes) {
      compress(state_, reinterpret_cast<const std::uint8_t*>(bytes.data()));
      length_ += kBlockBytes;
      bytes.remove_prefix(kBlockBytes);
      continue;
    }
    const std::size_t taken = std::min(kBlockBytes - filled, bytes.size());
    std::memcpy(block_.data() + filled, bytes.data(), taken);
    length_ += taken;
    bytes.remove_prefix(taken);
    if (length_ % kBlockBytes == 0) compress(state_, block_.data());
  }
  return *this;
}

std::array<std::uint8_t, 32> Sha256::digest() const {
  // The padding goes into a copy, so that this object may go on.
  Sha256 padded = *this;
  const std::size_t filled = length_ % kBlockBytes;
  std::string padding(filled < 56 ? 56 - filled : 120 - filled, '\0');
  padding[0] = static_cast<char>(0x80);
  const std::uint64_t bits = length_ * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(bits >> shift & 0xFFU);
  padded.update(padding);

  std::array<std::uint8_t, 32> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(padded.state_[i / 4] >> (24 - 8 * (i % 4)) & 0xFFU);
  }
  return bytes;
}

std::string Sha256::hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest()) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  return Sha256().update(bytes).hex();
}

std::uint64_t derive_seed(std::string_view text, std::uint64_t n) {
  const std::string tail = std::string(1, '\0') + std::to_string(n);
  const auto digest = Sha256().update(text).update(tail).digest();
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < 8; ++i) seed = seed << 8 | digest[i];
  return seed;
}

}  // namespace ka
