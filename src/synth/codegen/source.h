// Writes Python text line by line. Names are unique within one writer and the same in every run.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ka::codegen {

class Source {
 public:
  Source();
  void line(std::string_view text);  // an empty text is an empty line
  void indent() { ++depth_; }
  void dedent() { --depth_; }
  int depth() const { return depth_; }

  // A place to come back to: lines written there push what follows down.
  int mark();
  void line_at(int mark, std::string_view text);

  // `wish`, or wish_1, wish_2, ... when that is taken.
  std::string unique(const std::string& wish);
  void reserve(const std::string& name) { taken_.insert(name); }

  const std::string& text() const { return text_; }

 private:
  struct Mark {
    std::size_t at = 0;
    int depth = 0;
  };

  std::string text_;
  int depth_ = 0;
  std::vector<Mark> marks_;
  std::set<std::string> taken_;
};

}  // namespace ka::codegen
