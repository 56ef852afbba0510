// Texts with holes: {{name}}, {{#if name}} ... {{/if}}, {{#each list}} ... {{/each}}. Strict: a hole that nobody fills is an error with its name, file and
// line. What is put into a hole is never read again, so braces in a foreign text are just braces.
//
//   KA_ASSIGN(Template text, Template::parse("Write {{name}}.\n", "seed.md"));
//   KA_ASSIGN(std::string prompt, text.render({{"name", "a kernel"}}));
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ka::prompt {

struct Value;
using Values = std::map<std::string, Value>;

// A text, or rows of a list that {{#each}} goes through. In a row, its names come before those around it. {{#if}} takes an empty text or list for no.
struct Value {
  Value() = default;
  Value(std::string words) : text(std::move(words)) {}
  Value(const char* words) : text(words) {}
  Value(std::vector<Values> list) : rows(std::move(list)), is_list(true) {}

  std::string text;
  std::vector<Values> rows;
  bool is_list = false;
};

// A line that holds nothing but one {{#...}} or {{/...}} leaves no line behind. {{! words }} is a remark. {{{{ is two braces.
class Template {
 public:
  // Bad input: what is wrong, as "file:line: ...".
  static Result<Template> parse(std::string_view text, std::string file);

  // Every name in the text must be among the values, also in branches that are not taken.
  Result<std::string> render(const Values& values) const;

  // All names that the text uses, those of rows as "list.name".
  const std::set<std::string>& names() const { return names_; }

  struct Node;

 private:
  std::string file_;
  std::shared_ptr<const std::vector<Node>> nodes_;
  std::set<std::string> names_;
};

// Names among the values that the text has no use for; rows as "list.name". Tests expect none.
std::vector<std::string> unused_names(const Template& text, const Values& values);

}  // namespace ka::prompt
