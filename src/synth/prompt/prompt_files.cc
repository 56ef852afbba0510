#include "synth/prompt/prompt_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hash.h"
#include "base/strings.h"
#include "os/files.h"

// The bytes come from a generated assembler file.
#define KA_TEXT(symbol, name) extern "C" const char symbol[], symbol##_end[];
#include "prompts_table.inc"
#undef KA_TEXT

namespace ka::prompt {
namespace {

constexpr std::size_t kMaxPromptBytes = std::size_t{1} << 20;

bool is_template(std::string_view name) { return ends_with(name, ".md"); }

std::string known_names() {
  std::string names;
  for (const PromptFile& file : built_in_prompts()) names.append(names.empty() ? "" : ", ").append(file.name);
  return names;
}

// Names of the files in the folder, those of examples/ with it.
Result<std::vector<std::string>> names_in(const std::string& folder) {
  KA_ASSIGN(std::vector<std::string> names, os::list_dir(folder));
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (!os::is_directory(folder + "/" + name)) {
      found.push_back(name);
      continue;
    }
    KA_ASSIGN(const std::vector<std::string> inner, os::list_dir(folder + "/" + name));
    for (const std::string& file : inner) found.push_back(name + "/" + file);
  }
  std::erase_if(found, [](const std::string& name) { return !ends_with(name, ".md") && !ends_with(name, ".py"); });
  return found;
}

}  // namespace

std::span<const PromptFile> built_in_prompts() {
  static const std::vector<PromptFile> files = [] {
    std::vector<PromptFile> rows = {
#define KA_TEXT(symbol, name) {name, std::string_view(symbol, static_cast<std::size_t>(symbol##_end - symbol))},
#include "prompts_table.inc"
#undef KA_TEXT
    };
    std::sort(rows.begin(), rows.end(), [](const PromptFile& a, const PromptFile& b) { return a.name < b.name; });
    return rows;
  }();
  return files;
}

Result<PromptFiles> PromptFiles::load(const std::string& folder) {
  PromptFiles files;
  std::map<std::string, std::string> shown;  // where each text came from, for messages
  for (const PromptFile& file : built_in_prompts()) {
    files.texts_[std::string(file.name)] = file.text;
    shown[std::string(file.name)] = fmt::format("prompts/{}", file.name);
  }
  if (!folder.empty()) {
    if (!os::is_directory(folder)) return invalid_input(fmt::format("--prompts: {} is no folder", folder));
    KA_ASSIGN(const std::vector<std::string> names, names_in(folder));
    for (const std::string& name : names) {
      const std::string path = folder + "/" + name;
      if (!shown.contains(name)) return invalid_input(fmt::format("--prompts: {} is no prompt; known are {}", path, known_names()));
      KA_ASSIGN(files.texts_[name], os::read_file(path, kMaxPromptBytes));
      shown[name] = path;
      files.own_.insert(name);
    }
  }
  for (const auto& [name, text] : files.texts_) {
    if (!is_template(name)) continue;
    KA_ASSIGN(Template parsed, Template::parse(text, shown[name]));
    files.templates_.emplace(name, std::move(parsed));
  }
  return files;
}

Result<std::string> PromptFiles::render(const std::string& name, const Values& values) const {
  const Template& text = parsed(name);
  const std::vector<std::string> unused = own_.contains(name) ? std::vector<std::string>() : unused_names(text, values);
  if (!unused.empty()) return internal_error(fmt::format("prompts/{}: no use for {}", name, fmt::join(unused, ", ")));
  return text.render(values);
}

const std::string& PromptFiles::text(const std::string& name) const {
  const auto row = texts_.find(name);
  KA_CHECK(row != texts_.end());
  return row->second;
}

const Template& PromptFiles::parsed(const std::string& name) const {
  const auto row = templates_.find(name);
  KA_CHECK(row != templates_.end());
  return row->second;
}

std::string PromptFiles::identity() const {
  Sha256 hash;
  for (const auto& [name, text] : texts_) hash.update(name).update(std::string_view("\0", 1)).update(text).update(std::string_view("\0", 1));
  return hash.hex();
}

}  // namespace ka::prompt
