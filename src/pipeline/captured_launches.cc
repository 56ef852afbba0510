#include "pipeline/captured_launches.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "bridge/captured.h"
#include "ir/dtype.h"

namespace ka::pipeline {
namespace {

std::string counted(double count, const char* noun) { return fmt::format("{:.0f} {}{}", count, noun, count == 1 ? "" : noun[std::char_traits<char>::length(noun) - 1] == 'h' ? "es" : "s"); }

Replay no(const std::string& why) { return {false, fmt::format("launches are made one by one: {}", why)}; }

// What a graph cannot hold, of a program that is written as a whole.
std::string why_not(const Generated& made, const std::string& platform) {
  if (platform != "cuda") return fmt::format("a graph of {} is not written", platform);
  if (!made.plan.randoms.empty()) return "the program draws random numbers, and a graph would hold those of its capture";
  if (made.file.text.find("= torch.tensor(") != std::string::npos) return "a table of the program is made of numbers in every call, and a capture cannot copy it to the GPU";
  return "";
}

KernelCall call_of(const Generated& made) {
  std::map<std::string, std::int64_t> given;
  const ir::Graph& graph = made.program.graph;
  for (const ir::SizeSource& size : graph.sizes) given[size.symbol] = size.given;
  KernelCall out{made.cost.launches, made.cost.seconds, 0, 0};
  const auto copy = [&](ir::ValueId value) {
    out.copied_bytes += static_cast<double>(ir::evaluate(ir::product(graph.shape(value)), given).value_or(1)) * static_cast<double>(ir::size_of(graph.type(value).dtype));
    ++out.copies;
  };
  for (const ir::Argument& argument : graph.arguments) {
    if (argument.kind == ir::ArgumentKind::input && argument.value >= 0) copy(argument.value);
  }
  for (const ir::ValueId output : graph.outputs) copy(output);
  return out;
}

double bytes_of(const model::TensorType& tensor) {
  double out = static_cast<double>(ir::size_of(tensor.dtype));
  for (const std::int64_t extent : tensor.shape) out *= static_cast<double>(extent);
  return out;
}

// Of the parts no more is known than their launches: their kernels are taken for as short as a kernel can be.
KernelCall call_of(const compose::Composed& composed, const compose::Program& program, const std::vector<model::Subgraph>& subgraphs, const ir::Gpu& gpu) {
  std::map<std::string, double> bytes;
  for (const model::Subgraph& subgraph : subgraphs) {
    for (const model::SubgraphCall& call : subgraph.calls) {
      for (std::size_t i = 0; i < std::min(call.inputs.size(), subgraph.inputs.size()); ++i) bytes[call.inputs[i]] = bytes_of(subgraph.inputs[i]);
      for (std::size_t i = 0; i < std::min(call.outputs.size(), subgraph.outputs.size()); ++i) bytes[call.outputs[i]] = bytes_of(subgraph.outputs[i]);
    }
  }
  const auto launches = static_cast<double>(composed.launches);
  KernelCall out{launches, launches * gpu.launch_seconds, 0, program.inputs.size() + composed.returned.size()};
  for (const auto* names : {&program.inputs, &composed.returned}) {
    for (const std::string& name : *names) out.copied_bytes += bytes[name];
  }
  return out;
}

}  // namespace

Replay replay_of(const KernelCall& call, const ir::Gpu& gpu) {
  const auto copies = static_cast<double>(call.copies);
  const double copying = 2 * call.copied_bytes / gpu.bytes + copies * gpu.launch_seconds;
  const double one_by_one = std::max(call.seconds, call.launches * gpu.python_launch_seconds);
  const double replayed = std::max(call.seconds + copying, (copies + 1) * gpu.python_launch_seconds);
  const std::string costs = fmt::format("{} instead of {} for {} by Python, {} of it for {}", partition::time_text(replayed), partition::time_text(one_by_one),
                                        counted(call.launches, "launch"), partition::time_text(copying), copies == 1 ? "1 copy" : fmt::format("{:.0f} copies", copies));
  if (replayed >= one_by_one) return no(fmt::format("a replay would take {}", costs));
  return {true, fmt::format("launches are captured as a CUDA graph and replayed: {}", costs)};
}

bool capture_launches(Generated& made, const std::string& platform) {
  if (!made.gpu.writes(ir::Form::graphs)) return false;
  const std::string why = why_not(made, platform);
  Replay replay = why.empty() ? replay_of(call_of(made), made.gpu) : no(why);
  if (replay.wins) {
    Result<std::string> text = bridge::with_captured_launches(made.file.text);
    if (text) made.file.text = std::move(*text);
    else replay = no(text.error().message);
  }
  made.decisions.push_back(replay.sentence);
  return replay.wins;
}

std::string capture_launches(compose::Composed& composed, const compose::Program& program, const std::vector<model::Subgraph>& subgraphs, const std::string& platform, const ir::Gpu& gpu) {
  if (!gpu.writes(ir::Form::graphs)) return "";
  if (platform != "cuda") return no(fmt::format("a graph of {} is not written", platform)).sentence;
  if (!composed.torch_parts.empty()) return no("a part is PyTorch").sentence;
  if (!composed.uncaptured.empty()) return no(composed.uncaptured).sentence;
  Replay replay = replay_of(call_of(composed, program, subgraphs, gpu), gpu);
  if (replay.wins) {
    Result<std::string> text = bridge::with_captured_launches(composed.text);
    if (text) composed.text = std::move(*text);
    else replay = no(text.error().message);
  }
  return replay.sentence;
}

}  // namespace ka::pipeline
