#include "os/memory_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace ka::os {
namespace {

MemoryFile file_with(std::string_view text) {
  MemoryFile file = MemoryFile::create("test").value();
  EXPECT_TRUE(file.write(text));
  return file;
}

TEST(MemoryFile, WritesAppend) {
  MemoryFile file = file_with("ab");
  EXPECT_TRUE(file.write(""));
  EXPECT_TRUE(file.write("cd"));
  EXPECT_EQ(file.size().value(), 4U);
  EXPECT_EQ(file.map()->text(), "abcd");
  EXPECT_EQ(file.read_all(4).value(), "abcd");
  EXPECT_EQ(file.read_all(3).error().kind, ErrorKind::invalid_input);
}

TEST(MemoryFile, EmptyFileGivesEmptyMapping) {
  const MemoryFile file = file_with("");
  const Mapping mapping = std::move(file.map()).value();
  EXPECT_TRUE(mapping.bytes().empty());
  EXPECT_EQ(file.read_all(0).value(), "");
}

TEST(MemoryFile, MappingFixesTheSize) {
  const MemoryFile file = file_with("abc");
  const Mapping mapping = std::move(file.map()).value();
  EXPECT_NE(::ftruncate(file.fd(), 0), 0);
  EXPECT_NE(::ftruncate(file.fd(), 10), 0);
  EXPECT_EQ(mapping.text(), "abc");
}

TEST(MemoryFile, MappingOutlivesFileAndMoves) {
  Mapping mapping;
  {
    const MemoryFile file = file_with("abc");
    mapping = std::move(file.map()).value();
  }
  const std::byte* const address = mapping.bytes().data();
  const Mapping moved = std::move(mapping);
  EXPECT_EQ(moved.bytes().data(), address);
  EXPECT_EQ(moved.text(), "abc");
}

TEST(MemoryFile, RefusesAFileWhoseSizeCannotBeSealed) {
  MemoryFile file = file_with("abc");
  ASSERT_EQ(::fcntl(file.fd(), F_ADD_SEALS, F_SEAL_SEAL), 0);
  EXPECT_FALSE(file.map());
  EXPECT_FALSE(file.map_writable());
}

TEST(MemoryFile, WritableMappingWritesThrough) {
  MemoryFile file = file_with("");
  ASSERT_TRUE(file.resize(4));
  {
    WritableMapping mapping = std::move(file.map_writable()).value();
    for (std::byte& byte : mapping.writable_bytes()) byte = std::byte{'x'};
    EXPECT_FALSE(file.seal());  // someone could still write
  }
  EXPECT_TRUE(file.seal());
  EXPECT_TRUE(file.seal());
  EXPECT_EQ(file.map()->text(), "xxxx");
}

TEST(MemoryFile, SealedFileCannotChange) {
  MemoryFile file = file_with("abc");
  ASSERT_TRUE(file.seal());
  EXPECT_FALSE(file.write("d"));
  EXPECT_FALSE(file.resize(1));
  EXPECT_FALSE(file.map_writable());
  EXPECT_EQ(file.map()->text(), "abc");
}

TEST(MemoryFile, AdoptsOnlyMemoryFiles) {
  const MemoryFile file = file_with("abc");
  const Result<MemoryFile> adopted = MemoryFile::adopt(UniqueFd(::dup(file.fd())));
  ASSERT_TRUE(adopted);
  EXPECT_EQ(adopted->map()->text(), "abc");
  EXPECT_EQ(MemoryFile::adopt(UniqueFd(::open("/dev/null", O_RDWR))).error().kind, ErrorKind::invalid_input);
  EXPECT_FALSE(MemoryFile::adopt(UniqueFd()));
}

TEST(MemoryFile, AbsurdSizesAreErrors) {
  MemoryFile file = file_with("");
  EXPECT_FALSE(file.resize(SIZE_MAX));
  EXPECT_EQ(file.size().value(), 0U);
}

TEST(MemoryFile, IsNotInheritedByPrograms) {
  const MemoryFile file = file_with("");
  EXPECT_EQ(::fcntl(file.fd(), F_GETFD), FD_CLOEXEC);
}

}  // namespace
}  // namespace ka::os
