// Writing HTML with texts that nobody trusts. Markup must be a literal of the program (the compiler sees to
// it); everything else goes through text(), which escapes, or through numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ka::report {

// A text that is known when the program is compiled.
struct Literal {
  consteval Literal(const char* markup) : text(markup) {}
  std::string_view text;
};

class Html {
 public:
  Html& raw(Literal markup) {
    out_ += markup.text;
    return *this;
  }
  // Escaped for text and for quoted attributes alike.
  Html& text(std::string_view untrusted);
  Html& number(std::size_t value);
  // Two digits after the point; nothing that is no number gets through.
  Html& number(double value);
  // <td>text</td>
  Html& tag(Literal open, std::string_view untrusted, Literal close) {
    return raw(open).text(untrusted).raw(close);
  }
  Html& add(const Html& piece) {
    out_ += piece.out_;
    return *this;
  }
  std::size_t size() const { return out_.size(); }
  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

}  // namespace ka::report
