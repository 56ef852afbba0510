#include "base/redact.h"

#include <algorithm>
#include <array>

namespace ka {
namespace {

constexpr std::string_view kRedacted = "[redacted]";
constexpr std::size_t kShortestSecret = 6;

// A key starts with a prefix that its issuer made recognisable and goes on with at least so many key
// characters.
struct KeyShape {
  std::string_view prefix;
  std::size_t min_rest;
};
constexpr std::array kKeyShapes = {
    KeyShape{"AIza", 30}, KeyShape{"AKIA", 16},  KeyShape{"Bearer ", 8}, KeyShape{"bearer ", 8},
    KeyShape{"ghp_", 20}, KeyShape{"gho_", 20},  KeyShape{"ghs_", 20},   KeyShape{"github_pat_", 20},
    KeyShape{"hf_", 20},  KeyShape{"nvapi-", 8}, KeyShape{"sk-", 8},     KeyShape{"xoxb-", 8},
    KeyShape{"xoxp-", 8},
};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_key_character(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
}

// Length of the key that starts here; 0 when none does.
std::size_t key_length(std::string_view text) {
  for (const KeyShape& shape : kKeyShapes) {
    if (!text.starts_with(shape.prefix)) continue;
    std::size_t end = shape.prefix.size();
    while (end < text.size() && is_key_character(text[end])) ++end;
    if (end - shape.prefix.size() >= shape.min_rest) return end;
  }
  return 0;
}

std::string redact_shapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    // Inside a word it is no key: "task-scheduler" holds "sk-scheduler".
    const bool word_start = at == 0 || !is_letter_or_digit(text[at - 1]);
    const std::size_t length = word_start ? key_length(text.substr(at)) : 0;
    if (length > 0) {
      out += kRedacted;
      at += length;
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace

void Redactor::add_secret(std::string value) {
  if (value.size() < kShortestSecret) return;
  const std::lock_guard lock(mutex_);
  if (std::find(secrets_.begin(), secrets_.end(), value) != secrets_.end()) return;
  const auto shorter = [&](const std::string& other) { return other.size() < value.size(); };
  const auto place = std::find_if(secrets_.begin(), secrets_.end(), shorter);
  secrets_.insert(place, std::move(value));
}

std::string Redactor::redact(std::string_view text) const {
  std::string out(text);
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& secret : secrets_) {
      for (std::size_t at = out.find(secret); at != std::string::npos; at = out.find(secret, at)) {
        out.replace(at, secret.size(), kRedacted);
        at += kRedacted.size();
      }
    }
  }
  return redact_shapes(out);
}

}  // namespace ka
