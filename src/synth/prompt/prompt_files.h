// The texts of prompts: files of prompts/, which travel inside the program, or of a folder that the user names.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "synth/prompt/text_template.h"

namespace ka::prompt {

struct PromptFile {
  std::string_view name;  // "kernel_generation.md", "examples/matmul.py"
  std::string_view text;
};

// In the order of their names.
std::span<const PromptFile> built_in_prompts();

// All files, read and parsed. Files of the folder take the place of built-in ones of the same name; others there are a mistake that is told, since a misspelt
// name would silently do nothing.
class PromptFiles {
 public:
  static Result<PromptFiles> load(const std::string& folder = {});

  // A value that a built-in file has no use for is an internal error: a name was misspelt. A user's own file need not use all.
  Result<std::string> render(const std::string& name, const Values& values) const;
  // A file that is no template (examples), as it is.
  const std::string& text(const std::string& name) const;
  const Template& parsed(const std::string& name) const;
  // SHA-256 of all of them: what a recorded conversation was asked with.
  std::string identity() const;

 private:
  std::map<std::string, Template> templates_;
  std::map<std::string, std::string> texts_;
  std::set<std::string> own_;  // the user's
};

}  // namespace ka::prompt
