#include "synth/llm/models.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/http.h"

// The bytes come from a generated assembler file.
extern "C" const char ka_embedded_models[], ka_embedded_models_end[];

namespace ka::llm {
namespace {

constexpr std::size_t kMaxModelsBytes = std::size_t{4} << 20;
constexpr double kMillion = 1e6;

template <typename Value>
struct Word {
  const char* name;
  Value value;
};
constexpr std::array kProviders = {Word<Provider>{"openai", Provider::openai}, Word<Provider>{"anthropic", Provider::anthropic}, Word<Provider>{"relay", Provider::relay}};
constexpr std::array kEfforts = {Word<EffortForm>{"none", EffortForm::none}, Word<EffortForm>{"word", EffortForm::word}, Word<EffortForm>{"adaptive", EffortForm::adaptive},
                                 Word<EffortForm>{"budget", EffortForm::budget}};
constexpr std::array kWires = {Word<bool>{"", true}, Word<bool>{"responses", true}, Word<bool>{"chat", true}};

template <typename Value, std::size_t n>
Value value_of(FieldReader& in, std::string_view field, const std::string& word, const std::array<Word<Value>, n>& among) {
  std::string names;
  for (const Word<Value>& row : among) {
    if (row.name == word) return row.value;
    if (*row.name != '\0') names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  in.fail(field, fmt::format("is none of {}", names));
  return among[0].value;
}

Price read_price(FieldReader& in, const Json& json) {
  FieldReader fields(json, "price");
  Price price;
  price.input = fields.required<double>("input");
  price.output = fields.required<double>("output");
  price.cached = fields.optional<double>("cached").value_or(price.input);
  if (const auto unknown = fields.unknown(); !unknown.empty()) fields.fail(unknown.begin()->first, "is no part of a price");
  if (price.input < 0 || price.cached < 0 || price.output < 0) fields.fail("price", "is below 0");
  if (!fields.good()) in.fail(fields.status().error());
  return price;
}

void check_row(FieldReader& in, const Model& model) {
  if (model.name.empty() || model.name.size() > 200) in.fail("name", "is empty or too long");
  if (std::any_of(model.name.begin(), model.name.end(), [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; }))
    in.fail("name", "has a blank or a control character in it");
  if (model.providers.empty()) in.fail("providers", "is empty");
  if (model.context_tokens < 0 || model.output_tokens < 0) in.fail("output_tokens", "is below 0");
  if (model.base_url.empty()) return;
  if (const Status good = os::check_http_url(model.base_url); !good) in.fail("base_url", good.error().message);
}

Result<Model> read_model(const Json& json, const std::string& where) {
  FieldReader in(json, where);
  Model model;
  model.name = in.required<std::string>("name");
  for (const std::string& word : in.required<std::vector<std::string>>("providers")) model.providers.push_back(value_of(in, "providers", word, kProviders));
  model.wire = in.optional<std::string>("wire").value_or("");
  value_of(in, "wire", model.wire, kWires);
  model.context_tokens = in.optional<std::int64_t>("context_tokens").value_or(0);
  model.output_tokens = in.optional<std::int64_t>("output_tokens").value_or(0);
  model.temperature = in.optional<bool>("temperature").value_or(true);
  model.effort = value_of(in, "effort", in.optional<std::string>("effort").value_or("none"), kEfforts);
  model.base_url = in.optional<std::string>("base_url").value_or("");
  model.key_variable = in.optional<std::string>("key_variable").value_or("");
  if (const Json* price = in.optional_object("price")) model.price = read_price(in, *price);
  if (const auto unknown = in.unknown(); !unknown.empty()) in.fail(unknown.begin()->first, "is no fact about a model");
  check_row(in, model);
  KA_TRY(in.status());
  return model;
}

const std::vector<Model>& built_in() {
  static const std::vector<Model> rows = [] {
    Result<std::vector<Model>> read = read_models({ka_embedded_models, static_cast<std::size_t>(ka_embedded_models_end - ka_embedded_models)}, "models");
    KA_CHECK(static_cast<bool>(read));
    return *read;
  }();
  return rows;
}

}  // namespace

Lookup environment_lookup() {
  return [](const std::string& name) { return os::get_env(name); };
}

const char* to_string(Provider provider) {
  return std::find_if(kProviders.begin(), kProviders.end(), [&](const auto& row) { return row.value == provider; })->name;
}

Result<std::vector<Model>> read_models(std::string_view text, const std::string& where) {
  KA_ASSIGN(const Json json, parse_json(text, where));
  FieldReader in(json, where);
  const Json* rows = in.required_array("models");
  KA_TRY(in.status());
  std::vector<Model> out;
  for (const Json& row : *rows) {
    KA_ASSIGN(Model model, read_model(row, fmt::format("{}: row {}", where, out.size() + 1)));
    if (std::any_of(out.begin(), out.end(), [&](const Model& other) { return other.name == model.name; }))
      return invalid_input(fmt::format("{}: {} is there twice", where, model.name));
    out.push_back(std::move(model));
  }
  return out;
}

Result<std::vector<Model>> all_models(const Lookup& lookup) {
  std::vector<Model> rows = built_in();
  const std::optional<std::string> path = lookup(kModelsVariable);
  if (!path || path->empty()) return rows;
  const Result<std::string> text = os::read_file(*path, kMaxModelsBytes);
  if (!text) return text.error().with(kModelsVariable);
  KA_ASSIGN(std::vector<Model> mine, read_models(*text, *path));
  for (Model& model : mine) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Model& row) { return row.name == model.name; });
    if (same != rows.end()) *same = std::move(model);
    else rows.push_back(std::move(model));
  }
  return rows;
}

Model find_model(const std::vector<Model>& rows, const std::string& name, const Lookup& lookup) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Model& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  Model model;
  model.name = name;
  model.in_table = false;
  const std::optional<std::string> server = lookup("OPENAI_BASE_URL");
  model.providers = {server && !server->empty() ? Provider::openai : Provider::relay};
  return model;
}

double dollars(const Model& model, const Usage& usage) {
  if (!model.price) return 0;
  const auto fresh = static_cast<double>(std::max<std::int64_t>(usage.input_tokens - usage.cached_tokens, 0));
  return (fresh * model.price->input + static_cast<double>(usage.cached_tokens) * model.price->cached + static_cast<double>(usage.output_tokens) * model.price->output) / kMillion;
}

}  // namespace ka::llm
