#include "bench/fingerprint.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "os/environment.h"
#include "os/machine.h"
#include "os/process.h"

namespace ka::bench {

Json to_json(const Fingerprint& fingerprint) {
  return {{"gpu", fingerprint.gpu}, {"driver", fingerprint.driver}, {"power_limit", fingerprint.power_limit}, {"torch", fingerprint.torch}, {"triton", fingerprint.triton}};
}

Result<Fingerprint> fingerprint_of(const std::string& device, std::optional<int> gpu, const bridge::InterpreterFacts& facts) {
  Fingerprint out;
  out.torch = facts.torch;
  out.triton = facts.triton;
  if (device != "cuda") {
    KA_ASSIGN(const os::Machine machine, os::query_machine("."));
    out.gpu = fmt::format("cpu, {} cores", machine.cores);
    return out;
  }
  const std::optional<std::string> program = os::find_program("nvidia-smi");
  if (!program) return environment_error("nvidia-smi is missing: nobody tells which GPU this is");
  os::ProcessSpec spec;
  spec.argv = {*program, fmt::format("--id={}", gpu.value_or(0)), "--query-gpu=name,driver_version,power.limit", "--format=csv,noheader,nounits"};
  spec.env = os::clean_environment();
  KA_ASSIGN(const os::CommandResult result, os::run_command(spec, os::Deadline::in(std::chrono::seconds(10)), os::CancelToken{}));
  const std::vector<std::string> cells = split(trim(result.out), ',');
  if (result.timed_out || !result.status.success() || cells.size() != 3) return environment_error("nvidia-smi does not tell which GPU this is");
  out.gpu = trim(cells[0]);
  out.driver = trim(cells[1]);
  out.power_limit = trim(cells[2]);
  return out;
}

}  // namespace ka::bench
