#include "synth/llm/attempt.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ka::llm {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxErrorBytes = std::size_t{64} << 10;  // of a body that explains a refusal
constexpr int kFirstErrorStatus = 400;

class OneCall {
 public:
  OneCall(const Wire& wire, const ChatRequest& request, const ChatTimes& times, const OnText& on_text)
      : times_(times), reader_(wire.reader(request.samples, on_text)), start_(std::chrono::steady_clock::now()), last_(start_) {}

  os::HttpEvents events() {
    return {[this](const os::HttpHead& head) {
              status_ = head.status;
              head_ = head;
              return ok();
            },
            [this](std::string_view data) { return take(data); }, [this] { return check_time(); }};
  }

  Attempt end(const Result<os::HttpHead>& called, const Server& server) {
    Attempt out;
    if (status_ >= kFirstErrorStatus) {
      out.failure = failure_of(head_, error_body_, server, std::chrono::system_clock::now());
      if (!called && called.error().kind == ErrorKind::cancelled) out.failure = failure_of(called.error(), server);
      return out;
    }
    const Status ended = called ? reader_->finish() : Status(called.error());
    out.reply = reader_->reply();
    out.begun = reader_->begun();
    if (!ended) out.failure = failure_of(ended.error(), server);
    return out;
  }

 private:
  Status take(std::string_view data) {
    last_ = std::chrono::steady_clock::now();
    if (status_ < kFirstErrorStatus) return reader_->feed(data);
    error_body_ += data.substr(0, kMaxErrorBytes - error_body_.size());
    return error_body_.size() < kMaxErrorBytes ? ok() : unsupported("an error has too long a text");
  }

  Status check_time() const {
    const os::TimePoint now = std::chrono::steady_clock::now();
    if (!reader_->begun() && now - start_ > times_.first_text)
      return timeout_error(fmt::format("no text came within {:g} s", static_cast<double>(times_.first_text.count()) / 1000));
    if (reader_->begun() && now - last_ > times_.idle)
      return timeout_error(fmt::format("the stream stalled: nothing came for {:g} s", static_cast<double>(times_.idle.count()) / 1000));
    return ok();
  }

  const ChatTimes& times_;
  std::unique_ptr<ReplyReader> reader_;
  os::TimePoint start_, last_;
  int status_ = 0;
  os::HttpHead head_;
  std::string error_body_;
};

}  // namespace

Attempt ask_once(os::HttpClient& http, const Wire& wire, const Server& server, const Model& model, const ChatRequest& request, const ChatTimes& times, os::Deadline deadline,
                 const os::CancelToken& cancel, const OnText& on_text) {
  WireRequest written = wire.request(request, model, server);
  os::HttpRequest call;
  call.method = os::HttpMethod::post;
  call.url = server.base_url + written.path;
  call.headers = std::move(written.headers);
  call.body = std::move(written.body);
  call.limits.connect = times.connect;
  call.limits.first_byte = times.first_text;
  call.limits.idle = std::max(times.first_text, times.idle);
  call.limits.total = milliseconds(deadline.is_never() ? 0 : std::max(deadline.remaining_ms(), 1));
  OneCall one(wire, request, times, on_text);
  const os::HttpEvents events = one.events();
  return one.end(http.call(call, events, cancel), server);
}

}  // namespace ka::llm
