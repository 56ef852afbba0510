// From exported programs to graphs: terms, sizes, operators. Programs are written as the export child writes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "graph/import.h"
#include "graph/operators.h"
#include "graph/size_fit.h"
#include "graph/term.h"
#include "graph/term_functions.h"

namespace ka::graph {
namespace {

struct TermCase {
  const char* name;
  const char* term;
  const char* graph;  // lines after the argument
};

const TermCase kTermCases[] = {
    {"infix", "x * 2 + 1",
     "%1: int64[] = constant(value=2)\n%2: float32[] = cast(%1)\n%3: float32[n, 4] = mul(%0, %2)\n"
     "%4: int64[] = constant(value=1)\n%5: float32[] = cast(%4)\n%6: float32[n, 4] = add(%3, %5)\n"},
    {"static arithmetic makes no nodes", "if 1 + 1 == 2 then neg(x) else exp(x)", "%1: float32[n, 4] = neg(%0)\n"},
    {"let binds once", "let e = exp(x); e * e", "%1: float32[n, 4] = exp(%0)\n%2: float32[n, 4] = mul(%1, %1)\n"},
    {"a reduction keeps its dimension", "sum(x, -1)", "%1: float32[n, 1] = reduce(%0, dims=[1], kind=sum)\n"},
    {"sizes are known", "if size(x, 1) == 4 then x else exp(x)", ""},
    {"reshapes join", "reshape(reshape(x, [-1]), [4, -1])", "%1: float32[4*n] = reshape(%0, shape=[4*n])\n%2: float32[4, n] = reshape(%0, shape=[4, n])\n"},
    {"padding is a condition", "pad(x, [1, 0])",
     "%1: float32[n, 5] = remap(%0, fill=0, index=[i0, i1 - 1], shape=[n, 5], valid=[i1 - 1])\n"},
    {"macros expand", "relu(x)",
     "%1: int64[] = constant(value=0)\n%2: float32[] = cast(%1)\n%3: float32[n, 4] = maximum(%0, %2)\n"},
};

TEST(Term, BecomesNodes) {
  for (const TermCase& row : kTermCases) {
    ir::Graph graph;
    ir::Builder builder(graph);
    const ir::ValueId x = builder.argument(ir::ArgumentKind::input, "x", "x", {ir::DType::float32, {ir::Sym::size("n"), 4}});
    Result<Term> term = parse_term(row.term);
    ASSERT_TRUE(term) << row.name << ": " << term.error().message;
    Result<Arg> value = evaluate(*term, {{"x", Arg{Tensor{x}}}}, builder);
    ASSERT_TRUE(value) << row.name << ": " << value.error().message;
    graph.outputs = {value->tensor()->id};
    const std::string first = "%0: float32[n, 4] = input x\n";
    EXPECT_EQ(ir::to_text(graph), first + row.graph + fmt::format("return %{} (tensor)\n", graph.outputs[0])) << row.name;
  }
}

TEST(Term, RefusesWhatItCannotRead) {
  for (const char* text : {"x +", "f(x", "let = 3; x", "if x then y", "x ) y", "[1, 2", "'text", "99999999999999999999", "1.2.3", "1e"}) EXPECT_FALSE(parse_term(text)) << text;
}

// Every row must at least be readable; what it computes is compared with PyTorch in test/system.
TEST(Terms, DeepNestingIsRefused) {
  EXPECT_TRUE(parse_term(std::string(50, '(') + "x" + std::string(50, ')')));
  EXPECT_FALSE(parse_term(std::string(100'000, '(') + "x"));
  EXPECT_FALSE(parse_term(std::string(100'000, '-') + "x"));
}

TEST(Operators, AllTermsParse) {
  for (const auto& group : operator_groups()) {
    for (const Operator& row : group) {
      Result<Term> term = parse_term(row.term);
      EXPECT_TRUE(term) << row.spelling << ": " << (term ? "" : term.error().message);
    }
  }
  for (const auto& group : {all_macros(), scatter_macros(), sort_macros()}) {
    for (const Macro& row : group) EXPECT_TRUE(parse_term(row.term)) << row.name;
  }
}

TEST(Operators, AreListedOnce) {
  std::set<std::string_view> seen;
  for (const auto& group : operator_groups()) {
    for (const Operator& row : group) EXPECT_TRUE(seen.insert(row.spelling).second) << row.spelling;
  }
}

TEST(Operators, AreFoundByAliases) {
  ASSERT_NE(find_operator("aten.absolute.default"), nullptr);
  EXPECT_EQ(find_operator("aten.absolute.default"), find_operator("aten.abs.default"));
  EXPECT_EQ(find_operator("aten.absolute.out"), nullptr);
  EXPECT_EQ(find_operator("aten"), nullptr);
  for (const OperatorAlias& alias : operator_aliases()) {
    const auto is_overload = [&](const Operator& row) { return row.spelling.starts_with(std::string(alias.same_as) + "."); };
    bool found = false;
    for (const auto& group : operator_groups()) found = found || std::any_of(group.begin(), group.end(), is_overload);
    EXPECT_TRUE(found) << alias.name << " stands for " << alias.same_as << ", which has no row";
  }
}

// x of [rows, columns] at three sizes; `view` reshapes it to [rows * columns / 2, 2].
Exported sampled(const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes) {
  Exported out;
  for (const auto& [rows, columns] : sizes) {
    ExportedGraph sample;
    sample.sizes = {{"rows", rows}, {"columns", columns}};
    ExportedArgument x;
    x.node = x.name = x.keyword = "x";
    x.kind = "input";
    x.tensor = TensorFacts{ir::DType::float32, {rows, columns}, {columns, 1}};
    sample.arguments.push_back(x);
    ExportedNode view{"view", "aten.view.default", "p.py:3", {}, {}};
    view.operands["self"] = Operand{TensorRef{"x", 0}};
    view.operands["size"] = Operand{OperandList{Operand{rows * columns / 2}, Operand{std::int64_t{2}}}};
    view.outputs.push_back(TensorFacts{ir::DType::float32, {rows * columns / 2, 2}, {2, 1}});
    sample.nodes.push_back(view);
    sample.outputs.push_back({"view", 0});
    sample.structure = "tensor";
    out.samples.push_back(sample);
  }
  return out;
}

TEST(SizeFit, NamesSymbolsAfterTheProblemsConstants) {
  const SizeFit fit(sampled({{64, 32}, {8, 4}, {9, 4}}));
  EXPECT_EQ(fit.argument_shape(0)[0].text(), "rows");
  EXPECT_EQ(fit.argument_shape(0)[1].text(), "columns");
  EXPECT_EQ(fit.express({65, 9, 10})->text(), "rows + 1");
  EXPECT_EQ(fit.express({128, 16, 18})->text(), "2*rows");
  EXPECT_EQ(fit.express({7, 7, 7})->text(), "7");
  EXPECT_EQ(fit.express({2048, 32, 36})->text(), "columns*rows");
  EXPECT_FALSE(fit.express({1, 2, 77}));
  EXPECT_FALSE(fit.express({96, 12, 13}));
  EXPECT_EQ(fit.fraction({96, 12, 13})->text(), "((3*rows) // 2)");
}

TEST(SizeFit, AnExtentThatIsCutIntoEqualPartsIsThatManyTimesOnePart) {
  Exported cut = sampled({{64, 96}, {8, 12}, {10, 12}});
  for (ExportedGraph& sample : cut.samples) {
    const std::int64_t rows = sample.sizes["rows"], columns = sample.sizes["columns"];
    sample.nodes[0].outputs[0]->shape = {rows, 6, 2 * columns / 6, 1};  // of a wider value: still three parts of a row
  }
  const SizeFit fit(cut);
  EXPECT_EQ(fit.argument_shape(0)[0].text(), "rows");
  EXPECT_EQ(fit.argument_shape(0)[1].text(), "3*columns_part");
  EXPECT_EQ(fit.express({32, 4, 4})->text(), "columns_part");
  EXPECT_EQ(fit.express({192, 24, 24})->text(), "6*columns_part");
  ASSERT_EQ(fit.sources().size(), 3u);
  EXPECT_EQ(fit.sources()[2].whole, "columns");
  EXPECT_EQ(fit.sources()[2].parts, 3);
  EXPECT_EQ(fit.sources()[2].given, 32);
  // nothing is known of a quotient by which no reshape divides, nor of one that leaves something over in a sample
  const SizeFit plain(sampled({{64, 96}, {8, 12}, {10, 12}}));
  EXPECT_EQ(plain.express({32, 4, 4})->text(), "(columns // 3)");
  cut.samples[2].arguments[0].tensor->shape[1] = 13;
  EXPECT_EQ(SizeFit(cut).argument_shape(0)[1].text(), "x_dim1");
}

TEST(SizeFit, FindsTheQuotientOfMultiplesThatLeavesNothingOver) {
  const SizeFit fit(sampled({{128, 64}, {4480, 320}, {1280, 128}}));  // rows: heads * depth, columns: 4 * depth
  EXPECT_EQ(fit.express({8, 56, 40})->text(), "((4*rows) // columns)");
  EXPECT_FALSE(fit.express({8, 56, 41}));
  EXPECT_FALSE(SizeFit(sampled({{128, 64}, {4480, 320}})).express({8, 56}));  // two samples may be an accident
}

TEST(SizeFit, KeepsWhatNeverChangedAsANumber) {
  const SizeFit fit(sampled({{64, 32}, {8, 32}}));
  EXPECT_EQ(fit.argument_shape(0)[1].text(), "32");
}

TEST(Import, FindsOutHowNumbersFollowFromSizes) {
  Result<Imported> imported = import_program(sampled({{64, 32}, {8, 4}, {9, 4}}));
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(ir::to_text(imported->graph.type(imported->graph.outputs[0])), "float32[((columns*rows) // 2), 2]");
}

// Windows along the columns, 16 wide but at the last sizes, where they are as wide as nothing explains.
TEST(Import, KeepsTheGivenValueOfANumberThatFollowsFromNothing) {
  Exported exported = sampled({{64, 32}, {8, 32}, {64, 30}});
  const auto windows_of = [&](std::size_t sample, std::int64_t width) {
    ExportedGraph& graph = exported.samples[sample];
    const std::vector<std::int64_t> shape = {graph.sizes["rows"], 2, width};
    graph.nodes[0] = {"view", "aten.unfold.default", "p.py:3", {}, {TensorFacts{ir::DType::float32, shape, {2 * width, width, 1}}}};
    graph.nodes[0].operands = {{"self", Operand{TensorRef{"x", 0}}}, {"dimension", Operand{std::int64_t{1}}}, {"size", Operand{width}}, {"step", Operand{width}}};
  };
  windows_of(0, 16);
  windows_of(1, 16);
  windows_of(2, 11);
  Result<Imported> imported = import_program(exported);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(ir::to_text(imported->graph.type(imported->graph.outputs[0])), "float32[rows, 2, 16]");
  EXPECT_EQ(imported->refusals.size(), 1u);
  windows_of(1, 11);  // the sizes at which it is verified cannot be left out
  imported = import_program(exported);
  EXPECT_FALSE(imported);
}

TEST(Import, NamesTheOperatorThatItDoesNotKnow) {
  Exported exported = sampled({{64, 32}});
  exported.samples[0].nodes[0].op = "aten.fft_fft.default";
  Result<Imported> imported = import_program(exported);
  ASSERT_TRUE(imported) << imported.error().message;  // the rest is imported all the same
  const ir::Node& node = imported->graph.nodes.back();
  EXPECT_EQ((std::vector<std::string>{node.op, node.origin, node.where}), (std::vector<std::string>{"unknown", "aten.fft_fft.default", "p.py:3"}));
}

// A program of one sample with one input, with these facts about it.
std::string input_with(const std::string& facts) {
  return R"({"samples": [{"graph": {"arguments": [{"node": "x", "kind": "input", "name": "x", "dtype": "float32", )" + facts + "}]}}]}";
}

TEST(Exported, RefusesNonsense) {
  for (const std::string& text : {std::string("{}"), std::string("[]"), std::string(R"({"samples": 3})"), std::string(R"({"samples": [{"graph": {"nodes": [{"outs": [{"dtype": "x"}]}]}}]})"),
                                  input_with(R"("shape": [-4], "strides": [1])"), input_with(R"("shape": [18446744073709551615], "strides": [1])"),
                                  input_with(R"("shape": [4, 4], "strides": [1])"), std::string(R"({"samples": [{"graph": {"outputs": [{"t": "x", "i": -1}]}}]})")}) {
    Result<Json> json = parse_json(text, "test");
    ASSERT_TRUE(json);
    EXPECT_FALSE(read_exported(*json)) << text;
  }
}

TEST(Exported, LeavesOutSamplesOfAnotherStructure) {
  Result<Json> json = parse_json(input_with(R"("shape": [4], "strides": [1])"), "test");
  ASSERT_TRUE(json);
  EXPECT_EQ(read_exported(*json)->samples.size(), 1U);
  Json other = (*json)["samples"][0];
  (*json)["samples"].push_back(other);
  EXPECT_EQ(read_exported(*json)->samples.size(), 2U);
  other["graph"]["arguments"][0]["shape"] = {2, 2};
  other["graph"]["arguments"][0]["strides"] = {2, 1};
  (*json)["samples"].push_back(other);
  EXPECT_EQ(read_exported(*json)->samples.size(), 2U) << "another rank";
}

TEST(Import, AnUnknownOperatorWithFewerResultsAtOtherSizesIsAnError) {
  Exported exported = sampled({{64, 32}, {48, 32}});
  for (ExportedGraph& sample : exported.samples) sample.nodes[0].op = "aten.fft_fft.default";
  exported.samples[1].nodes[0].outputs.clear();
  EXPECT_FALSE(import_program(exported));
}

}  // namespace
}  // namespace ka::graph
