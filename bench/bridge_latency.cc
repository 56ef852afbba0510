// Costs of the warm interpreter: its start, and a request from spawn() to the first line of foreign code (a problem file
// that raises at once), sandbox included. Prints medians in milliseconds; targets: start 2000, request 30.
//   build/release/src/app/bench_bridge_latency [rounds]
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bridge/warm_interpreter.h"
#include "os/memory_file.h"
#include "os/sandbox_launch.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "__launch") return ka::os::sandbox_launch_main(argc - 1, argv + 1);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
  const ka::os::CancelToken never;
  ka::Result<std::string> python = ka::bridge::find_interpreter();
  if (!python) return fmt::print(stderr, "{}\n", python.error().message), 3;
  std::vector<double> starts, spawns, requests;
  for (int i = 0; i < 3; ++i) {
    ka::bridge::WarmInterpreter interpreter({*python});
    const auto begin = std::chrono::steady_clock::now();
    if (!interpreter.start(never)) return 1;
    starts.push_back(ka::os::seconds_since(begin) * 1e3);
  }
  ka::bridge::WarmInterpreter interpreter({*python});
  for (int i = 0; i < rounds; ++i) {
    if (!interpreter.start(never)) return 1;
    const auto begin = std::chrono::steady_clock::now();
    ka::Result<ka::bridge::Child> child = interpreter.spawn("reference", {}, never);
    if (!child) return fmt::print(stderr, "{}\n", child.error().message), 1;
    spawns.push_back(ka::os::seconds_since(begin) * 1e3);
    ka::Result<ka::os::MemoryFile> source = ka::os::MemoryFile::create("problem");
    if (!source || !source->write("raise ValueError('first line')\n")) return 1;
    const std::array fds = {source->fd()};
    const ka::Json message = {{"cmd", "load"},   {"name", nullptr},   {"filename", "p.py"}, {"mode", "train"},
                              {"device", "cpu"}, {"budget", nullptr}, {"seed", 1}};
    ka::Result<ka::bridge::Answer> answer = child->ask(message, fds, ka::os::Deadline::in(std::chrono::seconds(10)), never);
    if (!answer || answer->text.find("first line") == std::string::npos) return 1;
    requests.push_back(ka::os::seconds_since(begin) * 1e3);
  }
  const auto median = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  fmt::print("warm start                         {:8.1f} ms\n", median(starts));
  fmt::print("spawn (fork and sandbox)           {:8.1f} ms\n", median(spawns));
  fmt::print("request to first foreign line      {:8.1f} ms\n", median(requests));
  return 0;
}
