// The corpora: every kernel under test/hostile must be refused for one of the reasons its first lines name, every kernel
// under test/honest must be accepted. A case is one file; adding one needs no change here.
//   # problem: relu                     a file of test/problems
//   # expect: guard.compute             rules that may refuse it, or "accepted"
//   # flags: --timeout 5                flags of kernelagent verify
//   # gpu-expect: result.mismatch       instead of expect where a GPU is used
//   # gpu-flags: --timeout 30           instead of flags there
//   # gpu: skip REASON                  not run on a GPU
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>

#include "app/cli/verify.h"
#include "base/strings.h"
#include "os/environment.h"
#include "os/files.h"
#include "verify/judge.h"
#include "verify/rules.h"

namespace ka {
namespace {

namespace fs = std::filesystem;

// Where this source tree lies; another place than at build time when the program was carried to a GPU machine.
std::string source_dir() { return os::get_env("KERNELAGENT_SOURCE_DIR").value_or(KA_SOURCE_DIR); }

struct Case {
  std::string name;  // "hostile/torch_spellings/relu"
  std::string path;
};
void PrintTo(const Case& tried, std::ostream* out) { *out << tried.path; }  // for gtest, which shows raw bytes otherwise

std::vector<Case> cases_below(const std::string& folder) {
  std::vector<Case> cases;
  const fs::path root = fs::path(source_dir()) / "test";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() == ".py")
      cases.push_back({fs::relative(entry.path(), root).replace_extension().string(), entry.path().string()});
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

std::map<std::string, std::string> headers_of(const std::string& text) {
  std::map<std::string, std::string> headers;
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with("# ")) break;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) headers[line.substr(2, colon - 2)] = trim(line.substr(colon + 2));
  }
  return headers;
}

// One interpreter for all cases of this process.
class Corpus : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    Result<std::string> python = bridge::find_interpreter();
    ASSERT_TRUE(python) << python.error().message;
    interpreter_ = std::make_unique<bridge::WarmInterpreter>(bridge::InterpreterOptions{*python});
  }
  static void TearDownTestSuite() { interpreter_.reset(); }

  static std::unique_ptr<bridge::WarmInterpreter> interpreter_;
};
std::unique_ptr<bridge::WarmInterpreter> Corpus::interpreter_;

Result<app::Arguments> parsed(const std::string& flags) {
  std::vector<std::string> words;
  for (const std::string& word : split(flags, ' '))
    if (!word.empty()) words.push_back(word);
  return app::Arguments::parse(words, app::kVerifyFlags);
}

TEST_P(Corpus, IsJudgedAsItsFirstLinesSay) {
  Result<std::string> text = os::read_file(GetParam().path);
  ASSERT_TRUE(text) << text.error().message;
  std::map<std::string, std::string> headers = headers_of(*text);
  ASSERT_TRUE(headers.contains("problem")) << "no `# problem:` line";
  ASSERT_TRUE(headers.contains("expect")) << "no `# expect:` line";

  Result<app::Arguments> arguments = parsed(headers["flags"]);
  ASSERT_TRUE(arguments) << arguments.error().message;
  Result<verify::JudgeOptions> options = app::judge_options(*arguments);
  ASSERT_TRUE(options) << options.error().message;
  const bool gpu = options->device == "cuda";
  if (gpu && headers.contains("gpu-flags")) {
    arguments = parsed(headers["gpu-flags"]);
    ASSERT_TRUE(arguments) << arguments.error().message;
    options = app::judge_options(*arguments);
    ASSERT_TRUE(options) << options.error().message;
  }
  if (gpu && headers["gpu"].starts_with("skip")) GTEST_SKIP() << headers["gpu"];
  const std::string expect = gpu && headers.contains("gpu-expect") ? headers["gpu-expect"] : headers["expect"];

  const std::string problem_path = source_dir() + "/test/problems/" + headers["problem"] + ".py";
  Result<std::string> problem = os::read_file(problem_path);
  ASSERT_TRUE(problem) << problem.error().message;
  verify::JudgeContext context{*interpreter_, {}};
  Result<model::Verdict> verdict =
      verify::judge({problem_path, "", *problem, arguments->text("--mode", "train")}, {GetParam().path, *text}, *options, context);
  ASSERT_TRUE(verdict) << verdict.error().message;

  const std::string seen = verdict->accepted ? "accepted" : verdict->rule;
  const std::vector<std::string> accepted = split(expect, ' ');
  EXPECT_NE(std::find(accepted.begin(), accepted.end(), seen), accepted.end())
      << headers["why"] << "\nexpected: " << expect << "\ngot: " << seen << "\n" << verify::verdict_text(*verdict);
  for (const std::string& rule : accepted)
    EXPECT_TRUE(rule == "accepted" || verify::find_rule(rule) != nullptr) << "unknown rule " << rule;
  RecordProperty("rule", seen);
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Hostile, Corpus, testing::ValuesIn(cases_below("hostile")), test_name);
INSTANTIATE_TEST_SUITE_P(Honest, Corpus, testing::ValuesIn(cases_below("honest")), test_name);

TEST(CorpusSize, IsWhatItClaims) {
  EXPECT_GE(cases_below("hostile").size(), 60u);
  EXPECT_GE(cases_below("honest").size(), 30u);
}

}  // namespace
}  // namespace ka
