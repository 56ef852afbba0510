// Properties that hold for every value of this folder; each row of the table below is one value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_fields.h"
#include "model/random_values.h"

namespace ka::model {
namespace {

using ::testing::HasSubstr;

constexpr int kRounds = 300;

// One value with its type taken away: made at random, and read back.
struct ValueRow {
  const char* name;
  std::function<Json(Random&)> make;
  // Reads the JSON; on success writes it again, into `out`.
  std::function<Status(const Json&, Json* out)> reread;
  // Makes one, writes it, parses the text, reads it: is it the same?
  std::function<bool(Random&)> round_trips;
  std::set<std::string> optional;  // fields that may be missing
};

template <class T>
ValueRow row(const char* name, T (*make)(Random&), Result<T> (*read)(const Json&), std::set<std::string> optional) {
  return {name, [make](Random& r) { return to_json(make(r)); },
          [read](const Json& json, Json* out) -> Status {
            Result<T> value = read(json);
            if (!value) return value.error();
            if (out != nullptr) *out = to_json(*value);
            return ok();
          },
          [make, read](Random& r) {
            const T value = make(r);
            Result<Json> json = parse_json(to_pretty_json_text(to_json(value)), "test");
            if (!json) return false;
            Result<T> back = read(*json);
            return back && *back == value;
          },
          std::move(optional)};
}

std::vector<ValueRow> rows() {
  return {
      row("candidate", random_candidate, candidate_from_json, {"usage"}),
      row("diagnosis", random_diagnosis, diagnosis_from_json, {"basis"}),
      row("problem", random_problem, problem_from_json, {"tensor", "tied_to", "strides", "role", "data"}),
      row("profile", random_profile, profile_from_json, {"time_ms", "registers", "shared_bytes", "spills", "stack_bytes", "occupancy_pct", "waves"}),
      row("route", random_route, route_from_json, {}),
      row("run", random_run_info, run_info_from_json, {}),
      row("sentence", random_sentence_record, sentence_record_from_json, {}),
      row("run summary", random_run_summary, run_summary_from_json, {"composition", "launches", "worker"}),
      row("subgraph", random_subgraph, subgraph_from_json, {"strides", "role", "data"}),
      row("timing", random_timing, timing_from_json, {}),
      row("verdict", random_verdict, verdict_from_json, {"worst", "text_sha256"}),
  };
}

// Every place in the tree where an object stands, as a JSON pointer.
void collect_objects(const Json& json, const Json::json_pointer& at, std::vector<Json::json_pointer>& found) {
  if (json.is_object()) found.push_back(at);
  if (json.is_structured()) {
    for (const auto& [key, value] : json.items()) {
      collect_objects(value, json.is_array() ? at / std::stoul(key) : at / key, found);
    }
  }
}

// Fields of some struct, as opposed to entries of a map and fields that nobody knows.
bool is_field(const std::string& key) { return !key.starts_with("key_") && !key.starts_with("x_"); }

// Fields that hold JSON as it is, or lists of it.
bool is_any(const std::string& key) { return key == "results" || key == "numbers"; }

bool inside_unknown(const Json::json_pointer& at) { return at.to_string().find("/x_") != std::string::npos; }
bool is_float_object(const Json& json) { return json.size() == 1 && json.contains("float"); }

TEST(Values, RoundTripThroughText) {
  for (const ValueRow& value : rows()) {
    Random random(1);
    for (int i = 0; i < kRounds; ++i) ASSERT_TRUE(value.round_trips(random)) << value.name << " " << i;
  }
}

TEST(Values, WritingIsStable) {
  for (const ValueRow& value : rows()) {
    Random random(2);
    for (int i = 0; i < kRounds; ++i) {
      const Json first = value.make(random);
      Json second;
      ASSERT_TRUE(value.reread(first, &second)) << value.name;
      ASSERT_EQ(to_json_text(first), to_json_text(second)) << value.name;
    }
  }
}

TEST(Values, AMissingFieldIsNamedAtEveryDepth) {
  for (const ValueRow& value : rows()) {
    Random random(3);
    int removed = 0;
    for (int i = 0; i < kRounds / 10; ++i) {
      const Json whole = value.make(random);
      std::vector<Json::json_pointer> objects;
      collect_objects(whole, Json::json_pointer(), objects);
      for (const Json::json_pointer& at : objects) {
        if (inside_unknown(at) || is_float_object(whole[at])) continue;
        for (const auto& [key, ignored] : whole[at].items()) {
          if (!is_field(key)) continue;
          Json damaged = whole;
          damaged[at].erase(key);
          Status status = value.reread(damaged, nullptr);
          ++removed;
          if (value.optional.contains(key)) {
            ASSERT_TRUE(status) << value.name << at.to_string() << " " << key;
            continue;
          }
          ASSERT_FALSE(status) << value.name << at.to_string() << " " << key;
          ASSERT_EQ(status.error().kind, ErrorKind::invalid_input);
          ASSERT_THAT(status.error().message, HasSubstr("missing field \"" + key + "\""));
          ASSERT_THAT(status.error().message, HasSubstr(std::string(value.name) + ": "));
        }
      }
    }
    EXPECT_GT(removed, 100) << value.name;
  }
}

TEST(Values, AFieldOfTheWrongTypeIsNamedAtEveryDepth) {
  for (const ValueRow& value : rows()) {
    Random random(4);
    for (int i = 0; i < kRounds / 10; ++i) {
      const Json whole = value.make(random);
      std::vector<Json::json_pointer> objects;
      collect_objects(whole, Json::json_pointer(), objects);
      for (const Json::json_pointer& at : objects) {
        if (inside_unknown(at) || is_float_object(whole[at])) continue;
        for (const auto& [key, ignored] : whole[at].items()) {
          if (!is_field(key) || is_any(key)) continue;
          Json damaged = whole;
          damaged[at][key] = Json::array({Json::array()});  // no field has this form
          Status status = value.reread(damaged, nullptr);
          ASSERT_FALSE(status) << value.name << at.to_string() << " " << key;
          ASSERT_THAT(status.error().message, HasSubstr("\"" + key + "\"")) << at.to_string();
        }
      }
    }
  }
}

TEST(Values, UnknownFieldsSurviveAtEveryDepth) {
  const Json news = Json::parse(R"({"list":[1,2.5,null],"text":"é","deep":{"er":{}}})");
  for (const ValueRow& value : rows()) {
    Random random(5);
    for (int i = 0; i < kRounds / 10; ++i) {
      Json extended = value.make(random);
      std::vector<Json::json_pointer> objects;
      collect_objects(extended, Json::json_pointer(), objects);
      for (const Json::json_pointer& at : objects) {
        // Maps have entries, not fields; what is in there is an entry of theirs.
        bool is_struct = !inside_unknown(at) && !is_float_object(extended[at]);
        for (const auto& [key, ignored] : extended[at].items()) is_struct = is_struct && !key.starts_with("key_");
        if (is_struct && !extended[at].empty()) extended[at]["x_news"] = news;
      }
      Json back;
      Status status = value.reread(extended, &back);
      ASSERT_TRUE(status) << value.name << ": " << status.error().message;
      ASSERT_EQ(to_json_text(extended), to_json_text(back)) << value.name;
    }
  }
}

TEST(Values, ANewerSchemaIsRefusedWithASentence) {
  for (const ValueRow& value : rows()) {
    for (const Json& schema : {Json(2), Json(1000000), Json(std::uint64_t{UINT64_MAX})}) {
      // A newer form may look quite different: the schema decides before any field is looked at.
      Status status = value.reread(Json{{"schema", schema}}, nullptr);
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().kind, ErrorKind::unsupported);
      EXPECT_EQ(status.error().message, std::string(value.name) + ": schema " + schema.dump() +
                                            " is newer than this program knows (1); use a newer kernelagent");
    }
    EXPECT_THAT(value.reread(Json{{"schema", 0}}, nullptr).error().message, HasSubstr("schema 0 does not exist"));
    EXPECT_THAT(value.reread(Json{{"schema", "1"}}, nullptr).error().message, HasSubstr("field \"schema\": expected"));
    EXPECT_THAT(value.reread(Json::array(), nullptr).error().message, HasSubstr("expected an object"));
    EXPECT_THAT(value.reread(Json(), nullptr).error().message, HasSubstr("expected an object"));
  }
}

}  // namespace
}  // namespace ka::model
