// graph.txt taken apart: the text that `generate --explain` prints is also the record of what was cut where
// and why.
//
// The text is made for people, so this reader is lenient: a line that it does not know says nothing, and no
// text is an error.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ka::report {

// One kernel reads what another one has written: the place of a cut.
struct NotedRead {
  std::size_t from = 0;             // index of the kernel that writes
  std::vector<std::string> values;  // "%23"
  bool operator==(const NotedRead&) const = default;
};

struct NotedKernel {
  std::string number;
  std::string kind;  // the family: "row", "matmul"
  std::vector<std::string> ops;
  std::vector<std::string> outputs;  // "%23": what it keeps in memory
  std::string cost;                  // "201 MB read, 202 MB written, ...: 138 us, bound by memory"
  std::string kept;                  // why its results are written and not computed again by their readers
  std::vector<NotedRead> reads;
};

// A node that could have joined a kernel and did not.
struct NotedRefusal {
  std::string what;  // "mul (p.py:35)"
  std::string kernel;
  std::string reason;
};

struct GraphNotes {
  std::vector<NotedKernel> kernels;
  std::vector<NotedRefusal> refusals;
  std::map<std::string, std::string> types;  // "%23" -> "float32[rows, 64]"
  std::vector<std::string> decisions;        // by what they cost
  std::vector<std::string> rewrites;
  std::vector<std::string> not_exported;  // other sizes that the program does not take
  std::string gpu;                        // whose costs these are
  std::string total, floor;
  std::size_t operations = 0;
};

GraphNotes read_graph_notes(std::string_view text);

}  // namespace ka::report
