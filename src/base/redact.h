// Keeps secrets out of everything that is written or shown.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ka {

// Replaces registered values, and texts that look like keys ("sk-...", "ghp_...", "hf_...", "AKIA...",
// "Bearer ..."), by "[redacted]". May be used from several threads.
class Redactor {
 public:
  // Values shorter than 6 bytes are ignored: they would blank out ordinary words.
  void add_secret(std::string value);
  std::string redact(std::string_view text) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> secrets_;  // longest first, so that no rest of a longer one stays visible
};

}  // namespace ka
