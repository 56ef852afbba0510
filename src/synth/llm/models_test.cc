#include "synth/llm/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "os/environment.h"
#include "os/files.h"
#include "synth/llm/open_chat.h"

namespace ka::llm {
namespace {

Lookup table(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Models, TheBuiltInTableHasWhatIsPromised) {
  const std::vector<Model> rows = *all_models(table({}));
  struct Case {
    const char* name;
    std::vector<Provider> providers;
  };
  const Case promised[] = {
      {"o4-mini", {Provider::openai}},
      {"gpt-5.2", {Provider::openai}},
      {"gpt-5", {Provider::relay, Provider::openai}},
      {"claude-opus-4-6", {Provider::anthropic}},
      {"claude-sonnet-4-6", {Provider::anthropic}},
      {"claude-opus-4-1-20250805", {Provider::anthropic}},
      {"claude-sonnet-4-20250514", {Provider::anthropic}},
      {"claude-sonnet-4-5-20250929", {Provider::anthropic}},
      {"gcp-claude-4-sonnet", {Provider::relay}},
      {"claude-opus-4.5", {Provider::relay}},
      {"gpt-5-2", {Provider::relay}},
  };
  for (const Case& row : promised) {
    const Model model = find_model(rows, row.name, table({}));
    EXPECT_TRUE(model.in_table) << row.name;
    EXPECT_EQ(model.providers, row.providers) << row.name;
  }
  for (const Model& model : rows) {
    if (!model.price) continue;
    EXPECT_LE(model.price->cached, model.price->input) << model.name;
    EXPECT_LT(model.price->input, model.price->output) << model.name;
    EXPECT_LT(model.output_tokens, model.context_tokens) << model.name;
  }
}

TEST(Models, UnknownNamesGoToAServerOfOnesOwnOrToTheRelay) {
  EXPECT_EQ(find_model({}, "x", table({})).providers, std::vector{Provider::relay});
  EXPECT_EQ(find_model({}, "x", table({{"OPENAI_BASE_URL", ""}})).providers, std::vector{Provider::relay});
  EXPECT_EQ(find_model({}, "x", table({{"OPENAI_BASE_URL", "http://h/v1"}})).providers, std::vector{Provider::openai});
}

TEST(Models, BadRowsAreRefusedInOneSentence) {
  struct Case {
    const char* text;
    const char* words;
  };
  const Case rows[] = {
      {"[]", "expected an object"},
      {R"({"models": [{"providers": ["openai"]}]})", "missing field \"name\""},
      {R"({"models": [{"name": "a b", "providers": ["openai"]}]})", "blank or a control character"},
      {R"({"models": [{"name": "a", "providers": []}]})", "is empty"},
      {R"({"models": [{"name": "a", "providers": ["google"]}]})", "is none of openai, anthropic, relay"},
      {R"({"models": [{"name": "a", "providers": ["openai"], "effort": "much"}]})", "is none of none, word, adaptive, budget"},
      {R"({"models": [{"name": "a", "providers": ["openai"], "wire": "soap"}]})", "is none of responses, chat"},
      {R"({"models": [{"name": "a", "providers": ["openai"], "prize": 3}]})", "is no fact about a model"},
      {R"({"models": [{"name": "a", "providers": ["openai"], "price": {"input": 1}}]})", "missing field \"output\""},
      {R"({"models": [{"name": "a", "providers": ["openai"], "price": {"input": -1, "output": 1}}]})", "is below 0"},
      {R"({"models": [{"name": "a", "providers": ["openai"], "base_url": "ftp://h"}]})", "http:// and https://"},
      {R"({"models": [{"name": "a", "providers": ["openai"]}, {"name": "a", "providers": ["relay"]}]})", "is there twice"},
  };
  for (const Case& row : rows) {
    const auto read = read_models(row.text, "models.json");
    ASSERT_FALSE(read) << row.text;
    EXPECT_NE(read.error().message.find(row.words), std::string::npos) << read.error().message;
    EXPECT_EQ(read.error().kind, ErrorKind::invalid_input);
  }
}

TEST(Models, AFileOfTheUsersAddsAndReplaces) {
  const std::string path = (std::filesystem::temp_directory_path() / "ka_models_test.json").string();
  ASSERT_TRUE(os::write_file_atomic(path, R"({"models": [{"name": "o4-mini", "providers": ["relay"]}, {"name": "mine", "providers": ["openai"], "base_url": "http://h/v1/",)"
      R"( "key_variable": "MY_KEY"}]})"));
  const Lookup lookup = table({{kModelsVariable, path}, {"MY_KEY", "word-of-mine"}, {"OPENAI_API_KEY", "another-word"}});
  const std::vector<Model> rows = *all_models(lookup);
  EXPECT_EQ(rows.size(), all_models(table({}))->size() + 1);
  EXPECT_EQ(find_model(rows, "o4-mini", lookup).providers, std::vector{Provider::relay});
  const Result<Road> road = find_road(std::string("mine"), lookup);
  ASSERT_TRUE(road || !os::http_available());
  if (road) {
    EXPECT_EQ(road->server.base_url, "http://h/v1");
    EXPECT_EQ(road->server.key, "word-of-mine");
    EXPECT_EQ(road->wire, &kOpenAiChat);
  }
  EXPECT_TRUE(os::remove_tree(path));
}

TEST(Models, AKeyGoesOnlyToTheServerThatItIsFor) {
  const std::string path = (std::filesystem::temp_directory_path() / "ka_models_key_test.json").string();
  ASSERT_TRUE(os::write_file_atomic(path, R"({"models": [{"name": "mine", "providers": ["openai"], "base_url": "http://elsewhere/v1"}]})"));
  const Result<Road> road = find_road(std::string("mine"), table({{kModelsVariable, path}, {"OPENAI_API_KEY", "another-word"}}));
  ASSERT_TRUE(road || !os::http_available());
  if (road) {
    EXPECT_EQ(road->server.key, "");
  }
  EXPECT_TRUE(os::remove_tree(path));
}

struct RoadCase {
  const char* name;
  std::map<std::string, std::string> variables;
  const Wire* wire;
  const char* base;
};

TEST(Models, TheRoadByNameAndVariables) {
  if (!os::http_available()) GTEST_SKIP() << "this build has no HTTP client";
  const RoadCase rows[] = {
      {"gpt-5.2", {{"OPENAI_API_KEY", "k"}}, &kOpenAiResponses, "https://api.openai.com/v1"},
      {"gpt-5.2", {{"OPENAI_API_KEY", "k"}, {"OPENAI_API", "chat"}}, &kOpenAiChat, "https://api.openai.com/v1"},
      {"gpt-5.2", {{"OPENAI_API_KEY", "k"}, {"OPENAI_BASE_URL", "https://api.openai.com/v1/"}}, &kOpenAiResponses, "https://api.openai.com/v1"},
      {"gpt-5.2", {{"OPENAI_BASE_URL", "http://host:8000/v1//"}}, &kOpenAiChat, "http://host:8000/v1"},
      {"gpt-5.2", {{"OPENAI_BASE_URL", "http://host/v1"}, {"OPENAI_API", "responses"}}, &kOpenAiResponses, "http://host/v1"},
      {"gpt-5", {{"OPENAI_API_KEY", "k"}}, &kOpenAiResponses, "https://api.openai.com/v1"},
      {"gpt-5", {{"OPENAI_API_KEY", "k"}, {"LLM_RELAY_URL", "http://r"}}, &kRelay, "http://r"},
      {"claude-opus-4-6", {{"ANTHROPIC_API_KEY", "k"}}, &kAnthropic, "https://api.anthropic.com"},
      {"anything", {}, &kRelay, "http://127.0.0.1:11434"},
  };
  for (const RoadCase& row : rows) {
    const Result<Road> road = find_road(std::string(row.name), table(row.variables));
    ASSERT_TRUE(road) << row.name << ": " << road.error().message;
    EXPECT_EQ(road->wire->name, row.wire->name) << row.name;
    EXPECT_EQ(road->server.base_url, row.base) << row.name;
  }
}

TEST(Models, DollarsOfAQuestion) {
  Model model;
  Usage usage{1'000'000, 250'000, 500'000, 100'000, 0};
  EXPECT_EQ(dollars(model, usage), 0);
  model.price = Price{2, 1, 8};
  EXPECT_DOUBLE_EQ(dollars(model, usage), 0.75 * 2 + 0.25 * 1 + 0.5 * 8);
  usage.cached_tokens = 2'000'000;  // a server that counts strangely never makes it negative
  EXPECT_DOUBLE_EQ(dollars(model, usage), 2 * 1 + 0.5 * 8);
}

}  // namespace
}  // namespace ka::llm
