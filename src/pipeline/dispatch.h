// From subgraphs to kernels: each unique one by itself, several at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/run_summary.h"
#include "model/subgraph.h"
#include "os/machine.h"
#include "pipeline/generate.h"
#include "pipeline/judging.h"
#include "pipeline/winners.h"

namespace ka::pipeline {

// What a producer has made of a subgraph, and what the judge says.
struct PartKernel {
  model::SubgraphResult result;
  std::string problem;  // the part as a problem of PyTorch
  std::string kernel;   // the kernel file; empty when there is none
  std::optional<model::Verdict> verdict;
  std::map<std::string, std::string> attempts = {};  // what language models wrote, by name below the part's folder
  double seconds = 0;
};

struct DispatchOptions {
  verify::JudgeOptions judge;
  GenerateChoices choices;
  bool verify = true;
  std::string folder = {};  // where kernels_out/ is, for what people are told
  WinnerSide winners = {};
};

// subgraphs.json, each entry a program that could be one of PyTorch's: operands that fit their operators, results of the shapes that these
// give. An entry with an operator that is not supported is in order; it fails by name when it is worked on.
Result<std::vector<model::Subgraph>> read_parts(std::string_view text, const std::string& path);

// What the built-in generator writes for one subgraph.
struct WrittenPart {
  std::string text;
  int launches = 0;
  partition::PlanCost cost;
};
Result<WrittenPart> write_part(const model::Subgraph& subgraph, const DispatchOptions& options);

// The built-in generator, language models where they take part, and the judge, for one subgraph. What goes wrong with it is its result; errors are the world's.
Result<PartKernel> make_part(const model::Subgraph& subgraph, const DispatchOptions& options, const Means& means);

// Parts that a GPU takes at a time: while one computes, others are compiled and compared.
inline constexpr std::size_t kPartsPerGpu = 8;
// What the judge of one part is thought to need, where its limit is higher: both programs with PyTorch, at the sizes of a part.
inline constexpr std::uint64_t kPartMemory = std::uint64_t{3} << 30;

// How many at a time: as many as there are cores, and memory for, and places on GPUs where these take part; at most all.
std::size_t jobs_for(std::size_t subgraphs, const os::Machine& machine, std::uint64_t memory_limit, std::optional<std::size_t> places);
// The same on this machine. `gpus` may be null.
std::size_t jobs_for(std::size_t subgraphs, const verify::JudgeOptions& judge, const os::GpuPool* gpus);

// That a part is going to be worked on, for those who watch.
void tell_waiting(const model::Subgraph& subgraph, EventLog& log);

// `work` for each, so many at a time; an error of one keeps the rest from being begun.
Status for_each_part(const std::vector<model::Subgraph>& subgraphs, std::size_t jobs, const os::CancelToken& cancel,
                     const std::function<Status(const model::Subgraph&)>& work);

// The files of a part below kernels_out/, by name; and the list of all results.
std::map<std::string, std::string> files_of(const PartKernel& part);
std::string summary_text(const std::vector<model::SubgraphResult>& results);
Result<std::vector<model::SubgraphResult>> read_kernels_summary(std::string_view text, const std::string& path);

// A verdict as it is kept beside a kernel: the same whenever and wherever the same was judged.
std::string lasting_text(model::Verdict verdict, const std::string& problem, const std::string& kernel);
// The same verdict about files that lie elsewhere; its command names them there.
model::Verdict moved(model::Verdict verdict, const std::string& problem, const std::string& kernel);
// A verdict that was kept below a run's folder, as the command line must name its files from here.
model::Verdict found_in(model::Verdict verdict, const std::string& folder);

}  // namespace ka::pipeline
