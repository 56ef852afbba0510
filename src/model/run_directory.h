// The folder of one run: everything that a run makes, and enough to go on after a crash. docs/run_directory.md
// specifies the files.
//
//   KA_ASSIGN(RunDirectory run, RunDirectory::open(".fuse/run_20261115_064020_1a2b3c4d"));
//   if (!run.finished("synth", "sg_1")) {
//     KA_TRY(run.write_artifact("kernels_out/sg_1/kernel.py", source));
//     KA_TRY(run.record("synth", "sg_1", {"kernels_out/sg_1/kernel.py"}));
//   }
//
// One process writes at a time. Its threads may share the object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/journal.h"
#include "model/run_info.h"

namespace ka::model {

inline constexpr std::size_t kMaxArtifactName = 1024;

// Nothing when the name is fit for an artefact: a relative path of printable ASCII characters, without "." and ".."
// and empty parts, not one of the directory's own files, not of the form of a temporary file, not too long.
Status check_artifact_name(std::string_view name);

class RunDirectory {
 public:
  enum class Access { write, read };

  // Makes <root>/<info.id>. A folder in which an earlier creation was interrupted is taken over; one that holds a run,
  // or anything else, is refused.
  static Result<RunDirectory> create(const std::string& root, const RunInfo& info);
  // To write: locks it (an `environment` error when another process holds it) and mends what a crash has left behind.
  // To read: no lock, nothing is changed; the run may be going on.
  static Result<RunDirectory> open(const std::string& path, Access access = Access::write);

  RunDirectory(RunDirectory&&) noexcept;
  RunDirectory& operator=(RunDirectory&&) noexcept;
  ~RunDirectory();

  const std::string& path() const;
  const RunInfo& info() const;
  std::string events_path() const;
  // Sentences about what open() had to mend.
  const std::vector<std::string>& repairs() const;

  // Full path of an artefact. Refuses names that are unfit and ways that lead through a link.
  Result<std::string> artifact_path(std::string_view name) const;
  // Makes the folders on the way; the file is there whole or not at all.
  Status write_artifact(std::string_view name, std::string_view text);
  Result<std::string> read_artifact(std::string_view name) const;

  // The step is done for this key and has left these artefacts (names), which exist and are complete.
  Status record(const std::string& step, const std::string& key, const std::vector<std::string>& artifacts);
  // Recorded, and every artefact still has the recorded content.
  bool finished(const std::string& step, const std::string& key) const { return why_not(step, key).empty(); }
  // Empty when finished, else the reason in one sentence.
  std::string why_not(const std::string& step, const std::string& key) const;
  // All records, oldest first.
  std::vector<JournalEntry> entries() const;

 private:
  struct State;
  explicit RunDirectory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ka::model
