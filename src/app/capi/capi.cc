// The border to C: handles instead of objects, texts instead of Results, and nothing that throws.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "app/capi/job.h"
#include "app/capi/kernelagent.h"
#include "app/capi/request.h"
#include "os/environment.h"

namespace ka::capi {
namespace {

// A forked process has the table but not the threads, and the processes are not its children.
struct Jobs {
  std::mutex mutex;  // guards the rest
  pid_t owner = ::getpid();
  std::int64_t next = 1;
  std::map<std::int64_t, std::shared_ptr<Job>> rows;
};

// Never destroyed: other threads may still wait for a job while the process ends, and the kernel ends the jobs then.
Jobs& jobs() {
  static auto* const table = new Jobs();
  return *table;
}

std::shared_ptr<Job> find(std::int64_t handle) {
  Jobs& table = jobs();
  if (table.owner != ::getpid()) return nullptr;
  const std::lock_guard lock(table.mutex);
  const auto row = table.rows.find(handle);
  return row == table.rows.end() ? nullptr : row->second;
}

char* text_copy(const std::string& text) {
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out != nullptr) std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) out.emplace_back(*entry);
  return out;
}

// KERNELAGENT_PROGRAM, else the program beside this library.
Result<std::string> find_kernelagent() {
  if (const std::string named = os::get_env("KERNELAGENT_PROGRAM").value_or(""); !named.empty()) {
    if (os::find_program(named)) return *os::find_program(named);
    return not_found(fmt::format("KERNELAGENT_PROGRAM: {} is no program that can be started", named));
  }
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&kernelagent_abi), &info) == 0 || info.dli_fname == nullptr)
    return environment_error("the folder of libkernelagent.so is not known; set KERNELAGENT_PROGRAM");
  const std::string library = info.dli_fname;
  const std::string program = (library.find('/') == std::string::npos ? "./" : library.substr(0, library.rfind('/') + 1)) + "kernelagent";
  if (os::find_program(program)) return program;
  return not_found(fmt::format("there is no program {}; build it, or set KERNELAGENT_PROGRAM", program));
}

Result<std::int64_t> start(const char* request) {
  Jobs& table = jobs();
  if (table.owner != ::getpid()) return environment_error("this process was forked after libkernelagent.so had been used; start it afresh (multiprocessing: the method spawn)");
  if (request == nullptr) return invalid_input("request: there is none");
  KA_ASSIGN(JobRequest parsed, parse_request(request, own_environment()));
  KA_ASSIGN(const std::string program, find_kernelagent());
  KA_ASSIGN(std::shared_ptr<Job> job, Job::start(program, std::move(parsed)));
  const std::lock_guard lock(table.mutex);
  table.rows[table.next] = std::move(job);
  return table.next++;
}

// What `function` returns, or `otherwise` when it throws: memory or threads have run out.
template <typename T, typename Function>
T guarded(T otherwise, Function function) noexcept {
  try {
    return function();
  } catch (...) {
    return otherwise;
  }
}

}  // namespace
}  // namespace ka::capi

using ka::capi::guarded;

extern "C" {

int kernelagent_abi(void) { return KERNELAGENT_ABI; }

const char* kernelagent_version(void) { return KA_VERSION; }

int64_t kernelagent_start(const char* request, char** error) {
  if (error != nullptr) *error = nullptr;
  const int64_t none = -1;
  const int64_t handle = guarded(none, [&]() -> int64_t {
    const ka::Result<std::int64_t> started = ka::capi::start(request);
    if (started) return *started;
    if (error != nullptr) *error = ka::capi::text_copy(started.error().message);
    return 0;
  });
  if (handle == none && error != nullptr) *error = ::strdup("memory or threads have run out");
  return handle == none ? 0 : handle;
}

int kernelagent_wait(int64_t job, int64_t milliseconds) {
  return guarded(-1, [&] {
    const std::shared_ptr<ka::capi::Job> found = ka::capi::find(job);
    return found == nullptr ? -1 : found->wait(milliseconds) ? 1 : 0;
  });
}

char* kernelagent_events(int64_t job) {
  return guarded<char*>(nullptr, [&]() -> char* {
    const std::shared_ptr<ka::capi::Job> found = ka::capi::find(job);
    return found == nullptr ? nullptr : ka::capi::text_copy(found->take_events());
  });
}

int kernelagent_cancel(int64_t job) {
  return guarded(-1, [&] {
    const std::shared_ptr<ka::capi::Job> found = ka::capi::find(job);
    if (found == nullptr) return -1;
    found->cancel();
    return 0;
  });
}

char* kernelagent_result(int64_t job) {
  return guarded<char*>(nullptr, [&]() -> char* {
    const std::shared_ptr<ka::capi::Job> found = ka::capi::find(job);
    const std::string text = found == nullptr ? "" : found->result();
    return text.empty() ? nullptr : ka::capi::text_copy(text);
  });
}

void kernelagent_free(int64_t job) {
  guarded(0, [&] {
    std::shared_ptr<ka::capi::Job> last = ka::capi::find(job);
    if (last == nullptr) return 0;
    last->cancel();
    last->wait(-1);  // whoever waits for it in another thread sees its end
    const std::lock_guard lock(ka::capi::jobs().mutex);
    ka::capi::jobs().rows.erase(job);
    return 0;
  });
}

void kernelagent_free_text(char* text) { std::free(text); }

}  // extern "C"
