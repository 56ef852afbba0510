// One HTTP call at a time, streamed, over libcurl. Only http and https, certificates always checked against the system's store, redirects
// never followed, no compression, no cookies; proxies by the usual variables. A build without libcurl answers every call with one error.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/cancel.h"

namespace ka::os {

// False in a build without libcurl: every call is then an `environment` error that says so.
bool http_available();

struct HttpHeader {
  std::string name, value;
  bool operator==(const HttpHeader&) const = default;
};

// Zero: no limit of this kind.
struct HttpLimits {
  std::chrono::milliseconds connect{15'000};      // name, connection, TLS
  std::chrono::milliseconds first_byte{600'000};  // from the start of the call to the first byte of the answer
  std::chrono::milliseconds idle{600'000};        // between two bytes of the answer
  std::chrono::milliseconds total{1'200'000};
  std::size_t header_bytes = std::size_t{64} << 10;  // of all answers of the call, those of a proxy included
  std::size_t body_bytes = std::size_t{32} << 20;
};

enum class HttpMethod { get, post };

struct HttpRequest {
  HttpMethod method = HttpMethod::get;
  std::string url;
  std::vector<HttpHeader> headers;  // a control character in one is invalid_input, and nothing is sent
  std::string body;
  HttpLimits limits;
};

struct HttpHead {
  int status = 0;
  std::vector<HttpHeader> headers;
  // Case of the name does not matter; empty when it is not there.
  std::string_view header(std::string_view name) const;
};

// An error that one of them returns ends the call and is the call's own. They may be empty.
struct HttpEvents {
  std::function<Status(const HttpHead& head)> on_head;  // once, before any data
  std::function<Status(std::string_view data)> on_data;
  std::function<Status()> on_wait;  // at least ten times a second
};

// Keeps connections that ended well for the next call. May be used from several threads; calls run side by side.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any status below 300 or from 400 on is a success of the call. Errors:
  //   invalid_input  the URL or a header cannot be sent
  //   network        no such server, connection refused or cut: another try may work
  //   timeout        one of the limits
  //   unsupported    what the server does is not accepted: redirect, compression, too much data, a certificate that cannot be checked
  //   cancelled      within 0.2 s
  Result<HttpHead> call(const HttpRequest& request, const HttpEvents& events, const CancelToken& cancel);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

// "http" or "https", a host, no user or password, no control characters or blanks. The error says what is accepted, without the URL's query.
Status check_http_url(std::string_view url);

// For messages: without control characters, without user, password and query, at most 200 bytes.
std::string shown_url(std::string_view url);

}  // namespace ka::os
