#include "synth/prompt/text_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka::prompt {
namespace {

const Values kValues = {
    {"name", "relu"},
    {"none", ""},
    {"braces", "{{name}} and {{#if"},
    {"list", std::vector<Values>{{{"item", "a"}}, {{"item", "b"}, {"name", "inner"}}}},
    {"empty", std::vector<Values>{}},
};

std::string rendered(std::string_view text) {
  const Result<Template> parsed = Template::parse(text, "t.md");
  if (!parsed) return parsed.error().message;
  const Result<std::string> out = parsed->render(kValues);
  return out ? *out : out.error().message;
}

TEST(TextTemplate, Renders) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"", ""},
      {"no holes { } }}", "no holes { } }}"},
      {"a {{name}} b {{ name }}", "a relu b relu"},
      {"{{braces}}", "{{name}} and {{#if"},
      {"{{{{name}}", "{{name}}"},
      {"a{{! a remark }}b", "ab"},
      {"a\n{{! a remark }}\nb\n", "a\nb\n"},
      {"{{#if name}}yes{{/if}}{{#if none}}no{{/if}}.", "yes."},
      {"a\n{{#if name}}\nyes\n{{/if}}\nb\n", "a\nyes\nb\n"},
      {"a\n  {{#if none}}\nno\n  {{/if}}\nb\n", "a\nb\n"},
      {"{{#each list}}<{{item}} {{name}}>{{/each}}", "<a relu><b inner>"},
      {"{{#each list}}\n- {{item}}\n{{/each}}\nend", "- a\n- b\nend"},
      {"{{#each empty}}{{item}}{{/each}}|", "|"},
      {"{{#if empty}}no{{/if}}{{#if list}}yes{{/if}}", "yes"},
      {"{{#if list}}{{#each list}}{{#if name}}{{item}}{{/if}}{{/each}}{{/if}}", "ab"},
      {"x {{#if name}}\ny{{/if}}", "x \ny"},
  };
  for (const auto& row : cases) EXPECT_EQ(rendered(row.text), row.want) << row.text;
}

TEST(TextTemplate, SaysWhatIsWrongAndWhere) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"a\n\n{{missing}}", "t.md:3: nothing is given for {{missing}}"},
      {"{{#if none}}\n{{missing}}\n{{/if}}", "t.md:2: nothing is given for {{missing}}"},
      {"{{#each list}}\n\n{{other}}{{/each}}", "t.md:3: nothing is given for {{other}}"},
      {"{{name}\n}", "t.md:1: {{ without }} on the same line"},
      {"\n{{#if name}}\nx", "t.md:2: {{#if}} without {{/if}}"},
      {"{{#each list}}{{/if}}", "t.md:1: {{/if}} ends nothing that is open here"},
      {"{{/each}}", "t.md:1: {{/each}} ends nothing that is open here"},
      {"{{#unless name}}", "t.md:1: {{#unless name}} is no hole: a name, #if NAME, #each NAME, /if, /each or ! and a remark"},
      {"{{#if Name}}{{/if}}", "t.md:1: \"Name\" is no name (small letters, digits and _)"},
      {"{{}}", "t.md:1: {{}} is no hole: a name, #if NAME, #each NAME, /if, /each or ! and a remark"},
      {"{{list}}", "t.md:1: \"list\" is a list; {{#each list}} goes through it"},
      {"{{#each name}}{{/each}}", "t.md:1: \"name\" is no list"},
      {"{{#if a}}{{#if a}}{{#if a}}{{#if a}}{{#if a}}{{#if a}}{{#if a}}{{#if a}}{{#if a}}", "t.md:1: more than 8 blocks inside one another"},
  };
  for (const auto& row : cases) EXPECT_EQ(rendered(row.text), row.want) << row.text;
}

TEST(TextTemplate, NamesWhatHasNoUse) {
  const Template text = Template::parse("{{name}}{{#each list}}{{item}}{{/each}}", "t.md").value();
  EXPECT_THAT(unused_names(text, kValues), testing::ElementsAre("braces", "empty", "list.name", "none"));
  EXPECT_THAT(text.names(), testing::ElementsAre("list", "list.item", "name"));
}

}  // namespace
}  // namespace ka::prompt
