#include "app/cli/live_view.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include <gmock/gmock.h>

#include "os/unique_fd.h"

namespace ka::app {
namespace {

using testing::HasSubstr;
using testing::Not;

// The other end of what the view writes. In packet mode a read returns what one write wrote.
class Packets {
 public:
  Packets() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_DIRECT | O_CLOEXEC), 0);
    read_.reset(ends[0]);
    write_.reset(ends[1]);
  }
  int fd() const { return write_.get(); }
  std::string next() {
    std::string packet(4096, '\0');
    const ssize_t got = ::read(read_.get(), packet.data(), packet.size());
    packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return packet;
  }
  std::vector<std::string> rest() {
    EXPECT_EQ(::fcntl(read_.get(), F_SETFL, O_NONBLOCK | O_DIRECT), 0);
    std::vector<std::string> packets;
    for (std::string packet = next(); !packet.empty(); packet = next()) packets.push_back(packet);
    return packets;
  }

 private:
  os::UniqueFd read_, write_;
};

LiveOptions options(const Packets& packets) {
  LiveOptions out;
  out.fd = packets.fd();
  out.colour = false;
  out.size = [] { return WindowSize{80, 24}; };
  return out;
}

Event event(LogLevel level, const std::string& name, const std::string& message) { return {level, "verify", name, message, {}}; }

TEST(LiveView, AFrameIsOneWriteThatLeavesTheTerminalAsItWas) {
  Packets packets;
  LiveView view(options(packets));
  view.write(event(LogLevel::debug, "start", ""), system_wall_clock()());
  for (int i = 0; i < 4; ++i) {
    const std::string packet = packets.next();
    EXPECT_TRUE(packet.starts_with("\x1b[?2026h\x1b[?25l\x1b[?7l")) << packet;
    EXPECT_TRUE(packet.ends_with("\x1b[?7h\x1b[?25h\x1b[?2026l")) << packet;
    EXPECT_THAT(packet, HasSubstr(i == 0 ? "\r" : "\r\x1b[1A"));
  }
}

TEST(LiveView, DrawsAtMostTenFramesASecond) {
  Packets packets;
  const os::TimePoint begin = std::chrono::steady_clock::now();
  LiveView view(options(packets));
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 100; ++k) view.write(event(LogLevel::info, "note", std::to_string(100 * i + k)), system_wall_clock()());
    packets.next();
  }
  EXPECT_GE(os::seconds_since(begin), 0.39);
}

TEST(LiveView, TheLastStateStaysAsPlainLines) {
  Packets packets;
  LiveView view(options(packets));
  view.write(event(LogLevel::info, "done", "all good"), system_wall_clock()());
  view.end();
  view.end();
  const std::string last = packets.rest().back();
  EXPECT_THAT(last, HasSubstr("verify  done         0.0 s  all good\n"));
  EXPECT_TRUE(last.ends_with("all good\n")) << last;
}

TEST(LiveView, WarningsStayAboveAndEventsOnRequest) {
  for (const LogLevel from : {LogLevel::warning, LogLevel::info}) {
    Packets packets;
    LiveOptions chosen = options(packets);
    chosen.lines_from = from;
    LiveView view(chosen);
    view.write(event(LogLevel::info, "note", "a note"), system_wall_clock()());
    view.write(event(LogLevel::warning, "odd", "an odd thing"), system_wall_clock()());
    view.end();
    view.write(event(LogLevel::warning, "odd", "too late"), system_wall_clock()());
    std::string all;
    for (const std::string& packet : packets.rest()) all += packet;
    EXPECT_THAT(all, HasSubstr("warning: verify: an odd thing\n"));
    EXPECT_THAT(all, from == LogLevel::info ? testing::Matcher<std::string>(HasSubstr("verify: a note\n")) : Not(HasSubstr("verify: a note\n")));
    EXPECT_TRUE(all.ends_with("warning: verify: too late\n")) << all;
  }
}

TEST(LiveView, PrintTakesTheViewAwayFirst) {
  Packets packets;
  LiveView view(options(packets));
  view.write(event(LogLevel::debug, "start", ""), system_wall_clock()());
  while (packets.next().find("verify") == std::string::npos) {}
  std::FILE* stream = ::fdopen(::dup(packets.fd()), "w");
  view.print(stream, "a result\n");
  std::fclose(stream);
  view.end();
  const std::vector<std::string> rest = packets.rest();
  const auto printed = std::find(rest.begin(), rest.end(), "a result\n");
  ASSERT_TRUE(printed != rest.begin() && printed != rest.end());
  EXPECT_EQ(*(printed - 1), "\r\x1b[1A\x1b[J");
  EXPECT_THAT(*(printed + 1), Not(HasSubstr("A\x1b[J"))) << "what was printed stays";
}

TEST(LiveView, ANarrowerWindowHasBrokenTheOldLines) {
  Packets packets;
  LiveOptions chosen = options(packets);
  std::atomic<int> columns{80};
  chosen.size = [&] { return WindowSize{columns, 24}; };
  LiveView view(chosen);
  view.write(event(LogLevel::info, "note", std::string(40, 'm')), system_wall_clock()());
  while (packets.next().find("mmmm") == std::string::npos) {}
  columns = 40;
  std::string packet = packets.next();
  while (packet.find("mmmm") != std::string::npos) packet = packets.next();
  EXPECT_THAT(packet, HasSubstr("\r\x1b[2A"));
  EXPECT_THAT(packet, HasSubstr("> verify"));
}

TEST(LiveView, ColoursTheStateAlone) {
  Packets packets;
  LiveOptions chosen = options(packets);
  chosen.colour = true;
  LiveView view(chosen);
  view.write(event(LogLevel::info, "accepted", "fine"), system_wall_clock()());
  view.end();
  EXPECT_THAT(packets.rest().back(), HasSubstr("verify  \x1b[32maccepted\x1b[0m     0.0 s  fine\n"));
}

TEST(LiveView, ATerminalThatIsGoneIsNoReasonToFail) {
  os::UniqueFd closed(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  LiveOptions chosen;
  chosen.fd = closed.get();
  LiveView view(chosen);
  view.write(event(LogLevel::warning, "odd", "x"), system_wall_clock()());
  view.end();
}

}  // namespace
}  // namespace ka::app
