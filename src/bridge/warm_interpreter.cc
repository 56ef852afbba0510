#include "bridge/warm_interpreter.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "bridge/embedded.h"
#include "bridge/interpreter_state.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/machine.h"
#include "os/memory_file.h"
#include "os/packet_socket.h"

namespace ka::bridge {
namespace {

constexpr std::chrono::milliseconds kForkLimit{20'000};
constexpr std::chrono::milliseconds kShutdownLimit{700};  // then it is killed: it holds nothing that would be lost, and an interrupted run must end within two seconds

// In the environment of a launcher of ours.
constexpr const char* kLaunched = "KERNELAGENT_LAUNCHED";
// Descriptor numbers under which the interpreter finds what it is given; loader.py takes them as arguments.
constexpr int kControlFd = 3, kSourcesFd = 4, kLibraryFd = 5;

// What the interpreter and its children may see of our environment: where the GPU and its libraries are, nothing else.
constexpr std::array kPassedOn = {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "TRITON_LIBCUDA_PATH"};

std::string search_path() {
  return os::get_env("PATH").value_or("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
}

Json base_environment() {
  Json environment = {{"PATH", search_path()},
                      {"LANG", "C.UTF-8"},
                      {"PYTHONHASHSEED", "0"},
                      // Under a hypervisor that reports AMX but does not offer it, a bfloat16 product ends in SIGILL.
                      {"ONEDNN_MAX_CPU_ISA", "AVX512_CORE"},
                      {"OMP_NUM_THREADS", "1"},
                      {"OPENBLAS_NUM_THREADS", "1"},
                      {"MKL_NUM_THREADS", "1"}};
  for (const char* name : kPassedOn) {
    if (std::optional<std::string> value = os::get_env(name)) environment[name] = *value;
  }
  return environment;
}

Json child_environment(const std::string& scratch, std::optional<int> only_gpu) {
  Json environment = base_environment();
  if (only_gpu) {
    environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";  // that of nvidia-smi
    environment["CUDA_VISIBLE_DEVICES"] = std::to_string(*only_gpu);
  }
  environment["HOME"] = scratch;
  environment["TMPDIR"] = scratch;
  environment["TRITON_CACHE_DIR"] = scratch + "/triton";
  return environment;
}

Result<os::MemoryFile> memory_file_of(const char* name, std::string_view bytes) {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create(name));
  KA_TRY(file.write(bytes));
  KA_TRY(file.seal());
  return file;
}

std::string sources_object() {
  Json sources = Json::object();
  for (const EmbeddedScript& script : embedded_scripts()) sources[std::string(script.name)] = std::string(script.source);
  return sources.dump();
}

Result<os::Process> spawn_interpreter(const std::string& python, int control_fd) {
  KA_ASSIGN(os::MemoryFile sources, memory_file_of("ka_bridge", sources_object()));
  KA_ASSIGN(os::MemoryFile library, memory_file_of("ka_sandbox", sandbox_library()));
  os::ProcessSpec spec;
  spec.argv = {python, "-s", "-B", "-c", std::string(loader_script()), std::to_string(kControlFd),
               std::to_string(kSourcesFd), std::to_string(kLibraryFd)};
  // An ordinary user may make namespaces only inside a user namespace of its own, and only from a launcher.
  Json environment = base_environment();
  if (os::probe_sandbox().needs_nest) {
    // A program that takes `__launch` for nothing would come here again, and start itself once more.
    if (os::get_env(kLaunched)) return internal_error("this program was started as a launcher of sandboxes and does not know how to be one");
    environment[kLaunched] = "1";
    const std::array<std::string, 4> launcher = {"/proc/self/exe", "__launch", "--nest", "--"};
    spec.argv.insert(spec.argv.begin(), launcher.begin(), launcher.end());
  }
  environment["HOME"] = "/";
  environment["TRITON_CACHE_DIR"] = "/nonexistent";
  for (const auto& [name, value] : environment.items()) spec.env.push_back(name + "=" + value.get<std::string>());
  spec.cwd = "/";
  spec.stderr_fd = STDERR_FILENO;
  spec.pass_fds = {{control_fd, kControlFd}, {sources.fd(), kSourcesFd}, {library.fd(), kLibraryFd}};
  return os::spawn(spec);
}

// The process as this one sees it: behind a launcher the interpreter counts in a namespace of its own.
std::optional<int> pid_behind(int pidfd) {
  Result<std::string> info = os::read_file(fmt::format("/proc/self/fdinfo/{}", pidfd));
  if (!info) return std::nullopt;
  for (const std::string& line : split(*info, '\n')) {
    if (line.starts_with("Pid:")) return std::atoi(line.c_str() + std::string_view("Pid:").size());
  }
  return std::nullopt;
}

// A judgement keeps one core busy, and now and then a second one.
std::size_t places_of_this_machine() {
  const Result<os::Machine> machine = os::query_machine("/");
  return 2 * static_cast<std::size_t>(machine ? std::max(1, machine->cores) : 1);
}

struct PolicyText {
  std::string policy;
  std::string scratch;  // as the child sees it
};

// The policy of one child. What it needs outside (a cgroup, a scratch folder) is owned by the child's record.
Result<PolicyText> make_policy(os::SandboxRequest request, Child::Impl& child) {
  const os::SandboxSupport& support = os::probe_sandbox();
  if (support.level == os::SandboxLevel::none)
    return environment_error("no sandbox can be had on this machine, and foreign code is not run without one: see kernelagent doctor");
  if (support.level == os::SandboxLevel::full && request.at_most == os::SandboxLevel::full) {
    KA_ASSIGN(child.cgroup, os::Cgroup::create(support, request.limits));
    request.cgroup_dirs = child.cgroup->dirs();
  }
  if (os::effective_level(request, support) == os::SandboxLevel::process) {
    KA_ASSIGN(child.scratch, os::TempDir::create("kernelagent"));
    if (geteuid() == 0 && chown(child.scratch->path().c_str(), support.uid, support.gid) != 0)
      return errno_error("cannot hand over the scratch folder " + child.scratch->path(), errno);
    request.scratch_dir = child.scratch->path();
  }
  return PolicyText{os::sandbox_policy(request, support), request.scratch_dir.empty() ? "/tmp" : request.scratch_dir};
}

Result<InterpreterFacts> facts_from(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return environment_error("the interpreter did not introduce itself");
  if (json.value("event", "") == "unusable") return environment_error(json.value("message", ""));
  InterpreterFacts facts;
  facts.python = json.value("python", "");
  facts.torch = json.value("torch", "");
  facts.triton = json.value("triton", "");
  facts.numpy = json.value("numpy", "");
  facts.import_seconds = json.value("seconds", 0.0);
  facts.threads = json.value("threads", 1);
  facts.prefixes = json.value("prefixes", std::vector<std::string>{});
  return facts;
}

}  // namespace

WarmInterpreter::State::~State() {
  if (control.valid()) shutdown(control.get(), SHUT_RDWR);
  if (reader.joinable()) reader.join();
  const os::CancelSource never;
  (void)process.wait(os::Deadline::in(kShutdownLimit), never.token());
}

void WarmInterpreter::State::read_events() {
  const os::CancelSource never;
  while (true) {
    Result<os::Packet> packet = os::receive_packet(control.get(), os::Deadline::never(), never.token());
    std::lock_guard lock(mutex);
    if (!packet) {
      dead = true;
      changed.notify_all();
      return;
    }
    const Json event = Json::parse(packet->text, nullptr, false);
    if (!event.is_object()) continue;
    const std::string name = event.value("event", "");
    ForkRequest& request = requests[event.value("id", std::uint64_t{0})];
    if (name == "started" && !packet->fds.empty()) {
      request.pid = event.value("pid", 0);
      request.pidfd = std::move(packet->fds[0]);
    } else if (name == "failed") {
      request.failure = event.value("message", "unknown reason");
    } else if (name == "exit") {
      os::ExitStatus status;
      status.signal = event.value("signal", 0);
      status.exited = status.signal == 0;
      status.code = event.value("code", 0);
      status.max_rss_kib = event.value("max_rss_kib", 0L);
      status.cpu_s = event.value("cpu_s", 0.0);
      request.exit = status;
      if (request.abandoned) requests.erase(event.value("id", std::uint64_t{0}));
    }
    changed.notify_all();
  }
}

Result<os::ExitStatus> WarmInterpreter::State::wait_exit(std::uint64_t id, os::Deadline deadline) {
  KA_TRY(wait_for(id, deadline, [](const ForkRequest& request) { return request.exit.has_value(); }));
  std::lock_guard lock(mutex);
  return *requests[id].exit;
}

void WarmInterpreter::State::abandon(std::uint64_t id, std::optional<os::Cgroup> cgroup,
                                     std::optional<os::TempDir> scratch) {
  std::lock_guard lock(mutex);
  const auto found = requests.find(id);
  if (found == requests.end()) return;
  if (found->second.exit || found->second.pid == 0 || dead) {
    requests.erase(found);
    return;
  }
  found->second.abandoned = true;
  found->second.cgroup = std::move(cgroup);
  found->second.scratch = std::move(scratch);
}

WarmInterpreter::WarmInterpreter(InterpreterOptions options) : options_(std::move(options)), places_(places_of_this_machine()) {}
WarmInterpreter::~WarmInterpreter() = default;

Status WarmInterpreter::start_locked(const os::CancelToken& cancel) {
  if (state_) {
    std::lock_guard lock(state_->mutex);
    if (!state_->dead) return ok();
  }
  state_.reset();
  KA_ASSIGN(auto sockets, os::packet_socket_pair());
  KA_ASSIGN(os::Process process, spawn_interpreter(options_.python, sockets.second.get()));
  sockets.second.reset();
  auto state = std::make_shared<State>(std::move(process));
  state->control = std::move(sockets.first);
  Result<os::Packet> hello =
      os::receive_packet(state->control.get(), os::Deadline::in(options_.start_limit), cancel);
  if (!hello) {
    state->process.kill();  // it is still importing and does not listen yet; nothing of ours runs in it
    if (hello.error().kind == ErrorKind::cancelled) return hello.error();
    return environment_error(fmt::format("{} could not be started as the warm interpreter: {}", options_.python,
                                         hello.error().message));
  }
  Result<InterpreterFacts> facts = facts_from(hello->text);
  if (!facts) return facts.error().with(options_.python);
  state->facts = *facts;
  state->reader = std::jthread([raw = state.get()] { raw->read_events(); });
  state_ = std::move(state);
  return ok();
}

Result<InterpreterFacts> WarmInterpreter::start(const os::CancelToken& cancel) {
  std::lock_guard lock(mutex_);
  KA_TRY(start_locked(cancel));
  return state_->facts;
}

Result<Child> WarmInterpreter::spawn(const std::string& module, os::SandboxRequest request,
                                     const os::CancelToken& cancel) {
  std::shared_ptr<State> state;
  {
    std::lock_guard lock(mutex_);
    KA_TRY(start_locked(cancel));
    state = state_;
  }
  request.readable.insert(request.readable.end(), state->facts.prefixes.begin(), state->facts.prefixes.end());
  const std::vector<std::string> compilers = os::compiler_folders(search_path());
  request.readable.insert(request.readable.end(), compilers.begin(), compilers.end());
  auto child = std::make_unique<Child::Impl>();
  KA_ASSIGN(PolicyText sandbox, make_policy(request, *child));
  KA_ASSIGN(auto sockets, os::packet_socket_pair());
  std::array<int, 2> pipe_fds{};
  if (pipe2(pipe_fds.data(), O_CLOEXEC) != 0) return errno_error("cannot create a pipe", errno);
  os::UniqueFd output(pipe_fds[0]), output_end(pipe_fds[1]);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);

  {
    std::lock_guard lock(state->mutex);
    child->id = state->next_id++;
  }
  const Json message = {{"op", "spawn"},
                        {"id", child->id},
                        {"module", module},
                        {"policy", sandbox.policy},
                        {"env", child_environment(sandbox.scratch, request.only_gpu)}};
  {
    const std::array fds = {sockets.second.get(), output_end.get()};
    std::lock_guard lock(state->send_mutex);
    Status sent = os::send_packet(state->control.get(), message.dump(), fds, os::Deadline::in(kForkLimit), cancel);
    if (!sent) return sent.error().with("warm interpreter");
  }
  child->state = state;
  child->conversation = std::move(sockets.first);
  child->output = std::move(output);
  Status started = state->wait_for(child->id, os::Deadline::in(kForkLimit), [](const ForkRequest& fork) {
    return fork.pid != 0 || !fork.failure.empty();
  });
  std::unique_lock lock(state->mutex);
  ForkRequest& fork = state->requests[child->id];
  if (!started || !fork.failure.empty()) {
    const Error why = started ? environment_error("sandbox: " + fork.failure) : started.error();
    child->exit = os::ExitStatus{};
    lock.unlock();
    return why;
  }
  child->pid = pid_behind(fork.pidfd.get()).value_or(fork.pid);
  child->pidfd = std::move(fork.pidfd);
  lock.unlock();
  return Child(std::move(child));
}

int WarmInterpreter::pid() const {
  std::lock_guard lock(mutex_);
  return state_ ? state_->process.pid() : 0;
}

Result<std::string> find_interpreter() {
  if (std::optional<std::string> named = os::get_env("KERNELAGENT_PYTHON"); named && !named->empty()) {
    if (os::exists(*named)) return *named;
    return environment_error(fmt::format("KERNELAGENT_PYTHON names {}, which does not exist", *named));
  }
  std::array<char, 4096> self{};
  const ssize_t n = readlink("/proc/self/exe", self.data(), self.size() - 1);
  std::string folder = n > 0 ? std::string(self.data(), static_cast<std::size_t>(n)) : std::string();
  while (folder.find('/') != std::string::npos) {
    folder.erase(folder.rfind('/'));
    const std::string python = folder + "/.venv/bin/python";
    if (os::exists(python)) return python;
  }
  return environment_error(
      "no Python interpreter: run ./kernelagent once to make one, or set KERNELAGENT_PYTHON to one that has torch and "
      "triton");
}

}  // namespace ka::bridge
