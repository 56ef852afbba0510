// Running a fresh program in a sandbox. A small process of its own, the launcher, forks the program and
// watches it: the caller stays free of namespaces, and a caller with a big heap pays for no copy of its page
// tables.
//
//   LaunchRequest request{.policy = policy, .argv = {"/usr/bin/python3", "-I", "job.py"}};
//   KA_ASSIGN(LaunchOutcome outcome, run_launcher(request));
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/sandbox_policy.h"

namespace ka::os {

struct LaunchRequest {
  std::string policy;
  std::vector<std::string> argv;
  std::vector<std::string> env;  // "NAME=value"; nothing else of our environment is handed on
  int stdin_fd = -1;             // -1: /dev/null
  int stdout_fd = -1;
  int stderr_fd = -1;
  std::chrono::milliseconds deadline{60000};
  std::string launcher = "/proc/self/exe";  // a program that hands `__launch` to sandbox_launch_main
};

struct LaunchOutcome {
  int exit_code = 0;  // meaningless when signal != 0
  int signal = 0;
  bool timed_out = false;
  double wall_s = 0;
  double cpu_s = 0;  // of the program and of those of its children that it waited for
  long max_rss_kib = 0;
};

// Runs the program to its end, or kills it with all its descendants at the deadline; nothing of it is left
// when this returns. An Error means that the program did not run: the policy could not be made true, or it
// could not be executed.
Result<LaunchOutcome> run_launcher(const LaunchRequest& request);

// The launcher itself, for `kernelagent __launch`:
//   --policy-fd N --report-fd N [--deadline-ms N] -- program args    runs the program as above; exits with
//   its code, with
//                                                                    128 + signal, or with 125 when it did
//                                                                    not run
//   --nest -- program args      as an ordinary user: starts the program with the right to make namespaces (as
//   process 1 of a
//                               pid namespace in a user namespace of its own, the same files). For the warm
//                               interpreter.
// SIGTERM, SIGINT and SIGHUP end the program and then the launcher. argv[0] is "__launch".
int sandbox_launch_main(int argc, char** argv);

// For a process with one thread that will fork once: gives it the right to make namespaces, if it has not got
// it.
Complaint prepare_to_fork();

// Enters the policy in a forked process and leaves again. Empty: it can be entered.
Complaint try_policy(const std::string& policy);

}  // namespace ka::os
