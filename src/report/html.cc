#include "report/html.h"

#include <cmath>

#include <fmt/format.h>

namespace ka::report {

Html& Html::text(std::string_view untrusted) {
  for (const char c : untrusted) {
    switch (c) {
      case '&':
        out_ += "&amp;";
        break;
      case '<':
        out_ += "&lt;";
        break;
      case '>':
        out_ += "&gt;";
        break;
      case '"':
        out_ += "&quot;";
        break;
      case '\'':
        out_ += "&#39;";
        break;
      default:
        out_ += c;
    }
  }
  return *this;
}

Html& Html::number(std::size_t value) {
  out_ += std::to_string(value);
  return *this;
}

Html& Html::number(double value) {
  out_ += fmt::format("{:.2f}", std::isfinite(value) ? value : 0.0);
  return *this;
}

}  // namespace ka::report
