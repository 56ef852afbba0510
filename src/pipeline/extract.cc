#include "pipeline/extract.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "base/tar_gz.h"
#include "compose/check.h"
#include "graph/fragment.h"
#include "graph/reference_text.h"
#include "ir/python_text.h"
#include "partition/cut.h"
#include "route/decide.h"

namespace ka::pipeline {
namespace {

constexpr std::chrono::seconds kRefactoredLimit{60};
constexpr std::size_t kMostWords = 4;   // of an id
constexpr std::size_t kMostLines = 40;  // of a piece of source
// They move nothing, or say nothing about what a part computes.
constexpr std::array<std::string_view, 21> kQuiet = {"view",     "reshape", "permute", "transpose", "t",          "contiguous", "clone", "expand",  "unsqueeze", "squeeze", "slice",
                                                     "select",   "to",      "getitem", "flatten",   "unsafe_view", "alias",     "detach", "numpy_T", "unflatten", "split"};

bool is_quiet(const std::string& name) { return std::find(kQuiet.begin(), kQuiet.end(), name) != kQuiet.end(); }

// "conv2d_batch_norm_relu": what it does, each word once.
std::string type_of(const model::Subgraph& subgraph) {
  std::vector<std::string> words, all;
  for (const model::SubgraphOp& op : subgraph.ops) {
    const std::string word = ir::short_name(op.op);
    if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
    if (!is_quiet(word) && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  if (words.empty()) words = all;
  if (words.empty()) words.push_back("copy");
  if (words.size() > kMostWords) words.resize(kMostWords);
  return join(words, "_");
}

// Images of this many dimensions, where an operator speaks of them.
std::string layout_of(const model::Subgraph& subgraph) {
  for (const model::SubgraphOp& op : subgraph.ops) {
    const std::string name = ir::short_name(op.op);
    if (name.find("2d") != std::string::npos) return "NCHW";
    if (name.find("3d") != std::string::npos) return "NCDHW";
    if (name.find("1d") != std::string::npos) return "NCL";
  }
  for (const model::TensorType& input : subgraph.inputs) {
    if (input.shape.size() == 4 && type_of(subgraph).find("batch_norm") != std::string::npos) return "NCHW";
  }
  return "";
}

ir::DType main_dtype(const model::Subgraph& subgraph) {
  for (const std::vector<model::TensorType>* tensors : {&subgraph.outputs, &subgraph.inputs, &subgraph.weights}) {
    for (const model::TensorType& tensor : *tensors) {
      if (ir::is_float(tensor.dtype)) return tensor.dtype;
    }
  }
  return subgraph.outputs.empty() ? ir::DType::float32 : subgraph.outputs[0].dtype;
}

// The lines of the problem from which it came, in order, each once.
void add_source(model::Subgraph& subgraph, const verify::ProblemSource& problem) {
  const std::string file = problem.path.substr(problem.path.rfind('/') + 1);
  const std::vector<std::string> lines = split(problem.text, '\n');
  std::set<std::size_t> numbers;
  std::vector<std::string> places;
  for (const model::SubgraphOp& op : subgraph.ops) {
    const std::size_t colon = op.where.rfind(':');
    if (colon == std::string::npos) continue;
    if (std::find(places.begin(), places.end(), op.where) == places.end()) places.push_back(op.where);
    const std::string name = op.where.substr(0, colon), number = op.where.substr(colon + 1);
    const bool is_number = !number.empty() && number.size() < 7 && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && name.substr(name.rfind('/') + 1) == file && numbers.size() < kMostLines) numbers.insert(std::stoul(number));
  }
  std::string code;
  for (const std::size_t number : numbers) {
    if (number >= 1 && number <= lines.size()) code += std::string(lines[number - 1]) + "\n";
  }
  subgraph.where = join(places, ", ");
  subgraph.source = {problem.object.empty() ? "Model" : problem.object, code, {}};
}

// "conv2d_relu" -> "Conv2dRelu"
std::string class_name(const std::string& id) {
  std::string out;
  bool upper = true;
  for (const char c : id) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out;
}

struct OrderedCall {
  const model::Subgraph* subgraph;
  const model::SubgraphCall* call;
};

std::vector<OrderedCall> calls_in_order(const std::vector<model::Subgraph>& subgraphs) {
  std::vector<OrderedCall> out;
  for (const model::Subgraph& subgraph : subgraphs) {
    for (const model::SubgraphCall& call : subgraph.calls) out.push_back({&subgraph, &call});
  }
  std::sort(out.begin(), out.end(), [](const OrderedCall& a, const OrderedCall& b) { return a.call->order < b.call->order; });
  return out;
}

// One module per part, and forward, which calls them.
Result<partition::Refactored> refactored(const std::vector<model::Subgraph>& subgraphs, const Frame& frame) {
  partition::Refactored out;
  out.text = "import torch\nfrom torch import nn\n";
  std::map<std::string, std::string> keyword;
  for (const auto& [name, word] : frame.weights) keyword[name] = word;
  for (const model::Subgraph& subgraph : subgraphs) {
    KA_ASSIGN(const graph::Exported exported, graph::exported_of(subgraph));
    KA_ASSIGN(const graph::Imported imported, graph::import_program(exported));
    out.text += "\n\n" + graph::module_text(subgraph, imported, class_name(subgraph.id));
  }
  std::vector<std::string> taken = frame.inputs;
  if (!frame.weights.empty()) taken.push_back("*");
  for (const auto& [name, word] : frame.weights) taken.push_back(word);
  taken.push_back("**_");
  out.text += fmt::format("\n\ndef forward({}):\n", fmt::join(taken, ", "));
  for (const auto& [subgraph, call] : calls_in_order(subgraphs)) {
    std::vector<std::string> given = call->inputs;
    for (std::size_t i = 0; i < call->weights.size(); ++i) {
      if (subgraph->weights[i].role != "constant") given.push_back(keyword[call->weights[i]]);
    }
    const std::string made = call->outputs.empty() ? "" : join(call->outputs, ", ") + " = ";
    out.text += fmt::format("    {}{}()({})\n", made, class_name(subgraph->id), fmt::join(given, ", "));
  }
  out.text += fmt::format("    return {}\n", frame.returns);
  out.inputs = frame.inputs;
  out.weights = frame.weights;
  return out;
}

// The part that makes what another one reads, or else one that reads what it makes.
std::optional<std::size_t> neighbour(const std::vector<ir::Part>& parts, std::size_t of) {
  const auto has = [](const std::vector<ir::ProgramRef>& list, const ir::ProgramRef& ref) { return std::find(list.begin(), list.end(), ref) != list.end(); };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto made_here = [&](const ir::ProgramRef& ref) { return ref.op >= 0 && has(parts[i].outputs, ref); };
    if (i != of && std::any_of(parts[of].inputs.begin(), parts[of].inputs.end(), made_here)) return i;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto read_there = [&](const ir::ProgramRef& ref) { return ref.op >= 0 && has(parts[i].inputs, ref); };
    if (i != of && std::any_of(parts[of].outputs.begin(), parts[of].outputs.end(), read_there)) return i;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {  // any that sees sizes: a table that is made from nothing has them from there
    if (i != of && !parts[i].inputs.empty()) return i;
  }
  return std::nullopt;
}

// The cut, but for parts that are no programs by themselves: a number in one (the height of an image that comes in as a row) may follow
// from sizes that only its neighbour sees. Those are not cut apart.
std::vector<ir::Part> parts_of(const Generated& whole) {
  const ir::Program program = graph::program_of(whole.exported);
  std::vector<std::vector<std::size_t>> together = whole.file.launches;
  std::set<std::string> good;  // signatures
  for (std::size_t before = SIZE_MAX;;) {
    std::vector<ir::Part> parts = partition::cut(whole.program.graph, whole.plan, together, program);
    if (parts.size() >= before) return parts;  // nothing could be joined
    before = parts.size();
    bool apart = true;
    for (std::size_t i = 0; apart && parts.size() > 1 && i < parts.size(); ++i) {
      const model::Subgraph subgraph = graph::subgraph_of(whole.exported, parts[i], 0);
      if (!good.insert(subgraph.signature).second) continue;
      const Result<graph::Exported> exported = graph::exported_of(subgraph);
      if (exported && graph::import_program(*exported)) continue;
      good.erase(subgraph.signature);
      const std::optional<std::size_t> other = neighbour(parts, i);
      if (!other) continue;
      together.push_back(parts[i].kernels);
      together.back().insert(together.back().end(), parts[*other].kernels.begin(), parts[*other].kernels.end());
      apart = false;
    }
    if (apart) return parts;
  }
}

}  // namespace

Frame frame_of(const graph::Exported& exported, const std::vector<model::Subgraph>& subgraphs) {
  const graph::ExportedGraph& graph = exported.samples[0];
  Frame out;
  std::set<std::string> used;
  for (const model::Subgraph& subgraph : subgraphs) {
    for (const model::SubgraphCall& call : subgraph.calls) used.insert(call.weights.begin(), call.weights.end());
  }
  for (const graph::ExportedArgument& argument : graph.arguments) {
    if (argument.kind == "input") out.inputs.push_back(argument.keyword);
    else if (argument.kind != "constant" && used.contains(argument.name)) out.weights.emplace_back(argument.name, argument.keyword);
  }
  std::vector<std::string> returned;
  for (const ir::ProgramRef& ref : graph::program_of(exported).outputs) {
    std::string name = graph::value_name(exported, ref);
    returned.push_back(ref.op < 0 ? name + "_copy" : name);
  }
  out.returns = ir::packed_text(graph.structure, returned);
  return out;
}

Result<Extracted> extract(const verify::ProblemSource& problem, OpenProgram& program, std::uint64_t seed, const os::CancelToken& cancel) {
  const Generated& whole = program.whole;
  Extracted out;
  std::map<std::string, std::size_t> known;  // by signature
  std::set<std::string> ids;
  std::int64_t order = 0;
  for (const ir::Part& part : program.parts) {
    model::Subgraph subgraph = graph::subgraph_of(whole.exported, part, order++);
    subgraph.layout = layout_of(subgraph);
    subgraph.dtype = main_dtype(subgraph);
    subgraph.signature = model::signature_of(subgraph);
    add_source(subgraph, problem);
    const auto [found, fresh] = known.try_emplace(subgraph.signature, out.subgraphs.size());
    if (!fresh) {
      model::Subgraph& first = out.subgraphs[found->second];
      ++first.count;
      first.calls.push_back(std::move(subgraph.calls[0]));
      continue;
    }
    subgraph.type = type_of(subgraph);
    if (!compose::is_identifier(subgraph.type)) subgraph.type += "_op";  // and, or, not
    subgraph.id = subgraph.type;
    for (int k = 2; !ids.insert(subgraph.id).second; ++k) subgraph.id = fmt::format("{}_{}", subgraph.type, k);
    out.subgraphs.push_back(std::move(subgraph));
  }
  for (const model::Subgraph& subgraph : out.subgraphs) {
    if (const Status good = model::check_subgraph(subgraph); !good) return internal_error(fmt::format("{}: the part {}: {}", problem.path, subgraph.id, good.error().message));
  }
  out.frame = frame_of(whole.exported, out.subgraphs);
  KA_ASSIGN(const partition::Refactored parts, refactored(out.subgraphs, out.frame));
  const Result<std::string> difference = program.side.compare_refactored(parts.text, seed, kRefactoredLimit, cancel);
  if (!difference && difference.error().kind == ErrorKind::cancelled) return difference.error();
  if (!difference) out.no_check = difference.error().message;
  else if (!difference->empty()) return internal_error(fmt::format("{}: the refactored program does not compute what the program computes: {}", problem.path, *difference));
  out.code = as_problem(parts, whole, fmt::format("{} in terms of its {} parts: a module for each, and forward, which calls them.", problem.path.substr(problem.path.rfind('/') + 1), out.subgraphs.size()));
  return out;
}

std::string frame_text(const Frame& frame) {
  Json weights = Json::array();
  for (const auto& [name, keyword] : frame.weights) weights.push_back({{"name", name}, {"keyword", keyword}});
  return to_pretty_json_text({{"inputs", frame.inputs}, {"weights", weights}, {"returns", frame.returns}});
}

Result<Frame> read_frame(std::string_view text, const std::string& path) try {
  KA_ASSIGN(const Json json, parse_json(text, path));
  Frame out;
  out.inputs = json.at("inputs").get<std::vector<std::string>>();
  out.returns = json.at("returns").get<std::string>();
  for (const Json& weight : json.at("weights")) out.weights.emplace_back(weight.at("name").get<std::string>(), weight.at("keyword").get<std::string>());
  return out;
} catch (const Json::exception& error) {
  return invalid_input(fmt::format("{}: not what kernelagent extract writes ({})", path, error.what()));
}

Result<OpenProgram> plan_program(const verify::ProblemSource& problem, const DispatchOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log) {
  const auto begin = std::chrono::steady_clock::now();
  KA_ASSIGN(ProgramSide side, open_program(problem, options.judge, options.choices, interpreter, cancel, log));
  GenerateChoices choices = options.choices;
  choices.checks_plan = false;  // the refactored program of the parts is held against the original, or the kernels are
  KA_ASSIGN(Generated whole, generate(problem, options.judge, choices, side, begin, cancel, log));
  std::vector<ir::Part> parts = parts_of(whole);
  if (parts.size() == 1) route::take_direct(whole.route, "one_part", "no value of the program lies between its kernels: there is nothing to compose");
  return OpenProgram{std::move(side), std::move(whole), std::move(parts)};
}

Result<ExtractFiles> extract_files(const verify::ProblemSource& problem, const DispatchOptions& options, OpenProgram& program, const os::CancelToken& cancel, EventLog* log) {
  ExtractFiles out;
  const Generated& whole = program.whole;
  KA_ASSIGN(out.extracted, extract(problem, program, options.judge.seed, cancel));
  out.files = {{"route.json", to_pretty_json_text(model::to_json(whole.route))},
               {"graph.txt", explanation(whole)},
               {"orchestrator/code.py.tgz", tar_gz({{"code.py", out.extracted.code}})},
               {kProgramFile, frame_text(out.extracted.frame)},
               {kSubgraphsFile, model::to_text(out.extracted.subgraphs)}};
  std::size_t calls = 0;
  for (const model::Subgraph& subgraph : out.extracted.subgraphs) calls += subgraph.calls.size();
  if (log != nullptr) log->info("extract", "done", fmt::format("{} parts, {} of them unique; the refactored program {}", calls, out.extracted.subgraphs.size(),
                                  out.extracted.no_check.empty() ? "computes what the program computes" : "was not executed: " + out.extracted.no_check));
  return out;
}

}  // namespace ka::pipeline
