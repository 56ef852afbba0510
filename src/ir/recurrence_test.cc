#include "ir/recurrence.h"

#include <gtest/gtest.h>

namespace ka::ir {
namespace {

struct TilesCase {
  const char* name;
  bool gated;
  std::int64_t batch, units, layers;
  std::int64_t rows, block;  // 0: they do not fit
};

TEST(RecurrenceTiles, FitOntoTheChip) {
  const TilesCase cases[] = {
      {"one layer", true, 10, 256, 1, 16, 16},
      {"six layers", true, 10, 256, 6, 16, 16},
      {"one row, one unit", true, 1, 1, 1, 16, 16},
      {"blocks of rows side by side", true, 64, 512, 1, 16, 16},
      {"larger blocks of rows where there are too few multiprocessors", true, 200, 256, 1, 32, 16},
      {"rows one block after the other", true, 1000, 256, 1, 64, 16},
      {"fewer units where more weights do not fit", true, 8, 1024, 1, 16, 8},
      {"two layers of many units", true, 8, 512, 2, 16, 8},
      {"too many programs", true, 8, 512, 3, 0, 0},
      {"too many weights", true, 8, 2048, 1, 0, 0},
      {"no gates: more units", false, 10, 256, 1, 16, 32},
  };
  for (const TilesCase& one : cases) {
    const auto tiles = recurrence_tiles(default_gpu(), one.gated, one.batch, one.units, one.layers);
    ASSERT_EQ(tiles.has_value(), one.rows > 0) << one.name;
    if (!tiles) continue;
    EXPECT_EQ(tiles->rows, one.rows) << one.name;
    EXPECT_EQ(tiles->units, one.block) << one.name;
    EXPECT_EQ(tiles->columns, one.gated ? 4 * one.block : one.block) << one.name;
  }
}

TEST(RecurrentLayer, HasItsOwnOperands) {
  Node one{"recurrence", {10, 11, 12, 13}, {{"kind", std::string("lstm")}, {"reverse", false}}, {20, 21}, "", ""};
  EXPECT_EQ(layers_of(one), 1);
  EXPECT_EQ(layer_of(one, 0).cell, 13);
  one.attributes["kind"] = std::string("gru");
  EXPECT_EQ(layer_of(one, 0).hidden_bias, 13);
  // gates, then weight, state, hidden bias; weight, state, hidden bias, input weight, bias
  const Node two{"recurrence", {1, 2, 3, 4, 5, 6, 7, 8, 9}, {{"kind", std::string("gru")}, {"reverse", false}, {"layers", Sym(2)}, {"biases", Sym(1)}}, {20}, "", ""};
  EXPECT_EQ(layers_of(two), 2);
  EXPECT_EQ(layer_of(two, 0).weight, 2);
  EXPECT_EQ(layer_of(two, 0).input_weight, -1);
  const RecurrentLayer upper = layer_of(two, 1);
  EXPECT_EQ(upper.weight, 5);
  EXPECT_EQ(upper.state, 6);
  EXPECT_EQ(upper.hidden_bias, 7);
  EXPECT_EQ(upper.input_weight, 8);
  EXPECT_EQ(upper.biases, std::vector<ValueId>{9});
}

}  // namespace
}  // namespace ka::ir
