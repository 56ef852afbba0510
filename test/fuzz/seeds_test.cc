// Every target over its seeds, and over a few thousand damaged copies of them: no fuzzer is needed to notice that a reader has become
// worse. What fuzzing finds becomes a seed.
#include <filesystem>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "fuzz/mutate.h"
#include "fuzz/targets.h"
#include "os/files.h"

namespace ka::fuzz {
namespace {

std::string folder_of(std::string_view target) { return KA_SOURCE_DIR "/test/fuzz/seeds/" + std::string(target); }

class Seeds : public testing::TestWithParam<Target> {};

TEST_P(Seeds, AreReadWithoutHarm) {
  const Result<std::vector<std::string>> names = os::list_dir(folder_of(GetParam().name));
  ASSERT_TRUE(names) << names.error().message;
  ASSERT_FALSE(names->empty());
  for (const std::string& name : *names) {
    SCOPED_TRACE(name);
    GetParam().run(os::read_file(folder_of(GetParam().name) + "/" + name).value());
  }
}

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); };
  if (text.empty()) return text;
  const std::size_t place = below(text.size()), length = 1 + below(std::min<std::size_t>(8, text.size() - place));
  switch (below(5)) {
    case 0: return text.substr(0, place);
    case 1: return text.erase(place, length);
    case 2: return text.insert(below(text.size()), text.substr(place, length));
    case 3: text[place] = static_cast<char>(below(256)); return text;
    default: text[place] = "0-9\"[{,:ntf.e\\"[below(14)]; return text;
  }
}

TEST_P(Seeds, DamagedAreReadWithoutHarm) {
  std::mt19937 random(7);
  const std::vector<std::string> names = os::list_dir(folder_of(GetParam().name)).value();
  for (const std::string& name : names) {
    const std::string text = os::read_file(folder_of(GetParam().name) + "/" + name).value();
    if (text.size() > 10'000) continue;
    for (int copy = 0; copy < GetParam().copies; ++copy) {
      GetParam().run(damaged(text, random));
      GetParam().run(mutated_json(text, static_cast<std::uint32_t>(random())));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Seeds, testing::ValuesIn(all_targets().begin(), all_targets().end()), [](const auto& row) { return std::string(row.param.name); });

TEST(FuzzTargets, EveryFolderOfSeedsHasATarget) {
  for (const auto& entry : std::filesystem::directory_iterator(KA_SOURCE_DIR "/test/fuzz/seeds"))
    EXPECT_NE(find_target(entry.path().filename().string()), nullptr) << entry.path();
}

}  // namespace
}  // namespace ka::fuzz
