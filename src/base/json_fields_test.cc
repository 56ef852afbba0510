#include "base/json_fields.h"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ka {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Json json(const char* text) {
  return Json::parse(text);
}

TEST(FieldReader, ReadsEveryType) {
  const Json object =
      json(R"({"b":true,"i":-3,"u":18446744073709551615,"d":1,"s":"x","bs":[true,false],"is":[1,-2],
                               "ds":[1,2.5],"ss":["a","b"],"si":{"n":1},"sd":{"x":0.5},"st":{"k":"v"}})");
  FieldReader in(object, "thing");
  EXPECT_EQ(in.required<bool>("b"), true);
  EXPECT_EQ(in.required<int>("i"), -3);
  EXPECT_EQ(in.required<std::int64_t>("i"), -3);
  EXPECT_EQ(in.required<std::uint64_t>("u"), UINT64_MAX);
  EXPECT_EQ(in.required<double>("d"), 1.0);
  EXPECT_EQ(in.required<std::string>("s"), "x");
  EXPECT_THAT(in.required<std::vector<bool>>("bs"), ElementsAre(true, false));
  EXPECT_THAT(in.required<std::vector<std::int64_t>>("is"), ElementsAre(1, -2));
  EXPECT_THAT(in.required<std::vector<double>>("ds"), ElementsAre(1.0, 2.5));
  EXPECT_THAT(in.required<std::vector<std::string>>("ss"), ElementsAre("a", "b"));
  EXPECT_THAT((in.required<std::map<std::string, std::int64_t>>("si")), ElementsAre(Pair("n", 1)));
  EXPECT_THAT((in.required<std::map<std::string, double>>("sd")), ElementsAre(Pair("x", 0.5)));
  EXPECT_THAT((in.required<std::map<std::string, std::string>>("st")), ElementsAre(Pair("k", "v")));
  EXPECT_TRUE(in.status());
  EXPECT_THAT(in.unknown(), IsEmpty());
}

TEST(FieldReader, NamesEverythingThatIsWrongAtOnce) {
  const Json object = json(R"({"rule":7,"draws":1.5})");
  FieldReader in(object, "verdict");
  EXPECT_EQ(in.required<bool>("accepted"), false);
  EXPECT_EQ(in.required<std::string>("rule"), "");
  EXPECT_EQ(in.required<int>("draws"), 0);
  ASSERT_FALSE(in.status());
  EXPECT_EQ(in.status().error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(in.status().error().message,
            "verdict: missing field \"accepted\"; field \"rule\": expected a text, found 7; field \"draws\": "
            "expected "
            "a whole number from -2147483648 to 2147483647, found 1.5");
}

TEST(FieldReader, RefusesNumbersOutOfRange) {
  const Json object = json(R"({"big":4294967296,"huge":18446744073709551615,"negative":-1,"real":3.0})");
  FieldReader in(object, "n");
  in.required<int>("big");
  in.required<std::int64_t>("huge");
  in.required<std::uint64_t>("negative");
  in.required<int>("real");
  EXPECT_EQ(in.errors().size(), 4U);
}

TEST(FieldReader, NeverConvertsBetweenTypes) {
  const Json object = json(R"({"text":"1","number":1,"flag":true,"null":null,"mixed":[1,"2"]})");
  FieldReader in(object, "x");
  in.required<int>("text");
  in.required<std::string>("number");
  in.required<int>("flag");
  in.required<bool>("number");
  in.required<double>("null");
  in.required<std::vector<std::int64_t>>("mixed");
  EXPECT_EQ(in.errors().size(), 6U);
}

TEST(FieldReader, OptionalMayBeAbsentOrNullButNotIllTyped) {
  const Json object = json(R"({"null":null,"there":2,"wrong":"x"})");
  FieldReader in(object, "x");
  EXPECT_EQ(in.optional<int>("absent"), std::nullopt);
  EXPECT_EQ(in.optional<int>("null"), std::nullopt);
  EXPECT_EQ(in.optional<int>("there"), 2);
  EXPECT_TRUE(in.good());
  EXPECT_EQ(in.optional<int>("wrong"), std::nullopt);
  EXPECT_FALSE(in.good());
}

TEST(FieldReader, NestedValues) {
  const Json object = json(R"({"o":{"x":1},"a":[1,2],"n":null})");
  FieldReader in(object, "x");
  ASSERT_NE(in.required_object("o"), nullptr);
  ASSERT_NE(in.required_array("a"), nullptr);
  EXPECT_EQ(in.required_array("a")->size(), 2U);
  EXPECT_EQ(in.optional_object("n"), nullptr);
  EXPECT_EQ(in.optional_array("absent"), nullptr);
  ASSERT_NE(in.required_any("n"), nullptr);
  EXPECT_EQ(in.optional_any("absent"), nullptr);
  EXPECT_TRUE(in.good());
  EXPECT_EQ(in.required_object("a"), nullptr);
  EXPECT_EQ(in.optional_array("o"), nullptr);
  EXPECT_THAT(in.errors(), ElementsAre("field \"a\": expected an object, found a list of 2",
                                       "field \"o\": expected a list, found an object"));
}

TEST(FieldReader, KeepsUnknownFieldsAsText) {
  const Json object = json(R"({"known":1,"new":{"a":[1,2]},"other":"x"})");
  FieldReader in(object, "x");
  in.required<int>("known");
  EXPECT_THAT(in.unknown(), UnorderedElementsAre(Pair("new", R"({"a":[1,2]})"), Pair("other", "\"x\"")));
}

TEST(FieldReader, SomethingElseThanAnObject) {
  const Json list = json("[1]");
  FieldReader in(list, "verdict");
  in.required<int>("a");
  EXPECT_EQ(in.optional<int>("b"), std::nullopt);
  EXPECT_THAT(in.unknown(), IsEmpty());
  EXPECT_EQ(in.status().error().message, "verdict: expected an object, found a list of 1");
}

TEST(FieldReader, TakesTheCallersComplaints) {
  const Json object = json("{}");
  FieldReader in(object, "x");
  in.fail("tier", "must be fp32 or tf32");
  in.fail(invalid_input("spec: missing field \"dtype\""));
  EXPECT_EQ(in.status().error().message,
            "x: field \"tier\": must be fp32 or tf32; spec: missing field \"dtype\"");
}

TEST(ParseJson, TellsWhereItIsWrong) {
  const Result<Json> parsed = parse_json("{\"a\":\n ]", "answer");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_input);
  EXPECT_THAT(parsed.error().message, HasSubstr("answer: parse error at line 2, column 2"));
}

TEST(ParseJson, RefusesWhatAStrictReaderMust) {
  const std::string deep = std::string(100000, '[');
  const std::string deep_closed = std::string(101, '[') + std::string(101, ']');
  for (const std::string& text :
       {std::string(), std::string("{} x"), std::string("NaN"), std::string("1e999"), std::string("\"\xFF\""),
        std::string(R"({"a":1,"a":2})"), std::string(R"({"o":[{"b":{}},{"b":1,"b":1}]})"), deep,
        deep_closed}) {
    EXPECT_FALSE(parse_json(text, "x")) << text.substr(0, 40);
  }
  EXPECT_THAT(parse_json(R"({"a":1,"a":2})", "x").error().message, HasSubstr("field \"a\" is given twice"));
  EXPECT_THAT(parse_json(deep_closed, "x").error().message, HasSubstr("nested deeper than 100"));
}

TEST(ParseJson, AcceptsWhatIsFine) {
  EXPECT_EQ(*parse_json(R"([{"a":1},{"a":2,"b":{"a":3}}])", "x"), json(R"([{"a":1},{"a":2,"b":{"a":3}}])"));
  EXPECT_TRUE(parse_json(std::string(100, '[') + std::string(100, ']'), "x"));
  EXPECT_TRUE(parse_json(" null ", "x"));
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) {
  const Json text = "\xFF";
  EXPECT_EQ(to_json_text(text), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(to_pretty_json_text(json("{\"a\":1}")), "{\n  \"a\": 1\n}\n");
}

}  // namespace
}  // namespace ka
