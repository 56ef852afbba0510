#include "synth/llm/failure.h"

#include <gtest/gtest.h>

namespace ka::llm {
namespace {

const Server kServer{Provider::openai, "http://host/v1", "", "OPENAI_API_KEY"};

struct FailureCase {
  int status;
  std::vector<os::HttpHeader> headers;
  const char* body;
  ErrorKind kind;
  bool again;
  int after;  // milliseconds, -1: none
  const char* message;
};

TEST(Failure, OneSentenceForEachStatus) {
  const FailureCase rows[] = {
      {400, {}, R"({"error":{"message":"too  long","type":"invalid_request_error"}})", ErrorKind::invalid_input, false, -1,
          "openai at http://host/v1 refuses the question (status 400): too long"},
      {401, {}, "", ErrorKind::environment, false, -1, "openai at http://host/v1 does not accept the key of OPENAI_API_KEY (status 401): it gave no reason"},
      {403, {}, "plain words", ErrorKind::environment, false, -1, "openai at http://host/v1 does not allow this with the key of OPENAI_API_KEY (status 403): plain words"},
      {404, {}, R"({"detail":"Not Found"})", ErrorKind::invalid_input, false, -1, "openai at http://host/v1 knows no such model or address (status 404): Not Found"},
      {408, {}, "", ErrorKind::network, true, -1, "openai at http://host/v1 ran out of time (status 408): it gave no reason"},
      {422, {}, R"({"detail":[{"msg":"x"}]})", ErrorKind::invalid_input, false, -1, "openai at http://host/v1 refuses the question (status 422): {\"detail\":[{\"msg\":\"x\"}]}"},
      {429, {{"Retry-After", "3"}}, R"({"error":{"message":"slow down","type":"rate_limit"}})", ErrorKind::network, true, 3000,
          "openai at http://host/v1 limits how often it is asked (status 429): slow down"},
      {429, {{"retry-after-ms", "250"}, {"Retry-After", "3"}}, "", ErrorKind::network, true, 250,
          "openai at http://host/v1 limits how often it is asked (status 429): it gave no reason"},
      {429, {{"Retry-After", "3"}}, R"({"error":{"message":"pay","code":"insufficient_quota"}})", ErrorKind::network, false, -1,
          "openai at http://host/v1 limits how often it is asked (status 429): pay"},
      {500, {{"x-should-retry", "false"}}, "{}", ErrorKind::network, false, -1, "openai at http://host/v1 failed (status 500): {}"},
      {502, {}, "<html><head><title> Bad\nGateway </title>", ErrorKind::network, true, -1, "openai at http://host/v1 failed (status 502): a page of HTML titled \"Bad Gateway\""},
      {503, {{"Retry-After", "never"}}, "<html>", ErrorKind::network, true, -1, "openai at http://host/v1 failed (status 503): a page of HTML"},
      {529, {}, "", ErrorKind::network, true, -1, "openai at http://host/v1 is overloaded (status 529): it gave no reason"},
      {700, {}, "", ErrorKind::network, false, -1, "openai at http://host/v1 answered in a way that nobody expects (status 700): it gave no reason"},
  };
  for (const FailureCase& row : rows) {
    const Failure failure = failure_of({row.status, row.headers}, row.body, kServer, {});
    EXPECT_EQ(failure.error.message, row.message);
    EXPECT_EQ(failure.error.kind, row.kind) << row.status;
    EXPECT_EQ(failure.again, row.again) << row.status;
    EXPECT_EQ(failure.retry_after ? failure.retry_after->count() : -1, row.after) << row.status;
  }
}

TEST(Failure, OfTheConnection) {
  struct Case {
    Error error;
    ErrorKind kind;
    bool again;
    const char* message;
  };
  const Case rows[] = {
      {Error{ErrorKind::network, "http://host/v1/x: refused"}, ErrorKind::network, true, "openai: http://host/v1/x: refused"},
      {timeout_error("no text"), ErrorKind::timeout, true, "openai at http://host/v1: no text"},
      {unsupported("redirects"), ErrorKind::network, false, "openai at http://host/v1: redirects"},
      {cancelled_error("stop"), ErrorKind::cancelled, false, "openai at http://host/v1: stop"},
      {invalid_input("bad"), ErrorKind::invalid_input, false, "openai at http://host/v1: bad"},
  };
  for (const Case& row : rows) {
    const Failure failure = failure_of(row.error, kServer);
    EXPECT_EQ(failure.error.message, row.message);
    EXPECT_EQ(failure.error.kind, row.kind);
    EXPECT_EQ(failure.again, row.again);
  }
}

TEST(Failure, ForeignWordsAreOneShortLine) {
  EXPECT_EQ(plain_words(" a\r\n\tb \x1b[31mc "), "a b [31mc");
  EXPECT_LE(plain_words(std::string(100000, 'x')).size(), 300U);
  EXPECT_EQ(plain_words("a\xC2\x9B" "31m\xC2\xA7"), "a 31m\xC2\xA7");
  EXPECT_EQ(plain_words(""), "");
}

}  // namespace
}  // namespace ka::llm
