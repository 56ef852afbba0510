// What a question to a language model costs us, without the model: the same question through Chat and as bare bytes over a socket, in turn,
// against the same server. Prints tab-separated lines; bench/llm_overhead.py starts the server.
//
//   bench_llm_overhead PORT [rounds, default 5]
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "os/unique_fd.h"
#include "synth/llm/open_chat.h"

namespace {

using namespace ka;

double now_ms() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double cpu_ms() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& time) { return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3; };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

double quantile(std::vector<double> samples, double part) {
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1))];
}

// The least that a client can do: the same request over a new connection, read until the last chunk.
bool ask_bare(int port, const std::string& request) {
  const os::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return false;
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) return false;
  std::string got;
  char buffer[65536];
  while (!got.ends_with("0\r\n\r\n")) {
    const ssize_t count = ::recv(fd.get(), buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    got.append(buffer, static_cast<std::size_t>(count));
  }
  return true;
}

struct Sample {
  std::vector<double> latencies;  // milliseconds, one per call
  double wall = 0, cpu = 0;       // of all calls together
};

template <typename Ask>
Sample measure(int parallel, int calls, const Ask& ask) {
  Sample out;
  out.latencies.resize(static_cast<std::size_t>(parallel * calls));
  std::latch ready(parallel + 1);
  std::vector<std::jthread> threads;
  double cpu = 0, wall = 0;
  for (int thread = 0; thread < parallel; ++thread)
    threads.emplace_back([&, thread] {
      ready.arrive_and_wait();
      for (int call = 0; call < calls; ++call) {
        const double begin = now_ms();
        if (!ask()) std::exit((fmt::print(stderr, "bench_llm_overhead: a call failed\n"), 1));
        out.latencies[static_cast<std::size_t>(thread * calls + call)] = now_ms() - begin;
      }
    });
  cpu = cpu_ms();
  wall = now_ms();
  ready.arrive_and_wait();
  threads.clear();
  out.cpu = cpu_ms() - cpu;
  out.wall = now_ms() - wall;
  return out;
}

void print(const char* who, int parallel, const Sample& sample) {
  const auto calls = static_cast<double>(sample.latencies.size());
  fmt::print("{}\t{}\t{}\t{:.2f}\t{:.2f}\t{:.2f}\t{:.3f}\n", who, parallel, calls, quantile(sample.latencies, 0.5), quantile(sample.latencies, 0.95), sample.wall / calls,
      sample.cpu / calls);
}

}  // namespace

int main(int argc, char** argv) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 0, rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const llm::Lookup lookup = [&](const std::string& name) -> std::optional<std::string> {
    return name == "OPENAI_BASE_URL" ? std::optional(fmt::format("http://127.0.0.1:{}/v1", port)) : std::nullopt;
  };
  const Result<std::unique_ptr<llm::Chat>> chat = llm::open_chat("m", lookup);
  if (!chat) return fmt::print(stderr, "bench_llm_overhead: {}\n", chat.error().message), 3;
  llm::ChatRequest question;
  question.messages = {{llm::Role::user, std::string(8000, 'x')}};
  llm::Model model;
  model.name = "m";
  const std::string body = llm::kOpenAiChat.request(question, model, {}).body;
  const std::string request = fmt::format("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
  const auto ask_chat = [&] { return static_cast<bool>((*chat)->ask(question, {})); };
  const auto ask_raw = [&] { return ask_bare(port, request); };
  fmt::print("client\tparallel\tcalls\tp50_ms\tp95_ms\twall_ms_per_call\tclient_cpu_ms_per_call\n");
  for (int round = 0; round < rounds; ++round) {
    for (const auto& [parallel, calls] : {std::pair{1, 100}, std::pair{200, 5}}) {
      print("bare", parallel, measure(parallel, calls, ask_raw));
      print("chat", parallel, measure(parallel, calls, ask_chat));
    }
  }
  return 0;
}
