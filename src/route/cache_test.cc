#include "route/cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "os/files.h"

namespace ka::route {
namespace {

using testing::HasSubstr;

std::string key_of(const std::string& text) { return cache_key({text, "", "cuda", "train", "1.0.0"}); }

model::Route route_of(const std::string& rationale) {
  model::Route route;
  route.strategy = "fuser";
  route.decided_by = "rules";
  route.confidence = 0.75;
  route.rationale = rationale;
  route.features.op_names["conv2d"] = 3;
  route.rules.push_back({"attention", false, "no attention", {}});
  return route;
}

class RouterCache : public testing::Test {
 protected:
  os::TempDir folder_ = *os::TempDir::create();
  std::string path_ = folder_.file(".fuse/router_cache.json");
  void write(const std::string& text) {
    ASSERT_TRUE(os::make_dirs(folder_.file(".fuse")));
    ASSERT_TRUE(os::write_file_atomic(path_, text));
  }
  std::string text() { return *os::read_file(path_); }
};

TEST_F(RouterCache, RemembersAndFindsAgain) {
  EXPECT_FALSE(look_up(path_, key_of("a")).value().has_value());
  ASSERT_TRUE(remember(path_, key_of("a"), route_of("first")));
  ASSERT_TRUE(remember(path_, key_of("b"), route_of("second")));
  EXPECT_EQ(look_up(path_, key_of("a")).value(), route_of("first"));
  EXPECT_EQ(look_up(path_, key_of("b")).value(), route_of("second"));
  EXPECT_FALSE(look_up(path_, key_of("c")).value().has_value());
}

TEST_F(RouterCache, LookingUpWritesNothing) {
  ASSERT_TRUE(look_up(path_, key_of("a")));
  EXPECT_FALSE(os::exists(folder_.file(".fuse")));
}

TEST_F(RouterCache, TheNewerAnswerReplacesTheOlder) {
  ASSERT_TRUE(remember(path_, key_of("a"), route_of("old")));
  ASSERT_TRUE(remember(path_, key_of("a"), route_of("new")));
  EXPECT_EQ(look_up(path_, key_of("a")).value()->rationale, "new");
  EXPECT_EQ(parse_cache(text(), path_)->size(), 1U);
}

TEST_F(RouterCache, KeepsABoundedNumberOldestOut) {
  std::vector<CacheEntry> entries;
  for (std::size_t i = 0; i < kMaxCacheEntries; ++i) entries.push_back({key_of(std::to_string(i)), route_of("x")});
  write(cache_text(entries));
  ASSERT_TRUE(remember(path_, key_of("more"), route_of("y")));
  const Result<std::vector<CacheEntry>> kept = parse_cache(text(), path_);
  EXPECT_EQ(kept->size(), kMaxCacheEntries);
  EXPECT_EQ(kept->front().key, key_of("1"));
  EXPECT_EQ(kept->back().key, key_of("more"));
}

TEST_F(RouterCache, KeepsFieldsOfRoutesThatItDoesNotKnow) {
  model::Route route = route_of("x");
  route.unknown["later"] = "[1,2]";
  ASSERT_TRUE(remember(path_, key_of("a"), route));
  ASSERT_TRUE(remember(path_, key_of("b"), route_of("y")));
  EXPECT_EQ(look_up(path_, key_of("a")).value(), route);
}

TEST_F(RouterCache, EveryPartOfTheQuestionCounts) {
  const CacheQuestion one{"text", "Model", "cuda", "train", "1.0.0"};
  std::vector<CacheQuestion> others(7, one);
  others[0].problem_text = "text ";
  others[1].object = "Other";
  others[2].platform = "xpu";
  others[3].mode = "eval";
  others[4].version = "1.0.1";
  others[5] = {"textM", "odel", "cuda", "train", "1.0.0"};  // the same letters in a row
  others[6] = {"", "textModel", "cuda", "train", "1.0.0"};
  EXPECT_EQ(cache_key(one).size(), 64U);
  for (const CacheQuestion& other : others) EXPECT_NE(cache_key(other), cache_key(one));
}

TEST_F(RouterCache, DamageIsOneSentenceAndLeavesTheFile) {
  const std::string good = cache_text({{key_of("a"), route_of("x")}});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return bad;
  };
  struct Case {
    std::string text, says;
  };
  const std::vector<Case> cases = {
      {"", "text"},
      {good.substr(0, good.size() / 2), "text"},
      {"[]", "object"},
      {"{}", "missing field \"schema\""},
      {with("\"schema\": 1\n}", "\"schema\": 2\n}"), "its schema 2 is newer than 1"},
      {with("\"schema\": 1\n}", "\"schema\": \"1\"\n}"), "schema"},
      {with("\"schema\": 1\n}", "\"schema\": 0\n}"), "schema 0 does not exist"},
      {R"({"schema": 1, "entries": {}})", "entries"},
      {R"({"schema": 1, "entries": [7]})", "entry 0"},
      {with(key_of("a"), "../../x"), "SHA-256"},
      {with("0.75", "\"high\""), "confidence"},
      {with("fuser", "bema"), "unknown strategy \"bema\""},
      {std::string(300, '['), "text"},
      {"\xff\xfe", "text"},
  };
  for (const Case& row : cases) {
    write(row.text);
    const auto found = look_up(path_, key_of("a"));
    const Status kept = remember(path_, key_of("b"), route_of("y"));
    for (const Error* error : {found ? nullptr : &found.error(), kept ? nullptr : &kept.error()}) {
      ASSERT_NE(error, nullptr) << row.text;
      EXPECT_EQ(error->kind, ErrorKind::invalid_input);
      EXPECT_EQ(exit_code(*error), 2);
      EXPECT_THAT(error->message, HasSubstr(row.says)) << row.text;
      EXPECT_THAT(error->message, HasSubstr(path_));
      EXPECT_THAT(error->message, HasSubstr("--no-router-cache"));
      EXPECT_EQ(error->message.find('\n'), std::string::npos) << error->message;
    }
    EXPECT_EQ(text(), row.text);
  }
}

TEST_F(RouterCache, AFolderInItsPlaceIsOneSentence) {
  ASSERT_TRUE(os::make_dirs(path_));
  EXPECT_THAT(look_up(path_, key_of("a")).error().message, HasSubstr("--no-router-cache"));
  const Status kept = remember(path_, key_of("a"), route_of("x"));
  EXPECT_EQ(kept.error().kind, ErrorKind::invalid_input);
}

TEST_F(RouterCache, AFailedWriteKeepsWhatWasThere) {
  ASSERT_TRUE(remember(path_, key_of("a"), route_of("x")));
  const std::string before = text();
  struct Stop {};
  for (const char* point : {"atomic.open", "atomic.half", "atomic.fsync"}) {
    os::set_write_fault([&](std::string_view at) {
      if (at == point) throw Stop();
    });
    EXPECT_THROW(static_cast<void>(remember(path_, key_of("b"), route_of("y"))), Stop);
    os::set_write_fault({});
    EXPECT_EQ(text(), before) << point;
  }
  EXPECT_TRUE(remember(path_, key_of("b"), route_of("y"))) << "the lock was let go";
}

TEST_F(RouterCache, RunsAtOnceLoseNothing) {
  constexpr int kProcesses = 8, kEach = 10;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool good = true;
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(process) + "." + std::to_string(i);
        good = good && remember(path_, key_of(name), route_of(name));
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(parse_cache(text(), path_)->size(), static_cast<std::size_t>(kProcesses * kEach));
  EXPECT_EQ(look_up(path_, key_of("7.9")).value(), route_of("7.9"));
}

}  // namespace
}  // namespace ka::route
