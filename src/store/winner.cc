#include "store/winner.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/python_tokens.h"
#include "base/strings.h"

namespace ka::store {
namespace {

constexpr int kSchema = 1;
constexpr std::size_t kDigits = 64;
constexpr const char* kEntry = "kernel_function";
constexpr const char* kInner = "winning_function";  // what the entry of an adapted kernel calls

bool is_hash(std::string_view text) { return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }
bool is_time(double ms) { return std::isfinite(ms) && ms > 0; }

bool is_in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

// Names of a text that are neither in strings nor in comments, each handed to `visit` with what it is to be replaced by.
template <typename Visit>
std::string each_name(std::string_view text, const Visit& visit) {
  std::string out;
  for (const Token& token : python_tokens(text)) {
    if (token.kind != TokenKind::plain && token.kind != TokenKind::definition) {
      out += token.text;
      continue;
    }
    for (std::size_t at = 0; at < token.text.size();) {
      std::size_t end = at;
      while (end < token.text.size() && is_in_name(token.text[end])) ++end;
      if (end > at) out += visit(token.text.substr(at, end - at));
      else out += token.text[end++];
      at = end;
    }
  }
  return out;
}

std::string major_of(const std::string& version) {
  const std::vector<std::string> parts = split(version, '.');
  return parts[0] == "0" && parts.size() > 1 ? "0." + parts[1] : parts[0];
}

}  // namespace

Json to_json(const Winner& winner) {
  return {{"signature", winner.signature}, {"gpu", winner.gpu}, {"device", winner.device},
          {"versions", {{"kernelagent", winner.versions.kernelagent}, {"torch", winner.versions.torch}, {"triton", winner.versions.triton}}},
          {"kernel", winner.kernel}, {"kernel_sha256", winner.kernel_sha256}, {"entry", winner.entry}, {"weights", winner.weights}, {"input_ms", winner.input_ms}, {"best_ms", winner.best_ms},
          {"floor_ms", winner.floor_ms}, {"moves", winner.moves}, {"when", winner.when}, {"run_id", winner.run_id}, {"problem", winner.problem}};
}

Result<Winner> winner_from_json(const Json& json) {
  FieldReader in(json, "winner");
  Winner out;
  out.signature = in.required<std::string>("signature");
  out.gpu = in.required<std::string>("gpu");
  out.device = in.required<std::string>("device");
  if (const Json* const versions = in.required_object("versions")) {
    FieldReader of(*versions, "versions");
    out.versions = {of.required<std::string>("kernelagent"), of.required<std::string>("torch"), of.required<std::string>("triton")};
    if (!of.good()) in.fail(of.status().error());
  }
  out.kernel = in.required<std::string>("kernel");
  out.kernel_sha256 = in.required<std::string>("kernel_sha256");
  out.entry = in.required<std::string>("entry");
  out.weights = in.required<std::vector<std::string>>("weights");
  out.input_ms = in.required<double>("input_ms");
  out.best_ms = in.required<double>("best_ms");
  out.floor_ms = in.required<double>("floor_ms");
  out.moves = in.required<std::vector<std::string>>("moves");
  out.when = in.required<std::string>("when");
  out.run_id = in.required<std::string>("run_id");
  out.problem = in.required<std::string>("problem");
  KA_TRY(in.status());
  if (!is_hash(out.signature)) in.fail("signature", "a SHA-256 in hexadecimal is accepted");
  if (out.kernel_sha256 != sha256_hex(out.kernel)) in.fail("kernel_sha256", "it is not the hash of the kernel's text");
  if (out.gpu.empty()) in.fail("gpu", "it is empty");
  if ((out.device == "cpu") != (out.gpu == kInterpreter) || (out.device != "cpu" && out.device != "cuda")) in.fail("device", fmt::format("cuda, or cpu with the GPU \"{}\"", kInterpreter));
  if (!is_time(out.input_ms) || !is_time(out.best_ms)) in.fail("best_ms", "times are above 0");
  if (!std::isfinite(out.floor_ms) || out.floor_ms < 0) in.fail("floor_ms", "it is no time");
  KA_TRY(in.status());
  return out;
}

std::string export_text(const std::vector<Winner>& winners) {
  Json list = Json::array();
  for (const Winner& one : winners) list.push_back(to_json(one));
  return to_pretty_json_text({{"schema", kSchema}, {"winners", std::move(list)}});
}

Result<std::vector<Winner>> parse_export(std::string_view text, const std::string& path) {
  KA_ASSIGN(const Json json, parse_json(text, path));
  FieldReader in(json, path);
  const auto schema = in.required<std::int64_t>("schema");
  const Json* const list = in.required_array("winners");
  KA_TRY(in.status());
  if (schema != kSchema) return invalid_input(fmt::format("{}: its schema is {}, and {} is what this version reads", path, schema, kSchema));
  std::vector<Winner> out;
  for (const Json& item : *list) {
    Result<Winner> one = winner_from_json(item);
    if (!one) return one.error().with(fmt::format("{}: entry {}", path, out.size()));
    out.push_back(std::move(*one));
  }
  return out;
}

bool fits(const WinnerVersions& measured, const WinnerVersions& here) {
  return major_of(measured.kernelagent) == major_of(here.kernelagent) && major_of(measured.torch) == major_of(here.torch) && major_of(measured.triton) == major_of(here.triton);
}

Result<std::string> text_for(const Winner& winner, std::size_t inputs, const std::vector<std::string>& weights) {
  if (winner.weights == weights) return winner.kernel;
  if (winner.weights.size() != weights.size() || winner.entry != kEntry) return unsupported(fmt::format("it takes its weights by other names, and its entry is {}", winner.entry));
  std::set<std::string, std::less<>> used;
  const std::string inner = each_name(winner.kernel, [&](std::string_view name) {
    used.emplace(name);
    return name == kEntry ? std::string(kInner) : std::string(name);
  });
  if (used.contains(kInner)) return unsupported(fmt::format("it takes its weights by other names, and has a {} of its own", kInner));
  std::vector<std::string> taken, given;
  for (std::size_t i = 0; i < inputs; ++i) taken.push_back(fmt::format("input_{}", i));
  given = taken;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!used.contains(winner.weights[i])) continue;
    taken.push_back(weights[i]);
    given.push_back(fmt::format("{}={}", winner.weights[i], weights[i]));
  }
  return fmt::format("{}\n\n\ndef {}({}):\n    return {}({})\n", trim(inner), kEntry, fmt::join(taken, ", "), kInner, fmt::join(given, ", "));
}

std::string told(const Winner& winner) {
  const std::string share = winner.floor_ms > 0 ? fmt::format(", {:.1f} % of the least possible time", 100 * winner.efficiency()) : "";
  return fmt::format("from the store of winners: {:.4f} ms on {}{}, measured by {} on {}", winner.best_ms, winner.gpu, share, winner.run_id, winner.when.substr(0, 10));
}

}  // namespace ka::store
