// The sections of the page that are long enough for files of their own. Internal to this folder.
#pragma once

#include <map>
#include <string>

#include "report/drawing.h"
#include "report/explain.h"
#include "report/html.h"

namespace ka::report {

extern const char* const kPageStyle;
// As far as the style sheet, which follows.
void add_page_head(Html& html, std::string_view title);

// Adds sources while there is room; the same text again is a link to where it stands.
class Sources {
 public:
  // `anchor` is the number of an element "source-N".
  void add(Html& html, const std::string& path, const std::string& text, std::size_t anchor,
           bool anchors_of_names);

 private:
  struct Place {
    std::size_t anchor = 0;
    std::string path;
  };
  std::map<std::string, Place> shown_;  // by text
  std::size_t used_ = 0;
};

void add_badge(Html& html, Mark mark, std::string_view word);
// Rule, reason, detail, precision and checks of a verdict.
void add_verdict(Html& html, const model::Verdict& verdict);
void add_part_cards(Html& html, const RunView& view, Sources& sources);
void add_kernel_cards(Html& html, const RunView& view, const Explanation& why);

}  // namespace ka::report
