// What the commands that write kernels are asked for, from their flags.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/command.h"
#include "base/event_log.h"
#include "model/sentence_record.h"
#include "os/gpu_pool.h"
#include "pipeline/generate.h"

namespace ka::app {

struct Request {
  verify::ProblemSource problem;
  verify::JudgeOptions options;
  pipeline::GenerateChoices choices;
  std::optional<verify::TestScript> test;  // that the program as a whole must pass, besides the judge
  std::optional<model::SentenceRecord> sentence;  // in place of a file; what it became is filled in by understand_sentence (plain_words.h)
  std::string command;  // the command line, as far as it says what is asked for
};

Result<Request> request_of(const Arguments& arguments, const std::string& command);
// The same, or about the sentence that is the only plain word.
Result<Request> request_in_words(const Arguments& arguments, const std::string& command);
// The forms of kernels that --forms names, where it is given.
Status read_forms_flag(const Arguments& arguments, ir::Gpu& gpu);
// Without a problem.
Result<Request> options_of(const Arguments& arguments);
// --dispatch-jobs or --jobs; 0 for auto.
Result<std::size_t> jobs_of(const Arguments& arguments);
// The GPUs of this machine, to be leased. Null where none takes part (`device` is cpu), and where CUDA_VISIBLE_DEVICES names them otherwise
// than by number: then the programs use what they see, and nothing is leased.
Result<std::unique_ptr<os::GpuPool>> gpus_for(const std::string& device, const std::string& command, std::size_t slots, EventLog& log);
// The sentence, and exit code 1: not the user's mistake, and not done.
int not_achieved(const char* command, const Error& error);
// The same where the error is `unsupported`; else the error.
Result<int> ended(const std::string& command, const Error& error);

}  // namespace ka::app
