#include "app/cli/live_state.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace ka::app {
namespace {

constexpr std::size_t kStateWidth = 9, kTimeWidth = 8, kShortTime = 4;
constexpr std::size_t kNarrow = 44;  // below it, a letter says the state
constexpr std::size_t kMaxName = 36, kMinMessage = 8;

struct StateRow {
  std::string_view event;  // the name of a stage's event, or the state of a part
  std::string_view word;   // what people read
  Tone tone;
  bool ended;
};
constexpr std::array kStageStates = {
    StateRow{"start", "running", Tone::busy, false},    StateRow{"done", "done", Tone::good, true},
    StateRow{"accepted", "accepted", Tone::good, true}, StateRow{"refused", "refused", Tone::bad, true},
    StateRow{"failed", "failed", Tone::bad, true},
};
constexpr std::array kPartStates = {
    StateRow{"queued", "waiting", Tone::waiting, false},  StateRow{"writing", "writing", Tone::busy, false},
    StateRow{"verifying", "verifying", Tone::busy, false}, StateRow{"verified", "verified", Tone::good, true},
    StateRow{"written", "written", Tone::good, true},
    StateRow{"refused", "refused", Tone::bad, true},       StateRow{"failed", "failed", Tone::bad, true},
};

const StateRow* find_state(std::span<const StateRow> rows, std::string_view event) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const StateRow& r) { return r.event == event; });
  return row == rows.end() ? nullptr : &*row;
}

const std::string* text_field(const Event& event, std::string_view name) {
  for (const auto& [key, value] : event.fields) {
    if (key == name) return std::get_if<std::string>(&value);
  }
  return nullptr;
}

std::optional<double> number_field(const Event& event, std::string_view name) {
  for (const auto& [key, value] : event.fields) {
    if (key != name) continue;
    if (const double* real = std::get_if<double>(&value)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  }
  return std::nullopt;
}

double seconds_between(WallTime begin, WallTime end) { return std::max(0.0, std::chrono::duration<double>(end - begin).count()); }

LiveItem& item_of(std::vector<LiveItem>& items, const std::string& name, const Event& event, WallTime time) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const LiveItem& item) { return item.name == name; });
  if (found != items.end()) return *found;
  const std::chrono::duration<double> before(std::clamp(number_field(event, "seconds").value_or(0), 0.0, 1e8));
  items.push_back({name, "running", "", Tone::busy, time - std::chrono::duration_cast<WallTime::duration>(before), {}});
  return items.back();
}

void change(LiveItem& item, const StateRow& row, const Event& event, WallTime time) {
  const bool starts = !row.ended && row.tone == Tone::busy && (item.seconds || item.tone != Tone::busy);
  if (starts || row.event == "start") item.began = time;
  item.state = row.word;
  item.tone = row.tone;
  item.seconds.reset();
  if (row.ended) item.seconds = number_field(event, "seconds").value_or(seconds_between(item.began, time));
}

// ---- lines

// East Asian wide characters and pictures; everything else that is printed takes one column.
bool is_wide(std::uint32_t c) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 8> kWide = {
      {{0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}}};
  return std::any_of(kWide.begin(), kWide.end(), [&](const auto& range) { return c >= range.first && c <= range.second; });
}

struct Glyph {
  std::size_t bytes;
  std::size_t columns;
};

// The character at the front of a text that is not empty; zero columns: not to be shown (control characters, broken UTF-8).
Glyph first_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead >= 0x20 && lead != 0x7F ? 1U : 0U};
  const std::size_t bytes = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xC2 && lead < 0xE0 ? 2 : 0;
  if (bytes == 0 || text.size() < bytes) return {1, 0};
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {1, 0};
    code = code << 6 | (next & 0x3F);
  }
  // U+0080..9F control terminals too, U+200B..202E and U+2066..2069 change how the rest of the line is laid out.
  const bool hidden = code < 0xA0 || (code >= 0x200B && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || (code >= 0xD800 && code < 0xE000);
  return {bytes, hidden ? 0U : is_wide(code) ? 2U : 1U};
}

// The first line of a text, what cannot be shown being replaced.
std::string shown(std::string_view text) {
  std::string out;
  text = text.substr(0, text.find('\n'));
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    out += glyph.columns == 0 ? std::string_view("?") : text.substr(0, glyph.bytes);
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

// The longest beginning that fits.
std::string_view head(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    if (glyph.columns > columns) break;
    columns -= glyph.columns;
    bytes += glyph.bytes;
  }
  return text.substr(0, bytes);
}

std::string elided(const std::string& text, std::size_t columns) {
  constexpr std::size_t kDots = 3;
  if (display_width(text) <= columns) return text;
  if (columns < 2 * kDots) return std::string(head(text, columns));
  // The end tells names apart ("conv2d_relu_11"): it gets a third.
  const std::size_t tail_columns = (columns - kDots) / 3;
  std::string_view tail = text;
  while (display_width(tail) > tail_columns) tail.remove_prefix(first_glyph(tail).bytes);
  return fmt::format("{}...{}", head(text, columns - kDots - display_width(tail)), tail);
}

std::string padded(const std::string& text, std::size_t columns) {
  const std::string fitting = elided(text, columns);
  return fitting + std::string(columns - display_width(fitting), ' ');
}

std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 3.6e8));
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  return fmt::format("{}h {:02}m", whole / 3600, whole % 3600 / 60);
}

std::string short_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::min(seconds, 3.6e6));
  return whole < 100 ? fmt::format("{}s", whole) : whole < 6000 ? fmt::format("{}m", whole / 60) : fmt::format("{}h", whole / 3600);
}

char letter_of(Tone tone) {
  switch (tone) {
    case Tone::waiting: return '.';
    case Tone::busy: return '>';
    case Tone::good: return '+';
    case Tone::bad: return '!';
  }
  return '?';
}

struct Layout {
  std::size_t width;  // of a line
  std::size_t name;   // of the column of names, indentation included
  WallTime now;
};

FrameLine line_of(const LiveItem& item, std::string_view indent, const Layout& layout) {
  const bool waits = item.tone == Tone::waiting;
  const double seconds = item.seconds.value_or(seconds_between(item.began, layout.now));
  FrameLine line;
  line.tone = item.tone;
  if (layout.width < kNarrow) {
    const std::size_t room = layout.width > kShortTime + 3 ? layout.width - kShortTime - 3 : 0;
    line.text = fmt::format("{} {} {:>{}}", letter_of(item.tone), padded(item.name, room), waits ? "" : short_time(seconds), kShortTime);
    line.text = head(line.text, layout.width);
    line.mark_bytes = std::min<std::size_t>(1, line.text.size());
    return line;
  }
  line.text = padded(fmt::format("{}{}", indent, item.name), layout.name) + "  ";
  line.mark = line.text.size();
  line.mark_bytes = item.state.size();
  line.text += fmt::format("{:<{}} {:>{}}", item.state, kStateWidth, waits ? "" : time_text(seconds), kTimeWidth);
  const std::size_t used = display_width(line.text) + 2;
  if (!item.message.empty() && layout.width >= used + kMinMessage) line.text += "  " + elided(item.message, layout.width - used);
  line.text.erase(line.text.find_last_not_of(' ') + 1);
  return line;
}

int urgency(const LiveItem& item) {
  switch (item.tone) {
    case Tone::busy: return 0;
    case Tone::bad: return 1;
    case Tone::waiting: return 2;
    case Tone::good: return 3;
  }
  return 3;
}

// "12 more waiting", "12 more: 9 waiting, 3 verified".
std::string summary_of(const std::vector<const LiveItem*>& hidden) {
  std::map<std::string, std::size_t> counts;
  for (const LiveItem* item : hidden) ++counts[item->state];
  if (counts.size() == 1) return fmt::format("{} more {}", hidden.size(), counts.begin()->first);
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) parts.push_back(fmt::format("{} {}", count, word));
  return fmt::format("{} more: {}", hidden.size(), fmt::join(parts, ", "));
}

struct Choice {
  std::vector<const LiveItem*> kept, hidden;
};

// The `room` most urgent ones in their order; one line less when a summary is needed.
Choice choose(const std::vector<LiveItem>& items, std::size_t room) {
  std::vector<const LiveItem*> order;
  for (const LiveItem& item : items) order.push_back(&item);
  if (order.size() <= room) return {order, {}};
  const std::size_t kept = room == 0 ? 0 : room - 1;
  std::stable_sort(order.begin(), order.end(), [](const LiveItem* a, const LiveItem* b) { return urgency(*a) < urgency(*b); });
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(kept);
  std::sort(order.begin(), middle);  // back to their own order: they are elements of one vector
  return {{order.begin(), middle}, {middle, order.end()}};
}

std::size_t name_column(const std::vector<LiveItem>& stages, const Choice& parts, std::size_t width) {
  std::size_t widest = 0;
  for (const LiveItem& stage : stages) widest = std::max(widest, display_width(stage.name));
  for (const LiveItem* part : parts.kept) widest = std::max(widest, display_width(part->name) + 2);
  const std::size_t others = kStateWidth + kTimeWidth + 3;
  return std::min({widest, kMaxName, width > others ? width - others : 1});
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

void apply(LiveState& state, const Event& event, WallTime time) {
  const std::string stage = shown(event.stage.empty() ? "run" : event.stage);
  LiveItem& item = item_of(state.stages, stage, event, time);
  const std::string* id = text_field(event, "id");
  if (id == nullptr) {
    const StateRow* row = event.level == LogLevel::error ? find_state(kStageStates, "failed") : find_state(kStageStates, event.name);
    if (row != nullptr) change(item, *row, event, time);
    if (event.level != LogLevel::debug && !event.message.empty()) item.message = shown(event.message);
    return;
  }
  if (state.parts.empty()) state.parts_after = state.stages.size();
  LiveItem& part = item_of(state.parts, shown(*id), event, time);
  const std::string* word = text_field(event, "state");
  const StateRow* row = word == nullptr ? nullptr : find_state(kPartStates, *word);
  if (row != nullptr) change(part, *row, event, time);
  if (event.level != LogLevel::debug && !event.message.empty()) part.message = shown(event.message);
}

void end(LiveState& state, WallTime time) {
  for (std::vector<LiveItem>* items : {&state.stages, &state.parts}) {
    for (LiveItem& item : *items) {
      if (item.seconds || item.tone == Tone::waiting) continue;
      item.state = "stopped";
      item.tone = Tone::bad;
      item.seconds = seconds_between(item.began, time);
    }
  }
}

std::vector<FrameLine> frame(const LiveState& state, int columns, int rows, WallTime now) {
  const auto width = static_cast<std::size_t>(std::max(columns, 2) - 1);
  const auto room = static_cast<std::size_t>(std::max(rows, 2) - 1);
  if (state.stages.empty()) {
    const LiveItem starting{"starting", "", "", Tone::busy, state.began, {}};
    return {line_of(starting, "", {width, display_width("starting"), now})};
  }
  // The newest stages, and at least half of the lines for the parts.
  const std::size_t for_stages = state.parts.empty() ? room : std::max(room - std::min(room, state.parts.size()), (room + 1) / 2);
  const std::size_t first = state.stages.size() - std::min(state.stages.size(), for_stages);
  const std::size_t for_parts = room - (state.stages.size() - first);
  const Choice parts = choose(state.parts, for_parts);
  const Layout layout{width, name_column(state.stages, parts, width), now};
  std::vector<FrameLine> lines;
  const auto add_parts = [&] {
    for (const LiveItem* part : parts.kept) lines.push_back(line_of(*part, "  ", layout));
    if (!parts.hidden.empty() && for_parts > 0) lines.push_back({elided("  " + summary_of(parts.hidden), width), 0, 0, Tone::waiting});
  };
  for (std::size_t i = first; i < state.stages.size(); ++i) {
    if (i == state.parts_after) add_parts();
    lines.push_back(line_of(state.stages[i], "", layout));
  }
  if (state.parts_after >= state.stages.size() || state.parts_after < first) add_parts();
  return lines;
}

}  // namespace ka::app
