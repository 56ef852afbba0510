#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/strings.h"
#include "os/http.h"

namespace ka::os {
namespace {

constexpr std::size_t kLongestShown = 200;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), text.begin(), same_letter);
}

bool is_printable(char c) {
  return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F;
}

// What stands between the scheme and the path.
std::string_view authority(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = url.substr(begin + 3);
  return rest.substr(0, rest.find_first_of("/?#"));
}

}  // namespace

std::string_view HttpHead::header(std::string_view name) const {
  for (const HttpHeader& row : headers)
    if (row.name.size() == name.size() && begins_with(row.name, name)) return row.value;
  return {};
}

std::string shown_url(std::string_view url) {
  const std::string_view host = authority(url);
  std::string text(url.substr(0, url.find_first_of("?#")));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) text.erase(static_cast<std::size_t>(host.data() - url.data()), at + 1);
  std::replace_if(text.begin(), text.end(), [](char c) { return !is_printable(c); }, '?');
  return elide_middle(std::move(text), kLongestShown);
}

Status check_http_url(std::string_view url) {
  if (!begins_with(url, "http://") && !begins_with(url, "https://"))
    return invalid_input(fmt::format("\"{}\" is no address of a server; accepted are http:// and https://", shown_url(url)));
  if (!std::all_of(url.begin(), url.end(), is_printable))
    return invalid_input(fmt::format("the address \"{}\" has a blank, a control character or a letter outside ASCII in it", shown_url(url)));
  const std::string_view host = authority(url);
  if (host.find('@') != std::string_view::npos)
    return invalid_input(fmt::format("the address \"{}\" has a user or a password in it; a key belongs in its own variable", shown_url(url)));
  if (host.empty() || host.front() == ':') return invalid_input(fmt::format("the address \"{}\" names no host", shown_url(url)));
  return ok();
}

}  // namespace ka::os
