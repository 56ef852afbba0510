// The parts of prompts that several questions share: material between marks, the task, the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "synth/prompt/prompts.h"

namespace ka::prompt {

// Puts foreign texts between marks. The code depends on the seed and on every text, so no text can hold it.
class Marks {
 public:
  Marks(std::string_view seed, const std::vector<std::string_view>& texts);
  const std::string& code() const { return code_; }
  // [begin NAME CODE] ... [end NAME CODE]; nothing for an empty text.
  std::string around(std::string_view name, std::string_view text) const;

 private:
  std::string code_;
};

// Foreign texts of a task.
std::vector<std::string_view> texts_of(const Task& task);

Result<std::string> task_text(const PromptFiles& files, const Task& task, const Marks& marks);
Result<std::string> machine_text(const PromptFiles& files, const Machine& machine);

// The question behind the system prompt, which names the code of the marks.
Messages ask_with(const PromptFiles& files, const Marks& marks, std::string question);

// "4.2 us", "1.35 ms".
std::string time_words(double seconds);

}  // namespace ka::prompt
