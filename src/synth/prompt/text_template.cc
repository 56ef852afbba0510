#include "synth/prompt/text_template.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "base/strings.h"
#include "synth/prompt/reply_text.h"

namespace ka::prompt {

struct Template::Node {
  enum class Kind { text, hole, condition, loop } kind = Kind::text;
  std::string word;  // the text, or the name
  int line = 0;
  std::vector<Node> inside;
};

namespace {

using Node = Template::Node;
using Kind = Node::Kind;

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::all_of(text.begin(), text.end(), fits);
}

struct Tag {
  std::string text;  // between the braces
  int line = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<std::vector<Node>> parse() {
    std::vector<Node> nodes;
    KA_TRY(sequence(nodes, {}, 0, 0));
    return nodes;
  }

 private:
  Error error(int line, const std::string& what) const { return invalid_input(fmt::format("{}:{}: {}", file_, line, what)); }

  void add_text(std::vector<Node>& nodes, std::string_view text) {
    if (text.empty()) return;
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    if (nodes.empty() || nodes.back().kind != Kind::text) nodes.push_back({Kind::text, {}, line_, {}});
    nodes.back().word.append(text);
  }

  // From {{ to }}: its words. A tag that has its line for itself takes the line with it.
  Result<Tag> tag(std::vector<Node>& nodes, std::size_t open) {
    const std::size_t close = text_.find("}}", open);
    const std::size_t line_end = std::min(text_.find('\n', open), text_.size());
    if (close == std::string_view::npos || close > line_end) return error(line_, "{{ without }} on the same line");
    Tag tag{trim(text_.substr(open + 2, close - open - 2)), line_};
    at_ = close + 2;
    const bool is_mark = !tag.text.empty() && std::string_view("#/!").find(tag.text[0]) != std::string_view::npos;
    const std::size_t line_begin = open == 0 ? 0 : text_.rfind('\n', open - 1) + 1;  // npos + 1 is 0
    const bool alone = trim(text_.substr(line_begin, open - line_begin)).empty() && trim(text_.substr(at_, line_end - at_)).empty();
    if (!is_mark || !alone) return tag;
    if (!nodes.empty() && nodes.back().kind == Kind::text) nodes.back().word.resize(nodes.back().word.size() - std::min(nodes.back().word.size(), open - line_begin));
    at_ = std::min(line_end + 1, text_.size());
    if (line_end < text_.size()) ++line_;
    return tag;
  }

  // Up to the end of the text, or to the tag that ends `word`.
  Status sequence(std::vector<Node>& nodes, const std::string& word, int opened, int depth) {
    constexpr int kDeepest = 8;
    if (depth > kDeepest) return error(opened, fmt::format("more than {} blocks inside one another", kDeepest));
    for (;;) {
      const std::size_t open = text_.find("{{", at_);
      add_text(nodes, text_.substr(at_, std::min(open, text_.size()) - at_));
      if (open == std::string_view::npos) {
        if (!word.empty()) return error(opened, fmt::format("{{{{#{0}}}}} without {{{{/{0}}}}}", word));
        at_ = text_.size();
        return ok();
      }
      if (text_.substr(open, 4) == "{{{{") {
        at_ = open + 4;
        add_text(nodes, "{{");
        continue;
      }
      KA_ASSIGN(const Tag found, tag(nodes, open));
      if (starts_with(found.text, "!")) continue;
      if (starts_with(found.text, "/")) {
        if (found.text.substr(1) == word) return ok();
        return error(found.line, fmt::format("{{{{{}}}}} ends nothing that is open here", excerpt(found.text)));
      }
      KA_TRY(node(nodes, found, depth));
    }
  }

  Status node(std::vector<Node>& nodes, const Tag& tag, int depth) {
    const struct {
      std::string_view mark;
      const char* word;
      Kind kind;
    } kinds[] = {{"#if ", "if", Kind::condition}, {"#each ", "each", Kind::loop}};
    for (const auto& row : kinds) {
      if (!starts_with(tag.text, row.mark)) continue;
      Node block{row.kind, trim(std::string_view(tag.text).substr(row.mark.size())), tag.line, {}};
      if (!is_name(block.word)) return error(tag.line, fmt::format("\"{}\" is no name (small letters, digits and _)", excerpt(block.word)));
      KA_TRY(sequence(block.inside, row.word, tag.line, depth + 1));
      nodes.push_back(std::move(block));
      return ok();
    }
    if (!is_name(tag.text)) return error(tag.line, fmt::format("{{{{{}}}}} is no hole: a name, #if NAME, #each NAME, /if, /each or ! and a remark", excerpt(tag.text)));
    nodes.push_back({Kind::hole, tag.text, tag.line, {}});
    return ok();
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

void collect_names(const std::vector<Node>& nodes, const std::string& prefix, std::set<std::string>& names) {
  for (const Node& node : nodes) {
    if (node.kind != Kind::text) names.insert(prefix + node.word);
    collect_names(node.inside, node.kind == Kind::loop ? prefix + node.word + "." : prefix, names);
  }
}

class Renderer {
 public:
  explicit Renderer(const std::string& file) : file_(file) {}
  std::string out;

  Status render(const std::vector<Node>& nodes, std::vector<const Values*>& scopes, bool write) {
    for (const Node& node : nodes) {
      if (node.kind == Kind::text) {
        if (write) out += node.word;
        continue;
      }
      const Value* value = find(node.word, scopes);
      if (value == nullptr) return error(node, fmt::format("nothing is given for {{{{{}}}}}", node.word));
      KA_TRY(render_node(node, *value, scopes, write));
    }
    return ok();
  }

 private:
  static const Value* find(const std::string& name, const std::vector<const Values*>& scopes) {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (const auto row = (*scope)->find(name); row != (*scope)->end()) return &row->second;
    return nullptr;
  }

  Status render_node(const Node& node, const Value& value, std::vector<const Values*>& scopes, bool write) {
    switch (node.kind) {
      case Kind::text: return ok();
      case Kind::hole:
        if (value.is_list) return error(node, fmt::format("\"{}\" is a list; {{{{#each {}}}}} goes through it", node.word, node.word));
        if (write) out += value.text;
        return ok();
      case Kind::condition: return render(node.inside, scopes, write && !(value.is_list ? value.rows.empty() : value.text.empty()));
      case Kind::loop: break;
    }
    if (!value.is_list) return error(node, fmt::format("\"{}\" is no list", node.word));
    for (const Values& row : value.rows) {
      scopes.push_back(&row);
      const Status done = render(node.inside, scopes, write);
      scopes.pop_back();
      KA_TRY(done);
    }
    return ok();
  }

  Error error(const Node& node, const std::string& what) const { return invalid_input(fmt::format("{}:{}: {}", file_, node.line, what)); }

  const std::string& file_;
};

void collect_unused(const std::set<std::string>& names, const Values& values, const std::string& prefix, std::set<std::string>& unused) {
  for (const auto& [name, value] : values) {
    if (!names.contains(prefix + name)) unused.insert(prefix + name);
    for (const Values& row : value.rows) collect_unused(names, row, prefix + name + ".", unused);
  }
}

}  // namespace

Result<Template> Template::parse(std::string_view text, std::string file) {
  Template made;
  made.file_ = std::move(file);
  KA_ASSIGN(std::vector<Node> nodes, Parser(text, made.file_).parse());
  collect_names(nodes, "", made.names_);
  made.nodes_ = std::make_shared<const std::vector<Node>>(std::move(nodes));
  return made;
}

Result<std::string> Template::render(const Values& values) const {
  Renderer renderer(file_);
  std::vector<const Values*> scopes = {&values};
  KA_TRY(renderer.render(*nodes_, scopes, true));
  return std::move(renderer.out);
}

std::vector<std::string> unused_names(const Template& text, const Values& values) {
  std::set<std::string> unused;
  collect_unused(text.names(), values, "", unused);
  return {unused.begin(), unused.end()};
}

}  // namespace ka::prompt
