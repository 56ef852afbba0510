#include "report/test_runs.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "model/run_directory.h"

namespace ka::report {

void put(const std::string& path, std::string_view text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string make_run(const std::string& root, const std::string& id, const std::string& created,
                     const std::map<std::string, std::string>& artifacts) {
  const model::RunInfo info{1, id, created, "kernelagent auto --problem net.py --verify", "0.1.0", {}};
  model::RunDirectory run = model::RunDirectory::create(root + "/.fuse", info).value();
  for (const auto& [name, content] : artifacts) {
    KA_CHECK(bool(run.write_artifact(name, content)));
    KA_CHECK(bool(run.record(name == "summary.json" ? "summary" : "synth", name == "summary.json" ? "" : name,
                             {name})));
  }
  return run.path();
}

model::RunSummary summary(const std::string& id, bool success, bool verified) {
  model::RunSummary value;
  value.run_id = id;
  value.command = "kernelagent auto --problem net.py --verify";
  value.problem_path = "models/net.py";
  value.route = "fuse";
  value.success = success;
  value.exit_code = success ? 0 : 1;
  value.message = success ? "the kernel computes what the program computes"
                          : "result.close: too far from what PyTorch gives";
  value.started = "2026-11-15T06:40:20.123Z";
  value.finished = "2026-11-15T06:40:24.623Z";
  value.device = "cpu";
  value.composition = model::Composition{success, "kernel.py", "", verified, {}, "", {}};
  value.times = {{"graph", 0.5}, {"verify", 3.0}, {"synth", 0.5}};
  value.versions = {{"torch", "2.11"}, {"triton", "3.6"}};
  return value;
}

model::Verdict accepted_verdict() {
  model::Verdict value;
  value.accepted = true;
  value.reason = "the kernel computes what the program computes";
  value.problem.path = "models/net.py";
  value.kernel = {"kernel.py", "kernel_function", "", {}};
  value.precision = {"fp32", 1e-3, 1e-3, 16, 1.25, 1e-6, 1e-6, {}};
  value.checks = {{"draws", 10, "given, normal", {}}, {"repeats", 2, "bit for bit", {}}};
  value.sandbox.level = "full";
  value.device = "cpu";
  value.versions = {"0.1.0", "3.11", "2.11", "3.6", {}};
  value.reproduce = "kernelagent verify --problem models/net.py --kernel kernel.py";
  value.times = {{"total", 3.0}, {"kernel", 2.0}, {"reference", 1.0}};
  return value;
}

model::Verdict refused_verdict() {
  model::Verdict value = accepted_verdict();
  value.accepted = false;
  value.rule = "result.close";
  value.reason = "too far from what PyTorch gives";
  value.detail = "3 of 4800 elements are wrong";
  value.worst = model::WorstElement{0, {3, 240}, 0, 1, 1, {}};
  return value;
}

model::Route fuse_route() {
  model::Route value;
  value.strategy = "fuser";
  value.decided_by = "rules";
  value.confidence = 1;
  value.rationale =
      "a graph that becomes several kernels is fused and composed: 5 operations became 2 kernels";
  value.rules = {{"one_kernel", false, "a graph that becomes one kernel is written directly", {}},
                 {"several_kernels", true, value.rationale, {}},
                 {"short_program", true, "everything else is tried as one kernel: 1 operation in a row", {}}};
  return value;
}

model::Subgraph linear_part(const std::string& id) {
  model::Subgraph part;
  part.id = id;
  part.type = "linear_relu";
  part.ops = {{"linear", "t", "", {{"input", {"\"x\""}}, {"weight", {"\"weight\""}}}, {}, {}, {}}, {"relu", "y", "", {{"self", {"\"t\""}}}, {}, {}, {}}};
  part.inputs = {{"x", ir::DType::float32, {4, 8}, {}, {}}};
  part.weights = {{"weight", ir::DType::float32, {8, 8}, {}, {}}};
  part.outputs = {{"y", ir::DType::float32, {4, 8}, {}, {}}};
  part.where = "blocks.0";
  part.source = {"Block", "return torch.relu(self.fc(x))", {}};
  part.count = 2;
  return part;
}

std::string text(const model::RunSummary& value) {
  return to_pretty_json_text(model::to_json(value));
}
std::string text(const model::Verdict& value) {
  return to_pretty_json_text(model::to_json(value));
}
std::string text(const model::Route& value) {
  return to_pretty_json_text(model::to_json(value));
}

}  // namespace ka::report
