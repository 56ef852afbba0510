#include "app/cli/settings.h"

#include <unistd.h>

#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/cli/auto.h"
#include "app/cli/bench.h"
#include "base/redact.h"
#include "os/environment.h"
#include "os/files.h"

namespace ka::app {
namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

// A folder with a .env and a config file, an environment, and flags.
class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (os::get_env("TMPDIR").value_or("/tmp")) + "/settings_test_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { ASSERT_TRUE(os::remove_tree(folder_)); }

  Result<Settings> load(const Words& words, const Variables& variables = {}, const std::string& env = "", const std::string& config = "") {
    EXPECT_TRUE(os::write_file_atomic(folder_ + "/.env", env));
    Words all = words;
    if (!config.empty()) {
      EXPECT_TRUE(os::write_file_atomic(folder_ + "/c.yml", config));
      all.push_back("--config=" + folder_ + "/c.yml");
    }
    KA_ASSIGN(arguments_, Arguments::parse(all, kAutoFlags));
    SettingSources sources;
    sources.environment = [variables](const std::string& name) { return variables.contains(name) ? std::optional(variables.at(name)) : std::nullopt; };
    sources.names = [variables] {
      Words names;
      for (const auto& [name, value] : variables) names.push_back(name);
      return names;
    };
    sources.env_file = folder_ + "/.env";
    return Settings::load(arguments_, sources);
  }

  std::string folder_;
  Arguments arguments_;
};

struct EnvRow {
  std::string_view text;
  std::vector<std::pair<std::string, std::string>> entries;
};

TEST(EnvFileTest, LinesThatAreUnderstood) {
  const std::vector<EnvRow> rows = {
      {"", {}},
      {"\n  \n# a comment\n", {}},
      {"A=1", {{"A", "1"}}},
      {"export A=1\nexport\tB=2", {{"A", "1"}, {"B", "2"}}},
      {"exported=1", {{"exported", "1"}}},
      {"A = 1 # one\r\nB=x#y", {{"A", "1"}, {"B", "x#y"}}},
      {"A=", {{"A", ""}}},
      {"A= # nothing", {{"A", ""}}},
      {"A='a # b' # c", {{"A", "a # b"}}},
      {R"(A="a\"b\\\n\x")", {{"A", "a\"b\\\n\\x"}}},
      {R"(A='a\n')", {{"A", "a\\n"}}},
      {"A=a=b c", {{"A", "a=b c"}}},
      {"A=1\nA=2", {{"A", "2"}}},
      {"\xef\xbb\xbf"
       "A=1",
       {{"A", "1"}}},
  };
  for (const EnvRow& row : rows) {
    const Result<EnvFile> got = parse_env_file(row.text, ".env");
    ASSERT_TRUE(got) << row.text << ": " << got.error().message;
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto& [name, entry] : *got) entries.emplace_back(name, entry.value);
    EXPECT_EQ(entries, row.entries) << row.text;
  }
}

TEST(EnvFileTest, BadLinesAreNamedByNumberAndNeverQuoted) {
  for (const std::string_view line : {"sk-secret", "=sk-secret", "1A=sk-secret", "A B=sk-secret", "A='sk-secret", "A=\"sk-secret\\\"", "A='sk-secret' x"}) {
    const Result<EnvFile> got = parse_env_file(fmt::format("OK=1\n{}\n", line), "some/.env");
    ASSERT_FALSE(got) << line;
    EXPECT_EQ(got.error().kind, ErrorKind::invalid_input);
    EXPECT_TRUE(got.error().message.starts_with("some/.env: line 2")) << got.error().message;
    EXPECT_EQ(got.error().message.find("secret"), std::string::npos) << got.error().message;
  }
}

struct BadConfig {
  std::string_view text, says;
};

TEST(ConfigFileTest, OneLevelOfNamesAndValues) {
  const auto got = parse_config("a-b: 1\nc: null\nd: 'x y' # z\ne:\n", "c.yml");
  ASSERT_TRUE(got);
  ASSERT_EQ(got->size(), 4u);
  EXPECT_EQ((*got)[0].key, "a_b");
  EXPECT_EQ((*got)[0].value, "1");
  EXPECT_TRUE((*got)[1].null);
  EXPECT_EQ((*got)[2].value, "x y");
  EXPECT_EQ((*got)[2].line, 3);
  EXPECT_TRUE((*got)[3].null);
  const auto nested = parse_config("strategy_config:\n  num-top-kernels: 2\n  b: null\nplatform: {profiler: noop}\nlast: 1\n", "c.yml");
  ASSERT_TRUE(nested) << nested.error().message;
  ASSERT_EQ(nested->size(), 4u);
  EXPECT_EQ((*nested)[0].key, "strategy_config.num_top_kernels");
  EXPECT_EQ((*nested)[0].line, 2);
  EXPECT_TRUE((*nested)[1].null);
  EXPECT_EQ((*nested)[2].key, "platform.profiler");
  EXPECT_EQ((*nested)[3].key, "last");
  EXPECT_TRUE(parse_config("", "c.yml"));
  EXPECT_TRUE(parse_config("# nothing\n", "c.yml"));
}

TEST(ConfigFileTest, WhatIsRefused) {
  const std::vector<BadConfig> rows = {
      {"a: 1\nb:\n  c: 2\n", "b holds names of its own"},
      {"platform:\n  profiler:\n    name: noop\n", "platform.profiler holds names of its own"},
      {"platform:\n  profiler: [noop]\n", "platform.profiler is a list"},
      {"platform:\n  profiler: a\n  profiler: b\n", "platform.profiler is there twice"},
      {"a: [1, 2]", "line 1: a is a list"},
      {"- a\n- b\n", "one NAME: VALUE per line"},
      {"just words", "one NAME: VALUE per line"},
      {"a: 1\na: 2", "line 2: a is there twice"},
      {"a-b: 1\na_b: 2", "line 2: a_b is there twice"},
      {"a: 1\n---\nb: 2", "another one begins"},
      {",", "another one begins"},  // the library never ends with this one
      {"a: &x 1\nb: *x", "line 2: a reference"},
      {"a: 'x", "this is no YAML"},
      {"a: *nobody", "this is no YAML"},
      {"a b: 1", "line 1: a name has letters"},
      {"? [x]\n: 1", "one NAME: VALUE per line"},
  };
  for (const BadConfig& row : rows) {
    const auto got = parse_config(row.text, "c.yml");
    ASSERT_FALSE(got) << row.text;
    EXPECT_EQ(got.error().kind, ErrorKind::invalid_input);
    EXPECT_TRUE(got.error().message.starts_with("c.yml: ")) << got.error().message;
    EXPECT_NE(got.error().message.find(row.says), std::string::npos) << got.error().message;
  }
  EXPECT_FALSE(parse_config(std::string(100'000, '['), "c.yml"));
}

struct Row {
  std::string title;
  Words flags;
  Variables environment;
  std::string env_file, config;
  std::string name, value;
  Origin origin;
};

TEST_F(SettingsTest, WhoBeatsWhom) {
  const std::vector<Row> rows = {
      {"default", {}, {}, "X=1", "", "workers", "4", Origin::otherwise},
      {"config", {}, {}, "X=1", "workers: 3", "workers", "3", Origin::config},
      {"config, null", {}, {}, "X=1", "ka_model: null", "model", "", Origin::otherwise},
      {".env beats config", {}, {}, "NUM_KERNEL_SEEDS=5", "workers: 3", "workers", "5", Origin::env_file},
      {"environment beats .env", {}, {{"NUM_KERNEL_SEEDS", "6"}}, "NUM_KERNEL_SEEDS=5", "workers: 3", "workers", "6", Origin::environment},
      {"an empty variable is none", {}, {{"NUM_KERNEL_SEEDS", ""}}, "NUM_KERNEL_SEEDS=5", "", "workers", "5", Origin::env_file},
      {"flag beats environment", {"--workers", "7"}, {{"NUM_KERNEL_SEEDS", "6"}}, "NUM_KERNEL_SEEDS=5", "workers: 3", "workers", "7", Origin::flag},
      {"another spelling", {"--ka-workers", "8", "--workers", "7"}, {}, "X=1", "", "workers", "8", Origin::flag},
      {"another key", {}, {}, "X=1", "ka_num_workers: 9\nworkers: 3", "workers", "9", Origin::config},
      {"another key, the other way round", {}, {}, "X=1", "workers: 3\nka_num_workers: 9", "workers", "9", Origin::config},
      {"rounds", {"--max-iters", "5"}, {{"MAX_REFINEMENT_ROUNDS", "6"}}, "X=1", "", "rounds", "5", Origin::flag},
      {"model", {}, {{"OPENAI_MODEL", "gpt-5"}}, "X=1", "ka_model: other", "model", "gpt-5", Origin::environment},
      {"a flag's own spelling as a key", {}, {}, "X=1", "router-temp: 0.5", "router_temperature", "0.5", Origin::config},
      {"a switch says no", {"--no-ka-high-reasoning"}, {}, "X=1", "ka_high_reasoning: true", "high_reasoning", "no", Origin::flag},
      {"a key says no", {}, {}, "X=1", "ka_high_reasoning: false", "high_reasoning", "no", Origin::config},
      {"a switch says yes", {"--no-cusolver"}, {}, "X=1", "", "no_cusolver", "yes", Origin::flag},
      {"level", {}, {{"LOG_LEVEL", "WARN"}}, "X=1", "", "log_level", "warning", Origin::environment},
      {"level of others", {}, {{"LOG_LEVEL", "CRITICAL"}}, "X=1", "", "log_level", "error", Origin::environment},
      {"relay", {}, {}, "LLM_RELAY_TIMEOUT_S=3.5", "", "llm_relay_timeout_s", "3.5", Origin::env_file},
      {"key", {}, {{"OPENAI_API_KEY", "sk-abcdefgh"}}, "X=1", "", "openai_api_key", "set", Origin::environment},
      {"placeholder", {}, {{"OPENAI_API_KEY", "your-api-key-here"}}, "X=1", "", "openai_api_key", "not set", Origin::otherwise},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.title);
    const Result<Settings> settings = load(row.flags, row.environment, row.env_file, row.config);
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->text(row.name), row.value);
    EXPECT_EQ(settings->value(row.name).origin, row.origin) << settings->value(row.name).where;
  }
}

struct BadRow {
  Words flags;
  Variables environment;
  std::string env_file, config, says;
};

TEST_F(SettingsTest, BadValuesSayWhereTheyStand) {
  const std::vector<BadRow> rows = {
      {{"--workers", "0"}, {}, "X=1", "", R"(--workers: "0" is not a whole number from 1 to 256)"},
      {{"--workers", "2.5"}, {}, "X=1", "", "not a whole number"},
      {{"--max-dollars", "-1"}, {}, "X=1", "", "is not a number of at least 0"},
      {{"--model="}, {}, "X=1", "", "--model is missing"},
      {{}, {{"MAX_REFINEMENT_ROUNDS", "many"}}, "X=1", "", R"(MAX_REFINEMENT_ROUNDS in the environment: "many")"},
      {{}, {}, "\nNUM_KERNEL_SEEDS=x", "", ".env, line 2: \"x\""},
      {{}, {}, "X=1", "verify: true\nrounds: x", "c.yml, line 2: \"x\""},
      {{}, {}, "X=1", "ka_high_reasoning: perhaps", "neither yes nor no"},
      {{}, {}, "X=1", "wrokers: 3", R"(line 1: no command knows "wrokers" (did you mean "workers"?))"},
      {{}, {}, "X=1", "config: other.yml", "no command knows \"config\""},
      {{}, {}, "X=1", "openai_api_key: sk-abcdefgh", "put OPENAI_API_KEY into the environment or .env"},
      {{}, {{"LOG_LEVEL", "loud"}}, "X=1", "", "accepted: debug, info, warning, error"},
      {{}, {}, "no sense", "", ".env: line 1 is not NAME=VALUE"},
      {{"--config", "/nonexistent/c.yml"}, {}, "X=1", "", "--config: "},
  };
  for (const BadRow& row : rows) {
    const Result<Settings> settings = load(row.flags, row.environment, row.env_file, row.config);
    ASSERT_FALSE(settings) << row.says;
    EXPECT_EQ(exit_code(settings.error()), 2) << settings.error().message;
    EXPECT_NE(settings.error().message.find(row.says), std::string::npos) << settings.error().message << "\nexpected: " << row.says;
  }
}

TEST_F(SettingsTest, AConfigFileGivesFlagsThatWereNotGiven) {
  const std::string config =
      "ka_model: null\nka_num_workers: 2\nka_high_reasoning: false\nverify: false\nallow_fallback: false\nuse_router_cache: false\ndispatch_jobs: 3\n"
      "target_platform: cuda\nignore_router_config: true\nprecision: fp32\nno_cusolver: false\ntest_code: null\nentry: f\n";
  Result<Settings> settings = load({"--precision", "tf32", "--platform", "xpu"}, {}, "X=1", config);
  ASSERT_TRUE(settings) << settings.error().message;
  ASSERT_TRUE(settings->fill(arguments_, kAutoFlags));
  arguments_.drop("--config");
  const Words expected = {"--dispatch-jobs=3", "--ignore-router-config", "--no-fallback", "--no-high-reasoning", "--no-router-cache",
                          "--no-verify", "--platform=xpu", "--precision=tf32", "--workers=2"};
  EXPECT_EQ(arguments_.words({}), expected);
  EXPECT_TRUE(Arguments::parse(arguments_.words({}), kAutoFlags));

  Result<Settings> other = load({"--verify"}, {{"NUM_KERNEL_SEEDS", "7"}}, "X=1", "workers: 2\nverify: false\n");
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->fill(arguments_, kAutoFlags));
  arguments_.drop("--config");
  EXPECT_EQ(arguments_.words({}), Words{"--verify"});

  Result<Settings> bad = load({}, {}, "X=1", "verify: maybe\n");
  ASSERT_TRUE(bad);
  EXPECT_FALSE(bad->fill(arguments_, kAutoFlags));
}

// The file that the earlier KernelAgent comes with, whole.
TEST_F(SettingsTest, TheRouterFileOfTheEarlierProject) {
  const std::string config =
      "ka_model: null\nka_num_workers: 4\nka_max_rounds: 10\nka_high_reasoning: true\nrouter_model: gpt-5\nrouter_high_reasoning: true\n"
      "router_temperature: 0.2\nrouter_max_tokens: 700\n"
      "extract_model: gpt-5\ndispatch_model: o4-mini\ncompose_model: o4-mini\nworkers: 4\nmax_iters: 5\nllm_timeout_s: 1200\nrun_timeout_s: 1200\n"
      "compose_max_iters: 5\nverify: true\n"
      "dispatch_jobs: 2\nallow_fallback: true\ntarget_platform: cuda\nignore_router_config: false\nuse_router_cache: true\nno_cusolver: false\n"
      "test_timeout_s: 30\ntest_code: null\n";
  Result<Settings> settings = load({}, {}, "", config);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->text("rounds"), "10");  // ka_max_rounds, not max_iters
  EXPECT_EQ(settings->text("dispatch_model"), "o4-mini");
  EXPECT_EQ(settings->number("test_timeout_s"), 30);
  ASSERT_TRUE(settings->fill(arguments_, kAutoFlags));
  arguments_.drop("--config");
  const Words expected = {"--compose-max-iters=5", "--compose-model=o4-mini", "--dispatch-jobs=2", "--dispatch-model=o4-mini", "--extract-model=gpt-5", "--llm-timeout-s=1200",
                          "--rounds=10", "--router-max-tokens=700", "--router-model=gpt-5", "--router-temperature=0.2", "--run-timeout-s=1200", "--target-platform=cuda",
                          "--test-timeout-s=30", "--verify", "--workers=4"};
  EXPECT_EQ(arguments_.words({}), expected);
}

TEST_F(SettingsTest, AFlagOfACommandThatIsSpeltLikeASettingIsNone) {
  const Result<Arguments> bench = Arguments::parse(Words{"--rounds=0"}, kBenchFlags);
  ASSERT_TRUE(bench);
  SettingSources nothing;
  nothing.environment = [](const std::string&) { return std::nullopt; };
  const Result<Settings> settings = Settings::load(*bench, nothing);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->text("rounds"), "10");

  const Result<Settings> from_file = load({}, {}, "", "rounds: 7\n");
  ASSERT_TRUE(from_file);
  Arguments other;
  ASSERT_TRUE(from_file->fill(other, kBenchFlags));
  EXPECT_EQ(other.words({}), Words{"--rounds=7"});
  EXPECT_FALSE(other.has_setting("--rounds"));
}

TEST_F(SettingsTest, KeysAreFoundAndHidden) {
  const Variables variables = {{"MY_TOKEN", "canary-one"}, {"OTHER", "plain"}, {"OPENAI_API_KEY", "your-key"}};
  const Result<Settings> settings = load({}, variables, "ANTHROPIC_API_KEY='canary-two'\nOPENAI_API_KEY=canary-three\n", "");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->lookup("ANTHROPIC_API_KEY"), "canary-two");
  EXPECT_EQ(settings->lookup("MY_TOKEN"), "canary-one");
  EXPECT_EQ(settings->lookup("OPENAI_API_KEY"), std::nullopt);  // a placeholder in the environment hides what is in .env, as any value would
  EXPECT_EQ(settings->lookup("NOT_THERE"), std::nullopt);
  Redactor redactor;
  for (const std::string& secret : settings->secrets()) redactor.add_secret(secret);
  EXPECT_EQ(redactor.redact("canary-one canary-two canary-three plain"), "[redacted] [redacted] [redacted] plain");
  for (const SettingValue& value : settings->values()) EXPECT_EQ(value.text.find("canary"), std::string::npos);
  EXPECT_EQ(::getenv("ANTHROPIC_API_KEY") == nullptr ? "" : std::string(::getenv("ANTHROPIC_API_KEY")).substr(0, 6), "");
}

TEST(SettingsTableTest, EveryRowCanBeRead) {
  const Settings defaults;
  for (const Setting& row : kSettings) {
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_EQ(row.uses == kNoFlag, row.flags.empty()) << row.name;
    EXPECT_EQ(row.value.empty(), row.flags.empty() || row.kind == SettingKind::yes_no) << row.name;
    EXPECT_EQ(row.kind == SettingKind::secret, is_secret_name(row.variable)) << row.name;
    EXPECT_FALSE(os::environment_allowed(row.variable)) << row.name;
    EXPECT_EQ(row.kind == SettingKind::whole || row.kind == SettingKind::number, row.low < row.high) << row.name;
  }
  EXPECT_EQ(defaults.number("workers"), 4);
  EXPECT_EQ(defaults.number("max_dollars"), std::nullopt);
  EXPECT_TRUE(defaults.is("high_reasoning"));
  EXPECT_EQ(defaults.log_level(), LogLevel::info);
}

}  // namespace
}  // namespace ka::app
