// Each call runs on a multi handle of its own, which waits for its connection, for the cancel token and for the next limit in one poll. A
// multi handle whose call ended well goes back to the pool with its open connection.
#include "os/http.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "os/environment.h"

namespace ka::os {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostIdle = 64;        // multi handles that wait for another call
constexpr long kOldestConnectionSeconds = 60;
constexpr milliseconds kWaitEvery{100};

struct EasyDelete {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiDelete {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListDelete {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyDelete>;
using Multi = std::unique_ptr<CURLM, MultiDelete>;
using List = std::unique_ptr<curl_slist, ListDelete>;

bool start_library() {
  static const bool good = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return good;
}

Error network_error(std::string message) { return Error{ErrorKind::network, std::move(message)}; }

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; });
}

// The state of one call, and what libcurl calls while it runs.
class Call {
 public:
  Call(const HttpRequest& request, const HttpEvents& events, const CancelToken& cancel)
      : request_(request), events_(events), cancel_(cancel), start_(std::chrono::steady_clock::now()), last_(start_) {}

  Status prepare() {
    KA_TRY(check_http_url(request_.url));
    easy_.reset(curl_easy_init());
    if (!easy_) return internal_error("libcurl cannot make a handle");
    KA_TRY(set_headers());
    set_policy();
    set_limits();
    set_body();
    return ok();
  }

  Result<HttpHead> run(CURLM* multi) {
    if (curl_multi_add_handle(multi, easy_.get()) != CURLM_OK) return internal_error("libcurl cannot start a call");
    Status ended = loop(multi);
    curl_multi_remove_handle(multi, easy_.get());
    if (!ended) return ended.error();
    if (!head_done_) return network_error(fmt::format("{} closed the connection without an answer", shown_url(request_.url)));
    return std::move(head_);
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(easy_.get(), option, value);
  }

  Status set_headers() {
    std::vector<std::string> lines = {"Expect:", "Accept-Encoding: identity"};
    for (const HttpHeader& header : request_.headers) {
      if (header.name.empty() || has_control(header.name) || header.name.find_first_of(": \t") != std::string::npos)
        return invalid_input("the name of a header is empty, or has a colon, a blank or a control character in it");
      if (has_control(header.value)) return invalid_input(fmt::format("the header {} has a control character in its value", header.name));
      lines.push_back(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
    }
    for (const std::string& line : lines) {
      curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
      if (longer == nullptr) return internal_error("libcurl cannot keep a header");
      static_cast<void>(headers_.release());
      headers_.reset(longer);
    }
    set(CURLOPT_HTTPHEADER, headers_.get());
    return ok();
  }

  void set_policy() {
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    // OpenSSL's own variable for another store of certificates, which libcurl does not read.
    if (const std::optional<std::string> store = get_env("SSL_CERT_FILE"); store && !store->empty()) set(CURLOPT_CAINFO, store->c_str());
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_HTTP09_ALLOWED, 0L);
    set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_NOPROGRESS, 1L);
    set(CURLOPT_TCP_NODELAY, 1L);
    set(CURLOPT_MAXAGE_CONN, kOldestConnectionSeconds);
    set(CURLOPT_USERAGENT, "kernelagent/" KA_VERSION);
    set(CURLOPT_ERRORBUFFER, message_.data());
#if LIBCURL_VERSION_NUM >= 0x075700
    set(CURLOPT_QUICK_EXIT, 1L);  // or a cancelled call waits for the name server
#endif
    set(CURLOPT_OPENSOCKETFUNCTION, &Call::open_socket);
    set(CURLOPT_HEADERFUNCTION, &Call::take_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Call::take_data);
    set(CURLOPT_WRITEDATA, this);
  }

  void set_limits() { set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(request_.limits.connect.count(), 1))); }

  void set_body() {
    if (request_.method == HttpMethod::get) return;
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(CURLOPT_POSTFIELDS, request_.body.data());
  }

  // The next limit of ours, and what to say when it has passed.
  struct Limit {
    TimePoint at;
    const char* what;
    milliseconds length;
  };
  Limit next_limit() const {
    Limit next{TimePoint::max(), "", {}};
    const auto consider = [&](TimePoint from, milliseconds length, const char* what) {
      if (length.count() > 0 && from + length < next.at) next = {from + length, what, length};
    };
    consider(start_, request_.limits.total, "did not finish its answer");
    if (!answered_) consider(start_, request_.limits.first_byte, "sent nothing");
    if (answered_) consider(last_, request_.limits.idle, "sent nothing more");
    return next;
  }

  Status loop(CURLM* multi) {
    while (true) {
      if (cancel_.cancelled()) return cancelled_error("the call was cancelled");
      int running = 0;
      if (curl_multi_perform(multi, &running) != CURLM_OK) return internal_error("libcurl cannot go on with a call");
      if (!failed_) return failed_.error();
      if (running == 0) return outcome(multi);
      const Limit limit = next_limit();
      const TimePoint now = std::chrono::steady_clock::now();
      if (now >= limit.at) return timeout_error(fmt::format("{} {} within {:g} s", shown_url(request_.url), limit.what, static_cast<double>(limit.length.count()) / 1000));
      if (events_.on_wait) KA_TRY(events_.on_wait());
      const auto left = std::chrono::ceil<milliseconds>(limit.at - now);
      curl_waitfd extra{cancel_.fd(), CURL_WAIT_POLLIN, 0};
      curl_multi_poll(multi, &extra, extra.fd >= 0 ? 1 : 0, static_cast<int>(std::min(left, kWaitEvery).count()), nullptr);
    }
  }

  Status outcome(CURLM* multi) {
    int left = 0;
    const CURLMsg* message = curl_multi_info_read(multi, &left);
    if (message == nullptr) return internal_error("libcurl lost a call");
    return message->data.result == CURLE_OK ? ok() : Status(failure(message->data.result));
  }

  Error failure(CURLcode code) const {
    const std::string where = shown_url(request_.url);
    std::string why = message_[0] != '\0' ? std::string(message_.data()) : curl_easy_strerror(code);
    std::replace_if(why.begin(), why.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT: return timeout_error(fmt::format("no connection to {} within {:g} s", where, static_cast<double>(request_.limits.connect.count()) / 1000));
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_ISSUER_ERROR: return unsupported(fmt::format("the certificate of {} cannot be checked: {}", where, why));
      case CURLE_URL_MALFORMAT: return invalid_input(fmt::format("\"{}\" is no address of a server: {}", where, why));
      case CURLE_UNSUPPORTED_PROTOCOL:  // HTTP/0.9
      case CURLE_WEIRD_SERVER_REPLY:
      case CURLE_BAD_CONTENT_ENCODING:
      case CURLE_OUT_OF_MEMORY: return unsupported(fmt::format("{} does not answer in HTTP: {}", where, why));
      default: return network_error(fmt::format("{}: {}", where, why));
    }
  }

  // Children must not inherit a connection that carries a key; libcurl's own sockets are open to them.
  static curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) { return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol); }
  static std::size_t take_header(char* text, std::size_t, std::size_t length, void* self) {
    return static_cast<Call*>(self)->on_header({text, length}) ? length : 0;
  }
  static std::size_t take_data(char* text, std::size_t, std::size_t length, void* self) {
    return static_cast<Call*>(self)->on_data({text, length}) ? length : 0;
  }

  bool keep(Status status) {
    if (!status) failed_ = std::move(status);
    return static_cast<bool>(failed_);
  }

  void heard() {
    answered_ = true;
    last_ = std::chrono::steady_clock::now();
  }

  bool on_header(std::string_view line) {
    heard();
    header_bytes_ += line.size();
    if (header_bytes_ > request_.limits.header_bytes)
      return keep(unsupported(fmt::format("{} sent more than {} bytes of headers", shown_url(request_.url), request_.limits.header_bytes)));
    if (line.starts_with("HTTP/")) {
      head_ = {};
      return true;
    }
    const std::string text = trim(line);
    if (!text.empty()) return keep(add_header(text));
    long status = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    head_.status = static_cast<int>(status);
    if (status < 200 || head_done_) return true;  // an interim answer, or trailers
    head_done_ = true;
    return keep(accept_head());
  }

  Status add_header(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || has_control(text)) return unsupported(fmt::format("{} sent a header that is none", shown_url(request_.url)));
    if (!head_done_) head_.headers.push_back({text.substr(0, colon), trim(std::string_view(text).substr(colon + 1))});
    return ok();
  }

  Status accept_head() {
    const std::string where = shown_url(request_.url);
    if (head_.status >= 300 && head_.status < 400)
      return unsupported(fmt::format("{} redirects to \"{}\"; redirects are not followed, set the address that it should be", where, shown_url(head_.header("location"))));
    const std::string_view coding = head_.header("content-encoding"), transfer = head_.header("transfer-encoding");
    if (!coding.empty() && coding != "identity") return unsupported(fmt::format("{} sent a compressed answer, which nobody asked for", where));
    if (!transfer.empty() && transfer != "chunked" && transfer != "identity")
      return unsupported(fmt::format("{} sent an answer coded as \"{}\"; chunked is accepted", where, elide_middle(std::string(transfer), 40)));
    return events_.on_head ? events_.on_head(head_) : ok();
  }

  bool on_data(std::string_view data) {
    heard();
    body_bytes_ += data.size();
    if (body_bytes_ > request_.limits.body_bytes)
      return keep(unsupported(fmt::format("{} sent more than {} bytes, and was cut off", shown_url(request_.url), request_.limits.body_bytes)));
    return keep(events_.on_data ? events_.on_data(data) : ok());
  }

  const HttpRequest& request_;
  const HttpEvents& events_;
  const CancelToken& cancel_;
  const TimePoint start_;
  TimePoint last_;
  Easy easy_;
  List headers_;
  std::array<char, CURL_ERROR_SIZE> message_{};
  HttpHead head_;
  Status failed_ = ok();  // of a callback
  bool answered_ = false, head_done_ = false;
  std::size_t header_bytes_ = 0, body_bytes_ = 0;
};

}  // namespace

bool http_available() {
  return true;
}

struct HttpClient::Pool {
  std::mutex mutex;  // guards idle
  std::vector<Multi> idle;

  Multi take() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return Multi(curl_multi_init());
    Multi last = std::move(idle.back());
    idle.pop_back();
    return last;
  }
  void give_back(Multi multi) {
    const std::lock_guard lock(mutex);
    if (idle.size() < kMostIdle) idle.push_back(std::move(multi));
  }
};

HttpClient::HttpClient() : pool_(std::make_unique<Pool>()) {}
HttpClient::~HttpClient() = default;

Result<HttpHead> HttpClient::call(const HttpRequest& request, const HttpEvents& events, const CancelToken& cancel) {
  if (!start_library()) return environment_error("libcurl cannot be started");
  Call call(request, events, cancel);
  KA_TRY(call.prepare());
  Multi multi = pool_->take();
  if (!multi) return internal_error("libcurl cannot make a handle");
  Result<HttpHead> head = call.run(multi.get());
  if (head) pool_->give_back(std::move(multi));
  return head;
}

}  // namespace ka::os
