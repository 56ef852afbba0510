// A recording of a search: every kernel text that was judged, with what came of it, every timing with all its samples, every proposal. A file of JSON lines that only grows,
// so that a run that is killed leaves what it has seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "optimise/search.h"
#include "os/files.h"

namespace ka::optimise {

// What was recorded, where and when.
struct RecordingHead {
  std::string device;    // "cuda", or "cpu": recorded by the interpreter, whose times say nothing about a GPU
  std::string gpu;       // as its driver calls it; empty for the interpreter
  std::string driver;
  double power_limit_watts = 0;
  std::string recorded;  // when it began
  std::string problem_sha256, precision, mode;
  double floor_ms = 0, least_ms = 0;  // as in SearchOptions
  std::string floor_basis;
  std::map<std::string, std::string> versions = {};

  // "a recording of NVIDIA H200, taken 2026-11-16T16:20:00.000Z", "a recording by the interpreter, ..."
  std::string in_words() const;
};

struct Recording {
  struct RecordedMove {
    std::optional<std::size_t> text;  // none: `refused` says why
    std::string what, bottleneck, by = {}, expected = {}, refused = {};
    bool anew = false;
  };
  struct Proposal {
    std::size_t program = 0;
    int round = 0;
    std::vector<RecordedMove> moves;
    std::string silent = {};
  };
  struct Timing {
    Effort effort = Effort::brief;
    std::vector<std::size_t> texts;
    Samples samples;                   // one list for each; an empty one crashed
    std::optional<std::string> error;  // somebody took all of them down; then there are no samples
  };
  RecordingHead head;
  std::vector<std::string> texts;  // the others name them by their place here
  std::map<std::size_t, Judged> judged;
  std::vector<Proposal> proposals;
  std::vector<Timing> timings;
};

// Strict; names the line that is wrong. A last line without an end is one that was being written, and is left out.
Result<Recording> parse_recording(std::string_view text, const std::string& where);
Result<Recording> read_recording(const std::string& path);

// Adds to the file of a run that is resumed, else makes one; a file that is there already and is no recording of the same problem is invalid_input.
class RecordingWriter {
 public:
  static Result<RecordingWriter> open(const std::string& path, const RecordingHead& head, bool resumes);
  Status judged(const std::vector<std::string>& texts, const std::vector<Judged>& results);
  Status proposed(const Program& program, int round, const std::vector<Move>& moves, const std::string& silent = {});
  Status timed(const std::vector<std::string>& texts, Effort effort, const Result<Samples>& samples);

 private:
  explicit RecordingWriter(os::AppendFile file) : file_(std::move(file)) {}
  Result<std::size_t> number_of(const std::string& text);
  Result<std::vector<std::size_t>> numbers_of(const std::vector<std::string>& texts);
  os::AppendFile file_;
  std::map<std::string, std::size_t> numbers_;
};

// Writes down what another device answers. A cancellation is no answer.
class RecordingDevice : public Device {
 public:
  RecordingDevice(Device& device, RecordingWriter& writer) : device_(device), writer_(writer) {}
  Result<std::vector<Judged>> judge(const std::vector<std::string>& texts, const Limit& limit) override;
  Result<Samples> time(const std::vector<std::string>& texts, Effort effort) override;

 private:
  Device& device_;
  RecordingWriter& writer_;
};

class RecordingProposer : public Proposer {
 public:
  RecordingProposer(Proposer& proposer, RecordingWriter& writer) : proposer_(proposer), writer_(writer) {}
  Result<std::vector<Move>> propose(const Program& program, const State& state, int bottlenecks) override;
  std::string silent() const override { return proposer_.silent(); }

 private:
  Proposer& proposer_;
  RecordingWriter& writer_;
};

}  // namespace ka::optimise
