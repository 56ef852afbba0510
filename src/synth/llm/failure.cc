#include "synth/llm/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"

namespace ka::llm {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestWords = 300;
constexpr std::size_t kMostLookedAt = std::size_t{64} << 10;

// Types and codes of errors that providers give inside a body or a stream. The first that is named decides.
struct ErrorWord {
  std::string_view word;
  ErrorKind kind;
};
constexpr auto kErrorWords = std::to_array<ErrorWord>({
    {"insufficient_quota", ErrorKind::unsupported},
    {"billing_error", ErrorKind::unsupported},
    {"authentication_error", ErrorKind::environment},
    {"invalid_api_key", ErrorKind::environment},
    {"permission_error", ErrorKind::environment},
    {"not_found_error", ErrorKind::invalid_input},
    {"model_not_found", ErrorKind::invalid_input},
    {"context_length_exceeded", ErrorKind::invalid_input},
    {"invalid_prompt", ErrorKind::invalid_input},
    {"invalid_request_error", ErrorKind::invalid_input},
    {"request_too_large", ErrorKind::invalid_input},
});

// What a status means; the first row that holds.
struct StatusRow {
  int from, to;
  ErrorKind kind;
  bool again;
  const char* words;
};
constexpr auto kStatusRows = std::to_array<StatusRow>({
    {401, 401, ErrorKind::environment, false, "does not accept the key"},
    {402, 402, ErrorKind::network, false, "wants to be paid first"},
    {403, 403, ErrorKind::environment, false, "does not allow this with the key"},
    {404, 404, ErrorKind::invalid_input, false, "knows no such model or address"},
    {408, 408, ErrorKind::network, true, "ran out of time"},
    {409, 409, ErrorKind::network, true, "met a conflict"},
    {413, 413, ErrorKind::invalid_input, false, "says that the question is too long"},
    {429, 429, ErrorKind::network, true, "limits how often it is asked"},
    {400, 499, ErrorKind::invalid_input, false, "refuses the question"},
    {529, 529, ErrorKind::network, true, "is overloaded"},
    {500, 599, ErrorKind::network, true, "failed"},
    {0, 999, ErrorKind::network, false, "answered in a way that nobody expects"},
});

Error no_more(const Error& error) {
  return error.kind == ErrorKind::unsupported ? Error{ErrorKind::network, error.message} : error;
}

// The words of an error: its message, else its type or code.
std::string error_text(const Json& error) {
  if (error.is_string()) return error.get<std::string>();
  for (const char* name : {"message", "detail", "type", "code"})
    if (std::string text = text_of(error, name); !text.empty()) return text;
  return to_json_text(error);
}

std::string title_of(std::string_view page) {
  const std::size_t open = page.find("<title>");
  const std::size_t close = open == std::string_view::npos ? open : page.find("</title>", open);
  return close == std::string_view::npos ? "" : trim(page.substr(open + 7, close - open - 7));
}

std::string body_words(std::string_view body) {
  const std::string text = trim(body);
  if (text.empty()) return "it gave no reason";
  if (text.front() == '<') {
    const std::string title = title_of(text);
    return title.empty() ? "a page of HTML" : fmt::format("a page of HTML titled \"{}\"", plain_words(title));
  }
  if (const Result<Json> json = parse_json(text, "body")) {
    if (const Json* error = member(*json, "error")) return plain_words(error_text(*error));
    if (json->is_object()) return plain_words(error_text(*json));
  }
  return plain_words(text);
}

bool says_no_more(std::string_view body) {
  return body.find("insufficient_quota") != std::string_view::npos || body.find("billing_error") != std::string_view::npos;
}

bool read_number(std::string_view text, int& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size();
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<WallTime> parse_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  const auto month = std::find(months.begin(), months.end(), text.substr(8, 3));
  int day = 0, year = 0, hour = 0, minute = 0, second = 0;
  if (month == months.end() || !read_number(text.substr(5, 2), day) || !read_number(text.substr(12, 4), year) || !read_number(text.substr(17, 2), hour) ||
      !read_number(text.substr(20, 2), minute) || !read_number(text.substr(23, 2), second))
    return std::nullopt;
  return parse_utc_timestamp(fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.000Z", year, month - months.begin() + 1, day, hour, minute, second));
}

std::optional<milliseconds> parse_count(std::string_view text, double scale) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return milliseconds(std::llround(std::clamp(value * scale, 0.0, 1e9)));
}

std::optional<milliseconds> wait_asked_for(const os::HttpHead& head, WallTime now) {
  if (const auto exact = parse_count(trim(head.header("retry-after-ms")), 1)) return exact;
  return parse_retry_after(head.header("retry-after"), now);
}

}  // namespace

std::string plain_words(std::string_view text) {
  const std::string some = elide_middle(std::string(text.substr(0, kMostLookedAt)), 4 * kLongestWords);
  std::string out;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto c = static_cast<unsigned char>(some[i]), next = static_cast<unsigned char>(i + 1 < some.size() ? some[i + 1] : 0);
    const bool c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;  // control characters of terminals that need no ESC
    if (c1) ++i;
    if (c > 0x20 && c != 0x7F && !c1) out += some[i];
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return elide_middle(trim(out), kLongestWords);
}

std::optional<milliseconds> parse_retry_after(std::string_view text, WallTime now) {
  const std::string value = trim(text);
  if (value.empty()) return std::nullopt;
  if (const auto seconds = parse_count(value, 1000)) return seconds;
  const std::optional<WallTime> date = parse_http_date(value);
  if (!date) return std::nullopt;
  return std::max(std::chrono::duration_cast<milliseconds>(*date - now), milliseconds(0));
}

std::optional<Error> error_in(const Json& json) {
  const Json* error = member(json, "error");
  if (error == nullptr && text_of(json, "type") == "error") error = &json;
  if (error == nullptr || error->empty() || *error == false || *error == "") return std::nullopt;
  const std::string type = text_of(*error, "type"), code = text_of(*error, "code");
  ErrorKind kind = ErrorKind::network;
  for (const ErrorWord& row : kErrorWords) {
    if (row.word != type && row.word != code) continue;
    kind = row.kind;
    break;
  }
  return Error{kind, fmt::format("the server reports an error: {}", plain_words(error_text(*error)))};
}

Failure failure_of(const os::HttpHead& head, std::string_view body, const Server& server, WallTime now) {
  const StatusRow& row = *std::find_if(kStatusRows.begin(), kStatusRows.end(), [&](const StatusRow& each) { return each.from <= head.status && head.status <= each.to; });
  const std::string key = row.kind == ErrorKind::environment && !server.key_variable.empty() ? fmt::format(" of {}", server.key_variable) : "";
  const std::string where = fmt::format("{} at {}", to_string(server.provider), os::shown_url(server.base_url));
  Failure failure{Error{row.kind, fmt::format("{} {}{} (status {}): {}", where, row.words, key, head.status, body_words(body))}, row.again && !says_no_more(body), {}};
  const std::string_view advice = head.header("x-should-retry");
  if (row.kind == ErrorKind::network && advice == "false") failure.again = false;
  if (failure.again) failure.retry_after = wait_asked_for(head, now);
  return failure;
}

Failure failure_of(const Error& error, const Server& server) {
  const bool again = error.kind == ErrorKind::network || error.kind == ErrorKind::timeout;
  const std::string name = to_string(server.provider), address = os::shown_url(server.base_url);
  const bool says_where = error.message.find(address) != std::string::npos;
  return {no_more(error.with(says_where ? name : fmt::format("{} at {}", name, address))), again, {}};
}

}  // namespace ka::llm
