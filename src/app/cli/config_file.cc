#include "app/cli/config_file.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "app/cli/config_keys.h"
#include "os/files.h"

namespace ka::app {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

// Thrown through the library, which has no other way to be stopped.
struct Refused {
  int line;
  std::string why;
};

bool is_plain_name(const std::string& text) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
}

// What the library says may quote a character that would move the cursor.
std::string one_line(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return text;
}

// Takes the parts of a file as they come; the first one that has no place in a file of one level ends it.
class EntryReader : public YAML::EventHandler {
 public:
  std::vector<ConfigEntry> take() { return std::move(entries_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refused{mark.line + 1, "one document is expected, and here another one begins"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (in_map_) accept(mark, "", true);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { throw Refused{mark.line + 1, "a reference (*NAME) is not followed; write the value itself"}; }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value) override { accept(mark, value, false); }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    if (in_map_ && has_key_) throw Refused{mark.line + 1, fmt::format("{} is a list; one value is expected", key_)};
    throw Refused{mark.line + 1, kShape};
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    if (in_map_ && has_key_ && prefix_.empty() && std::find(kMapKeys.begin(), kMapKeys.end(), key_) != kMapKeys.end()) {
      prefix_ = key_ + ".";
      has_key_ = false;
      return;
    }
    if (in_map_ && has_key_) throw Refused{mark.line + 1, fmt::format("{} holds names of its own; NAME: VALUE is expected (only {} hold names)", key_, fmt::join(kMapKeys, ", "))};
    if (in_map_) throw Refused{mark.line + 1, kShape};
    in_map_ = true;
  }
  void OnMapEnd() override {
    in_map_ = !prefix_.empty();
    prefix_.clear();
  }

 private:
  static constexpr const char* kShape = "a config file has one NAME: VALUE per line";

  void accept(const YAML::Mark& mark, const std::string& text, bool null) {
    if (!in_map_) throw Refused{mark.line + 1, kShape};
    if (has_key_) {
      entries_.push_back({key_, text, null, line_});
      has_key_ = false;
      return;
    }
    if (!is_plain_name(text)) throw Refused{mark.line + 1, "a name has letters, digits, underscores and dashes"};
    key_ = prefix_ + text;
    std::replace(key_.begin(), key_.end(), '-', '_');
    line_ = mark.line + 1;
    if (!seen_.insert(key_).second) throw Refused{line_, fmt::format("{} is there twice", key_)};
    has_key_ = true;
  }

  std::vector<ConfigEntry> entries_;
  std::set<std::string> seen_;
  std::string key_, prefix_;  // of the map that it is in
  int line_ = 0, documents_ = 0;
  bool in_map_ = false, has_key_ = false;
};

}  // namespace

Result<std::vector<ConfigEntry>> parse_config(std::string_view text, const std::string& path) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    EntryReader reader;
    // The reader ends this at a second document; the library itself finds endlessly many in some broken files.
    while (parser.HandleNextDocument(reader)) {
    }
    return reader.take();
  } catch (const Refused& refused) {
    return invalid_input(fmt::format("{}: line {}: {}", path, refused.line, refused.why));
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : fmt::format("line {}: ", error.mark.line + 1);
    return invalid_input(fmt::format("{}: {}this is no YAML: {}", path, line, one_line(error.msg)));
  } catch (const std::exception& error) {
    return invalid_input(fmt::format("{}: this is no YAML: {}", path, one_line(error.what())));
  }
}

Result<std::vector<ConfigEntry>> read_config(const std::string& path) {
  KA_ASSIGN(const std::string text, os::read_file(path, kMaxConfigBytes));
  return parse_config(text, path);
}

}  // namespace ka::app
