#include "verify/arena.h"

#include <nlohmann/json.hpp>

namespace ka::verify {
namespace {

// As python/bridge/tensors.py lays arenas out: 64-byte alignment, and behind each tensor a gap of this pattern, which
// is a NaN in every floating type, so that reading past the end shows.
constexpr std::uint64_t kCanaryBytes = 256;
constexpr std::string_view kCanaryUnit = "\xf5\xff";

class ArenaBuilder {
 public:
  ir::TensorSpec add(ir::TensorSpec spec, std::span<const std::byte> bytes) {
    const std::span<const std::byte> from = bytes.subspan(spec.offset, spec.nbytes);
    text_.resize((text_.size() + ir::kTensorAlignment - 1) / ir::kTensorAlignment * ir::kTensorAlignment);
    spec.offset = text_.size();
    text_.append(reinterpret_cast<const char*>(from.data()), from.size());
    for (std::uint64_t i = 0; i < kCanaryBytes / kCanaryUnit.size(); ++i) text_.append(kCanaryUnit);
    return spec;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

Result<Arena> copy_arguments(const ArgumentSet& from, std::span<const std::byte> bytes) {
  ArenaBuilder builder;
  ArgumentSet arguments = from;
  for (Argument& argument : arguments.inputs)
    if (argument.tensor) argument.tensor = builder.add(*argument.tensor, bytes);
  for (auto& [name, spec] : arguments.weights) spec = builder.add(spec, bytes);
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_arguments"));
  KA_TRY(file.write(builder.text()));
  return Arena{std::move(file), std::move(arguments)};
}

Json to_json(const Argument& argument) {
  if (argument.tensor) return ir::to_json(*argument.tensor);
  return Json{{"scalar", Json::parse(argument.scalar)}};
}

Result<Argument> argument_from_json(const Json& json) {
  if (!json.is_object()) return invalid_input("an argument is described by an object");
  Argument argument;
  argument.name = json.value("name", "");
  if (json.contains("scalar")) {
    argument.scalar = json["scalar"].dump();
    return argument;
  }
  KA_ASSIGN(argument.tensor, ir::tensor_spec_from_json(json.contains("spec") ? json["spec"] : json));
  return argument;
}

Result<std::vector<ir::TensorSpec>> checked_specs(const Json& list, std::uint64_t file_size, ir::Storage storage,
                                                  const std::string& where) {
  if (!list.is_array()) return invalid_input(where + ": expected a list of tensors");
  std::vector<ir::TensorSpec> specs;
  for (const Json& item : list) {
    Result<ir::TensorSpec> spec = ir::tensor_spec_from_json(item);
    if (!spec) return spec.error().with(where);
    Status fits = ir::check_spec(*spec, file_size, storage);
    if (!fits) return fits.error().with(where);
    specs.push_back(std::move(*spec));
  }
  return specs;
}

TensorView view_of(const ir::TensorSpec& spec, std::span<const std::byte> bytes) {
  return {spec.dtype, spec.shape, bytes.subspan(spec.offset, spec.nbytes)};
}

}  // namespace ka::verify
