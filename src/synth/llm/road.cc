#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.h"
#include "synth/llm/open_chat.h"

namespace ka::llm {
namespace {

constexpr const char* kPlaceholder = "your-api-key-here";
constexpr std::string_view kOpenAiBase = "https://api.openai.com/v1";

struct ProviderRow {
  Provider provider;
  const char* base_variable;
  std::string_view default_base;
  const char* key_variable;  // null: it takes none
};
constexpr std::array kRows = {
    ProviderRow{Provider::openai, "OPENAI_BASE_URL", kOpenAiBase, "OPENAI_API_KEY"},
    ProviderRow{Provider::anthropic, "ANTHROPIC_BASE_URL", "https://api.anthropic.com", "ANTHROPIC_API_KEY"},
    ProviderRow{Provider::relay, "LLM_RELAY_URL", "http://127.0.0.1:11434", nullptr},
};

std::string variable(const Lookup& lookup, const std::string& name) { return trim(lookup(name).value_or("")); }

Result<const Wire*> wire_of(const ProviderRow& row, const Model& model, const Server& server, const Lookup& lookup) {
  if (row.provider == Provider::anthropic) return &kAnthropic;
  if (row.provider == Provider::relay) return &kRelay;
  const std::string asked = variable(lookup, "OPENAI_API");
  if (!asked.empty() && asked != "responses" && asked != "chat")
    return invalid_input(fmt::format("OPENAI_API: unknown value \"{}\"; accepted: responses, chat", elide_middle(asked, 60)));
  std::string form = asked.empty() ? model.wire : asked;
  if (form.empty()) form = server.base_url == kOpenAiBase ? "responses" : "chat";
  return form == "responses" ? &kOpenAiResponses : &kOpenAiChat;
}

Result<Road> road_by(const ProviderRow& row, const Model& model, const Lookup& lookup) {
  Road road{model, {}, nullptr};
  const std::string base = variable(lookup, row.base_variable);
  const bool own = !model.base_url.empty();
  road.server.provider = row.provider;
  road.server.base_url = own ? model.base_url : base.empty() ? std::string(row.default_base) : base;
  while (road.server.base_url.ends_with('/')) road.server.base_url.pop_back();
  if (const Status good = os::check_http_url(road.server.base_url); !good) return good.error().with(own ? model.name : row.base_variable);
  KA_ASSIGN(road.wire, wire_of(row, model, road.server, lookup));
  road.server.key_variable = !model.key_variable.empty() ? model.key_variable : row.key_variable != nullptr && !own ? row.key_variable : "";
  if (!road.server.key_variable.empty()) road.server.key = variable(lookup, road.server.key_variable);
  if (road.server.key == kPlaceholder) road.server.key.clear();
  if (std::any_of(road.server.key.begin(), road.server.key.end(), [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; }))
    return environment_error(fmt::format("the key in {} has a blank or a control character in it", road.server.key_variable));
  // A server of one's own may need no key; those of the providers do.
  const bool needed = road.server.base_url == row.default_base || !model.key_variable.empty();
  if (needed && !road.server.key_variable.empty() && road.server.key.empty())
    return environment_error(fmt::format("no key for {}: {} is not set (in the environment or in .env)", model.name, road.server.key_variable));
  return road;
}

const ProviderRow& row_of(Provider provider) {
  return *std::find_if(kRows.begin(), kRows.end(), [&](const ProviderRow& row) { return row.provider == provider; });
}

}  // namespace

Result<Road> find_road(const Model& model, const Lookup& lookup) {
  if (!os::http_available()) return environment_error("this build has no HTTP client (it was built without libcurl), so no language model can be asked");
  std::optional<Error> first;
  bool without_relay = false;
  for (const Provider provider : model.providers) {
    const ProviderRow& row = row_of(provider);
    const bool last = provider == model.providers.back();
    // A relay that nobody has set up is the last thing to try, unless it is the only one.
    if (provider == Provider::relay && !last && variable(lookup, row.base_variable).empty()) {
      without_relay = true;
      continue;
    }
    Result<Road> road = road_by(row, model, lookup);
    if (road) return road;
    if (!first) first = road.error();
  }
  if (!first) return internal_error("a model without a provider");
  if (without_relay) first->message += "; nor is LLM_RELAY_URL";
  return *first;
}

Result<Road> find_road(const std::string& model, const Lookup& lookup) {
  if (model.empty()) return invalid_input("no model is named");
  if (std::any_of(model.begin(), model.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
    return invalid_input("the name of the model has a control character in it");
  KA_ASSIGN(const std::vector<Model> rows, all_models(lookup));
  return find_road(find_model(rows, model, lookup), lookup);
}

}  // namespace ka::llm
