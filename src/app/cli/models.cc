#include "app/cli/models.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/settings.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "os/http.h"
#include "synth/llm/open_chat.h"

namespace ka::app {
namespace {

constexpr std::chrono::milliseconds kRelayPatience{2000};

struct ModelRow {
  llm::Model model;
  std::string provider, address, wire;
  std::string reason;  // why it cannot be asked; empty: it can
};

// Only a relay that somebody has set up is asked: nothing else on this machine should get a visit because of a list.
std::string relay_trouble(const llm::Lookup& lookup, const std::string& address, const os::CancelToken& cancel) {
  if (trim(lookup("LLM_RELAY_URL").value_or("")).empty()) return "LLM_RELAY_URL is not set";
  os::HttpClient http;
  os::HttpRequest request;
  request.url = address + "/";
  request.limits.connect = request.limits.total = kRelayPatience;
  const Result<os::HttpHead> head = http.call(request, {}, cancel);
  return head ? "" : head.error().message;
}

std::string providers_text(const llm::Model& model) {
  std::string out;
  for (const llm::Provider provider : model.providers) out += (out.empty() ? "" : ", ") + std::string(llm::to_string(provider));
  return out;
}

std::vector<ModelRow> rows_of(const std::vector<llm::Model>& models, const llm::Lookup& lookup, const os::CancelToken& cancel) {
  std::vector<ModelRow> rows;
  std::optional<std::string> relay;
  for (const llm::Model& model : models) {
    ModelRow row{model, providers_text(model), "", "", ""};
    const Result<llm::Road> road = llm::find_road(model, lookup);
    if (road) {
      row.provider = llm::to_string(road->server.provider);
      row.address = os::shown_url(road->server.base_url);
      row.wire = road->wire->name;
    } else {
      row.reason = road.error().message;
    }
    if (road && road->server.provider == llm::Provider::relay) {
      if (!relay) relay = relay_trouble(lookup, road->server.base_url, cancel);
      row.reason = *relay;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string tokens_text(std::int64_t tokens) { return tokens > 0 ? fmt::format("{}k", (tokens + 500) / 1000) : "-"; }

std::string price_text(const llm::Model& model) {
  return model.price ? fmt::format("{:g} / {:g} / {:g}", model.price->input, model.price->cached, model.price->output) : "-";
}

Json row_json(const ModelRow& row) {
  Json json = {{"name", row.model.name}, {"provider", row.provider}, {"context_tokens", row.model.context_tokens}, {"output_tokens", row.model.output_tokens},
               {"usable", row.reason.empty()}, {"reason", row.reason}, {"address", row.address}, {"wire", row.wire}, {"price", nullptr}};
  if (row.model.price) json["price"] = {{"input", row.model.price->input}, {"cached", row.model.price->cached}, {"output", row.model.price->output}};
  return json;
}

void print_table(const std::vector<ModelRow>& rows) {
  std::size_t width = 5;
  for (const ModelRow& row : rows) width = std::max(width, row.model.name.size());
  fmt::print("{:<{}}  {:<13}  {:>7}  {:>6}  {:<19}  usable\n", "model", width, "provider", "context", "output", "$ per million: *");
  for (const ModelRow& row : rows) {
    const std::string context = tokens_text(row.model.context_tokens), output = tokens_text(row.model.output_tokens);
    const std::string usable = row.reason.empty() ? "yes, " + row.address : "no: " + row.reason;
    fmt::print("{:<{}}  {:<13}  {:>7}  {:>6}  {:<19}  {}\n", row.model.name, width, row.provider, context, output, price_text(row.model), usable);
  }
  const auto usable = std::count_if(rows.begin(), rows.end(), [](const ModelRow& row) { return row.reason.empty(); });
  fmt::print("* input / cached input / output tokens\n{} of {} models can be asked; ", usable, rows.size());
  fmt::print("other names go to OPENAI_BASE_URL where it is set, else to the relay (docs/models.md)\n");
}

}  // namespace

Result<int> run_models(const Arguments& arguments, AppContext& context) {
  if (!arguments.positional().empty()) return invalid_input(fmt::format("unexpected argument \"{}\"", arguments.positional()[0]));
  const llm::Lookup lookup = [&settings = arguments.settings()](const std::string& name) { return settings.lookup(name); };
  KA_ASSIGN(const std::vector<llm::Model> models, llm::all_models(lookup));
  const std::vector<ModelRow> rows = rows_of(models, lookup, context.cancel);
  if (context.cancel.cancelled()) return cancelled_error("interrupted");
  if (!arguments.has("--json")) {
    print_table(rows);
    return 0;
  }
  Json list = Json::array();
  for (const ModelRow& row : rows) list.push_back(row_json(row));
  fmt::print("{}", to_pretty_json_text({{"models", list}, {"http_client", os::http_available()}}));
  return 0;
}

}  // namespace ka::app
