// SentenceRecord: the sentence that a run was given in place of a problem file, and how it was understood (sentence.json, beside problem.py).
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "model/unknown_fields.h"

namespace ka::model {

inline constexpr const char* kSentenceFile = "sentence.json";

struct SentenceRecord {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string sentence;
  std::string understood;      // one line
  std::string by = "rules";    // or the name of the language model that has written the program
  std::string problem_sha256;  // of the program
  int questions = 0;           // that the model was asked
  std::int64_t input_tokens = 0, output_tokens = 0;
  double dollars = 0;
  UnknownFields unknown;
  bool operator==(const SentenceRecord&) const = default;
};

Json to_json(const SentenceRecord& record);
Result<SentenceRecord> sentence_record_from_json(const Json& json);

}  // namespace ka::model
