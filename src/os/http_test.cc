#include "os/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "os/unique_fd.h"

namespace ka::os {
namespace {

using std::chrono::milliseconds;

// On loopback: reads a request up to its body, writes these bytes, then closes the connection, or keeps it open for the next request.
class RawServer {
 public:
  explicit RawServer(std::string answer, bool keep = false) : answer_(std::move(answer)), keep_(keep), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    ::listen(listener_.get(), 16);
    url = fmt::format("http://127.0.0.1:{}/x", ntohs(address.sin_port));
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

  std::string url;
  std::atomic<int> connections{0};
  std::atomic<int> requests{0};

 private:
  void serve(const std::stop_token& stop) {
    std::vector<UniqueFd> held;
    while (!stop.stop_requested()) {
      std::vector<pollfd> polled = {{listener_.get(), POLLIN, 0}};
      for (const UniqueFd& fd : held) polled.push_back({fd.get(), POLLIN, 0});
      if (::poll(polled.data(), polled.size(), 10) <= 0) continue;
      for (std::size_t i = 1; i < polled.size(); ++i)
        if (polled[i].revents != 0 && !answer_one(held[i - 1].get())) held[i - 1].reset();
      std::erase_if(held, [](const UniqueFd& fd) { return !fd.valid(); });
      if ((polled[0].revents & POLLIN) == 0) continue;
      ++connections;
      held.emplace_back(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
  }

  bool answer_one(int fd) {
    std::string text;
    char buffer[4096];
    while (text.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) return false;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    ++requests;
    for (std::string_view left = answer_; !left.empty();) {
      const ssize_t sent = ::send(fd, left.data(), left.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
    return keep_;
  }

  std::string answer_;
  bool keep_;
  UniqueFd listener_;
  std::jthread thread_;
};

struct Got {
  Result<HttpHead> head = internal_error("not called");
  std::string body;
};

Got get(const std::string& url, const HttpLimits& limits = {}, const CancelToken& cancel = {}) {
  HttpClient client;
  HttpRequest request;
  request.url = url;
  request.limits = limits;
  Got got;
  got.head = client.call(request, {{}, [&](std::string_view data) { got.body += data; return ok(); }, {}}, cancel);
  return got;
}

const std::string kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Note:  two words \r\n\r\nhello";

class Http : public testing::Test {
  void SetUp() override {
    if (!http_available()) GTEST_SKIP() << "this build has no HTTP client";
    ::setenv("no_proxy", "127.0.0.1", 1);
  }
};

struct AnswerCase {
  const char* name;
  std::string answer;
  int status;  // 0: an error
  ErrorKind kind;
  const char* words;  // of the body, or of the error
};

TEST_F(Http, AnswersAndWhatIsNotAccepted) {
  const AnswerCase rows[] = {
      {"plain", kHello, 200, {}, "hello"},
      {"chunked with a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Late: 1\r\n\r\n", 200, {}, "hello"},
      {"until the end", "HTTP/1.1 200 OK\r\n\r\nhello", 200, {}, "hello"},
      {"interim answer", "HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\n" + kHello, 200, {}, "hello"},
      {"status 404", "HTTP/1.1 404 No\r\nContent-Length: 5\r\n\r\nhello", 404, {}, "hello"},
      {"identity", "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", 200, {}, "hello"},
      {"nothing", "", 0, ErrorKind::network, "Empty reply"},
      {"cut", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", 0, ErrorKind::network, "transfer closed"},
      {"cut chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nhe", 0, ErrorKind::network, ""},
      {"redirect", "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", 0, ErrorKind::unsupported,
          "redirects to \"file:///etc/passwd\"; redirects are not followed"},
      {"not modified", "HTTP/1.1 304 Not Modified\r\n\r\n", 0, ErrorKind::unsupported, "redirects are not followed"},
      {"gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", 0, ErrorKind::unsupported, "compressed"},
      {"gzip as transfer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 0, ErrorKind::unsupported, "coded as"},
      {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", 0, ErrorKind::unsupported, "does not answer in HTTP"},
      {"control character", "HTTP/1.1 200 OK\r\nX: a\x01" "b\r\n\r\nhello", 0, ErrorKind::unsupported, "header that is none"},
  };
  for (const AnswerCase& row : rows) {
    RawServer server(row.answer);
    const Got got = get(server.url);
    ASSERT_EQ(static_cast<bool>(got.head), row.status != 0) << row.name << (got.head ? "" : ": " + got.head.error().message);
    if (got.head) {
      EXPECT_EQ(got.head->status, row.status) << row.name;
      EXPECT_EQ(got.body, row.words) << row.name;
    } else {
      EXPECT_EQ(got.head.error().kind, row.kind) << row.name << ": " << got.head.error().message;
      EXPECT_NE(got.head.error().message.find(row.words), std::string::npos) << row.name << ": " << got.head.error().message;
    }
  }
}

TEST_F(Http, HeadersAreFoundWhateverTheirCase) {
  RawServer server(kHello);
  const Got got = get(server.url);
  ASSERT_TRUE(got.head);
  EXPECT_EQ(got.head->header("x-note"), "two words");
  EXPECT_EQ(got.head->header("x-not"), "");
}

TEST_F(Http, Limits) {
  struct Case {
    const char* name;
    std::string answer;
    HttpLimits limits;
    ErrorKind kind;
    const char* words;
  };
  HttpLimits first, idle, total, headers, body;
  first.first_byte = milliseconds(100);
  idle.idle = milliseconds(100);
  total.total = milliseconds(100);
  headers.total = body.total = milliseconds(5000);  // a limit that does not hold is a failure, not a test without an end
  headers.header_bytes = 1000;
  body.body_bytes = 1000;
  const Case rows[] = {
      {"first byte", "", first, ErrorKind::timeout, "sent nothing within 0.1 s"},
      {"idle", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", idle, ErrorKind::timeout, "sent nothing more within 0.1 s"},
      {"total", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", total, ErrorKind::timeout, "did not finish its answer within 0.1 s"},
      {"headers", "HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x') + "\r\n\r\n", headers, ErrorKind::unsupported, "more than 1000 bytes of headers"},
      {"interim headers", [] { std::string text; for (int i = 0; i < 100; ++i) text += "HTTP/1.1 103 Hint\r\nX: y\r\n\r\n"; return text; }(), headers, ErrorKind::unsupported,
          "more than 1000 bytes of headers"},
      {"body", "HTTP/1.1 200 OK\r\n\r\n" + std::string(2000, 'x'), body, ErrorKind::unsupported, "more than 1000 bytes, and was cut off"},
  };
  for (const Case& row : rows) {
    RawServer server(row.answer, true);
    const TimePoint start = std::chrono::steady_clock::now();
    const Got got = get(server.url, row.limits);
    ASSERT_FALSE(got.head) << row.name;
    EXPECT_EQ(got.head.error().kind, row.kind) << row.name << ": " << got.head.error().message;
    EXPECT_NE(got.head.error().message.find(row.words), std::string::npos) << row.name << ": " << got.head.error().message;
    EXPECT_LT(seconds_since(start), 5) << row.name;
  }
}

TEST_F(Http, AConnectionIsUsedAgain) {
  RawServer server(kHello, true);
  HttpClient client;
  HttpRequest request;
  request.url = server.url;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.call(request, {}, {}));
  EXPECT_EQ(server.connections, 1);
  EXPECT_EQ(server.requests, 3);
}

TEST_F(Http, AnErrorOfTheCallerEndsTheCall) {
  RawServer server(kHello, true);
  HttpClient client;
  HttpRequest request;
  request.url = server.url;
  const auto fail = [] { return Status(timeout_error("enough")); };
  const HttpEvents rows[] = {{[&](const HttpHead&) { return fail(); }, {}, {}}, {{}, [&](std::string_view) { return fail(); }, {}}, {{}, {}, fail}};
  for (const HttpEvents& events : rows) {
    const Result<HttpHead> head = client.call(request, events, {});
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().message, "enough");
  }
}

TEST_F(Http, CancelledWhileItWaits) {
  RawServer server("", true);
  CancelSource source;
  TimePoint at;
  std::jthread later([&] {
    while (server.requests == 0) std::this_thread::yield();
    at = std::chrono::steady_clock::now();
    source.cancel();
  });
  const Got got = get(server.url, {}, source.token());
  const TimePoint end = std::chrono::steady_clock::now();
  later.join();
  ASSERT_FALSE(got.head);
  EXPECT_EQ(got.head.error().kind, ErrorKind::cancelled);
  EXPECT_LT(std::chrono::duration<double>(end - at).count(), 0.2);
}

TEST_F(Http, NothingIsSentThatCannotBe) {
  RawServer server(kHello);
  struct Case {
    HttpHeader header;
    const char* words;
  };
  for (const Case& row : {Case{{"X-Key", "a\r\nX-Evil: 1"}, "the header X-Key has a control character"}, Case{{"X-Key", std::string("a\0b", 3)}, "control character"},
                          Case{{"X: y", "a"}, "the name of a header"}, Case{{"", "a"}, "the name of a header"}, Case{{"X\n", "a"}, "the name of a header"}}) {
    HttpClient client;
    HttpRequest request;
    request.url = server.url;
    request.headers = {row.header};
    const Result<HttpHead> head = client.call(request, {}, {});
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(head.error().message.find(row.words), std::string::npos) << head.error().message;
  }
  EXPECT_EQ(server.requests, 0);
}

TEST(HttpUrl, WhatIsAccepted) {
  struct Case {
    const char* url;
    const char* words;  // of the error; empty: accepted
  };
  const Case rows[] = {
      {"http://127.0.0.1:80/v1", ""}, {"HTTPS://host", ""}, {"http://[::1]:8000/x?y#z", ""}, {"http://host/a@b", ""}, {"", "http:// and https://"}, {"file:///etc/passwd",
          "http:// and https://"},
      {"gopher://host", "http:// and https://"}, {"host:80", "http:// and https://"}, {"http:/host", "http:// and https://"}, {"http://", "names no host"}, {"http:///x",
          "names no host"},
      {"http://:80", "names no host"}, {"http://user:word@host", "a user or a password"}, {"http://ho st", "a blank"}, {"http://host/\r\nX: y", "control character"},
          {"http://h\xC3\xB6st", "outside ASCII"},
  };
  for (const Case& row : rows) {
    const Status status = check_http_url(row.url);
    if (*row.words == '\0') {
      EXPECT_TRUE(status) << row.url;
    } else {
      ASSERT_FALSE(status) << row.url;
      EXPECT_NE(status.error().message.find(row.words), std::string::npos) << status.error().message;
      EXPECT_EQ(status.error().message.find("word@"), std::string::npos);
    }
  }
}

TEST(HttpUrl, ShownWithoutSecrets) {
  EXPECT_EQ(shown_url("https://user:word@host/path?key=1#x"), "https://host/path");
  EXPECT_EQ(shown_url("http://host/\x1b[31m"), "http://host/?[31m");
  EXPECT_LE(shown_url("http://host/" + std::string(1000, 'x')).size(), 200U);
}

}  // namespace
}  // namespace ka::os
