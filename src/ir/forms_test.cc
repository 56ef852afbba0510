#include "ir/forms.h"

#include <gtest/gtest.h>

#include "ir/gpu.h"

namespace ka::ir {
namespace {

TEST(Forms, EveryOneHasARowAndIsReadByItsName) {
  std::set<std::string_view> names;
  for (const FormRow& row : all_forms()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(&row_of(row.form), &row);
    const Result<std::set<Form>> read = read_forms(row.name);
    ASSERT_TRUE(read) << row.name;
    EXPECT_EQ(*read, std::set<Form>{row.form});
  }
}

TEST(Forms, AreAListOfNames) {
  EXPECT_EQ(*read_forms("descriptors,graphs"), (std::set<Form>{Form::descriptors, Form::graphs}));
  EXPECT_TRUE(read_forms("none")->empty());
  EXPECT_EQ(read_forms("all")->size(), all_forms().size());
  for (const char* list : {"", "fast", "graphs,", "none,graphs", "Graphs"}) {
    const Result<std::set<Form>> read = read_forms(list);
    ASSERT_FALSE(read) << list;
    EXPECT_NE(read.error().message.find("known are descriptors, "), std::string::npos) << read.error().message;
  }
}

TEST(Forms, ARowOfTheTableOfGpusNamesThem) {
  const std::string row = R"({"gpus": [{"name": "a", "title": "A", "source": "measured", "multiprocessors": 1, "memory_bytes": 1, "l2_bytes": 1, "shared_bytes": 1, "peak_bytes": 2, "peak_float32": 2,
    "peak_tf32": 2, "peak_half": 2, "bytes": 1, "float_products": 1, "three_products": 1, "gathered_products": 1, "half_products": 1, "launch_seconds": 1, "python_launch_seconds": 1, "forms": )";
  const auto read = read_gpus(row + R"(["graphs"]}]})");
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].forms, std::set<Form>{Form::graphs});
  EXPECT_FALSE(read_gpus(row + R"(["fast"]}]})"));
  EXPECT_FALSE(read_gpus(row + R"("graphs"}]})"));
}

}  // namespace
}  // namespace ka::ir
