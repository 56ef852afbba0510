// The built-in generator's kernel beside that of a language model: the better of the two. A model never makes the result worse.
#pragma once

#include "graph/exported.h"
#include "pipeline/generate.h"
#include "pipeline/workers.h"

namespace ka::pipeline {

struct Contender {
  std::string kernel;                     // empty: there is none
  std::optional<model::Verdict> verdict;  // none: not judged
  std::string producer;                   // codegen, model
  int worker = 0, rounds = 0;
  std::string message;
  std::map<std::string, std::string> attempts = {};  // of models, below the folder of the work
};

// What a model is told about a program that PyTorch has exported.
Result<prompt::Task> task_of(const verify::ProblemSource& problem, const graph::Exported& exported, const verify::JudgeOptions& judge, const GenerateChoices& choices, const Means& means);

// Asks the workers to beat `built_in`, or to write what it lacks. Where both are accepted the one that is faster on the GPU is taken; without a GPU nobody can tell, and the
// built-in one stays.
Result<Contender> contest(ModelWork work, Contender built_in, const Means& means);

}  // namespace ka::pipeline
