#include "optimise/reflection.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "optimise/search.h"

namespace ka::optimise {
namespace {

struct Lesson {
  std::string_view outcome;
  std::string_view actual;
  bool avoid;
  std::string_view because;  // of what to avoid, or to do next
};
constexpr auto kLessons = std::to_array<Lesson>({
    {"kept", "it is the fastest so far", false, "it helped, and more of this kind may"},
    {"not_certain", "no gain beyond noise", false, "the difference was within the noise; a larger step in this direction would show"},
    {"slower", "slower than the best", true, "it was slower than the best"},
    {"refused", "refused", true, "it was refused"},
    {"same_code", "nothing new", true, "it was tried before"},
    {"crashed", "it crashed", true, "it crashed"},
    {"impossible", "faster than is possible", true, "it was faster than is possible, so it does less than the program"},
});

std::vector<std::string> listed(const std::string& text) { return text.empty() ? std::vector<std::string>() : std::vector<std::string>{text}; }

std::string first_of(const std::vector<std::string>& list) { return list.empty() ? std::string() : list[0]; }

// "1.40 times slower than what it changed (2.8000 ms instead of 2.0000 ms)"
std::string compared(double ms, double parent_ms) {
  const double ratio = ms > parent_ms ? ms / parent_ms : parent_ms / ms;
  return fmt::format("{:.2f} times {} than what it changed ({:.4f} ms instead of {:.4f} ms)", ratio, ms > parent_ms ? "slower" : "faster", ms, parent_ms);
}

}  // namespace

Reflection reflect(const Attempt& attempt, double parent_ms) {
  Reflection out{attempt.round, attempt.parent, attempt.move, attempt.bottleneck, attempt.expected, attempt.outcome, {}, {}};
  const auto* const lesson = std::find_if(kLessons.begin(), kLessons.end(), [&](const Lesson& row) { return row.outcome == attempt.outcome; });
  if (lesson == kLessons.end()) return out;
  const std::string time = attempt.ms && *attempt.ms > 0 && parent_ms > 0 ? compared(*attempt.ms, parent_ms) : "";
  out.actual = fmt::format("{}{}{}{}{}", time, time.empty() ? "" : "; ", lesson->actual, attempt.reason.empty() ? "" : ": ", attempt.reason);
  const std::string because = lesson->avoid && !time.empty() && *attempt.ms > parent_ms ? time : std::string(lesson->because);
  (lesson->avoid ? out.avoid : out.next) = fmt::format("{}: {}", attempt.move, because);
  return out;
}

std::string reflection_text(const Reflection& reflection) {
  std::string out = fmt::format("round {}: {}\n", reflection.round, reflection.move);
  const auto add = [&](const char* name, const std::string& words) {
    if (!words.empty()) out += fmt::format("{}: {}\n", name, words);
  };
  add("expected", reflection.expected);
  add("came", reflection.actual);
  add("avoid", reflection.avoid);
  add("try", reflection.next);
  return out;
}

Json to_json(const Reflection& reflection) {
  return {{"round_num", reflection.round}, {"parent_id", reflection.parent}, {"move", reflection.move}, {"bottleneck", reflection.bottleneck}, {"expected_outcome", reflection.expected},
          {"actual_outcome", reflection.actual}, {"avoid_patterns", listed(reflection.avoid)}, {"try_patterns", listed(reflection.next)}};
}

Result<Reflection> reflection_from_json(const Json& json) {
  FieldReader in(json, "reflection");
  Reflection out{in.required<int>("round_num"), in.required<int>("parent_id"), in.required<std::string>("move"), in.required<std::string>("bottleneck"), in.required<std::string>("expected_outcome"),
                 in.required<std::string>("actual_outcome"), first_of(in.required<std::vector<std::string>>("avoid_patterns")), first_of(in.required<std::vector<std::string>>("try_patterns"))};
  KA_TRY(in.status());
  return out;
}

}  // namespace ka::optimise
