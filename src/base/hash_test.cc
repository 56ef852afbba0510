#include "base/hash.h"

#include <set>

#include <gtest/gtest.h>

namespace ka {
namespace {

// FIPS 180-4 examples and the NIST byte-oriented test vectors.
TEST(Sha256, PublishedVectors) {
  struct Case {
    std::string text;
    const char* hex;
  };
  const Case cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopq"
       "rst"
       "nopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {std::string(1000000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const Case& row : cases) EXPECT_EQ(sha256_hex(row.text), row.hex) << row.text.substr(0, 20);
}

TEST(Sha256, PiecesDoNotMatter) {
  const std::string text(200, 'x');
  for (std::size_t first = 0; first <= text.size(); ++first) {
    Sha256 hash;
    hash.update(text.substr(0, first)).update(text.substr(first));
    ASSERT_EQ(hash.hex(), sha256_hex(text)) << first;
  }
}

TEST(Sha256, AskingInBetweenChangesNothing) {
  Sha256 hash;
  hash.update("ab");
  EXPECT_EQ(hash.hex(), sha256_hex("ab"));
  hash.update("c");
  EXPECT_EQ(hash.hex(), sha256_hex("abc"));
}

TEST(DeriveSeed, IsTheDocumentedNumber) {
  // First eight bytes of SHA-256("abc" 00 "7").
  const std::string hashed{'a', 'b', 'c', '\0', '7'};
  EXPECT_EQ(derive_seed("abc", 7), std::stoull(sha256_hex(hashed).substr(0, 16), nullptr, 16));
}

TEST(DeriveSeed, DependsOnTextAndNumber) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t n = 0; n < 100; ++n) {
    seeds.insert(derive_seed("a", n));
    seeds.insert(derive_seed("b", n));
    seeds.insert(derive_seed("a1", n));
  }
  EXPECT_EQ(seeds.size(), 300U);
}

}  // namespace
}  // namespace ka
