#include "verify/rules.h"

#include <gtest/gtest.h>

#include <string>

#include "os/files.h"

namespace ka::verify {
namespace {

TEST(Rules, EachHasItsSentences) {
  for (const Rule& rule : all_rules()) {
    EXPECT_NE(rule.name.find('.'), std::string_view::npos) << rule.name;
    for (std::string_view text : {rule.demands, rule.reason, rule.remedy}) {
      EXPECT_FALSE(text.empty()) << rule.name;
      EXPECT_NE(text.back(), '.') << rule.name;
    }
  }
}

TEST(Rules, AreFoundByName) {
  ASSERT_NE(find_rule("guard.compute"), nullptr);
  EXPECT_EQ(find_rule("guard.compute")->name, "guard.compute");
  EXPECT_EQ(find_rule("guard.nothing"), nullptr);
}

TEST(Rules, AreAllInTheDocument) {
  Result<std::string> text = os::read_file(std::string(KA_SOURCE_DIR) + "/docs/judge.md");
  ASSERT_TRUE(text) << text.error().message;
  for (const Rule& rule : all_rules())
    EXPECT_NE(text->find("`" + std::string(rule.name) + "`"), std::string::npos) << rule.name << " is not in docs/judge.md";
}

}  // namespace
}  // namespace ka::verify
