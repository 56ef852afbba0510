#include "model/sentence_record.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<SentenceRecord> auto& x) {
  f("schema", x.schema);
  f("sentence", x.sentence);
  f("understood", x.understood);
  f("by", x.by);
  f("problem_sha256", x.problem_sha256);
  f("questions", x.questions);
  f("input_tokens", x.input_tokens);
  f("output_tokens", x.output_tokens);
  f("dollars", x.dollars);
  f.keep(x.unknown);
}

Json to_json(const SentenceRecord& record) {
  Json json;
  encode(json, record);
  return json;
}

Result<SentenceRecord> sentence_record_from_json(const Json& json) { return read_value<SentenceRecord>(json, "sentence"); }

}  // namespace ka::model
