// RunInfo: who and what a run directory belongs to (run.json). Written once, when the directory is made.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "model/unknown_fields.h"

namespace ka::model {

struct RunInfo {
  static constexpr int kSchema = 1;  // of the whole directory: its files, their names and formats

  int schema = kSchema;
  std::string id;       // also the name of the folder
  std::string created;  // UTC: "2026-11-15T06:40:20.123Z"
  std::string command;  // the command line
  std::string version;  // of the program
  UnknownFields unknown;
  bool operator==(const RunInfo&) const = default;
};

Json to_json(const RunInfo& run_info);
Result<RunInfo> run_info_from_json(const Json& json);

}  // namespace ka::model
