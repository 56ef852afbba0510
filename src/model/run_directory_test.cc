#include "model/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "model/run_lock.h"
#include "model/temporary_name.h"

namespace ka::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunInfo info(const std::string& id = "run_1") {
  return {1, id, "2026-11-15T06:40:20.123Z", "kernelagent auto p.py", "0.1.0", {}};
}

void put(const std::string& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

class RunDirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override { dir_.emplace(os::TempDir::create().value()); }
  std::string root() const { return dir_->file(".fuse"); }
  std::string folder() const { return root() + "/run_1"; }
  std::optional<os::TempDir> dir_;
};

TEST_F(RunDirectoryTest, WhatIsCreatedOpens) {
  {
    RunDirectory run = RunDirectory::create(root(), info()).value();
    EXPECT_EQ(run.path(), folder());
    EXPECT_EQ(run.events_path(), folder() + "/events.jsonl");
  }
  RunDirectory run = RunDirectory::open(folder()).value();
  EXPECT_EQ(run.info(), info());
  EXPECT_THAT(run.repairs(), IsEmpty());
  EXPECT_THAT(os::list_dir(folder()).value(), ElementsAre("journal.jsonl", "lock", "run.json"));
}

TEST_F(RunDirectoryTest, CreatingTwiceIsRefusedAndChangesNothing) {
  { RunDirectory first = RunDirectory::create(root(), info()).value(); }
  RunInfo other = info();
  other.command = "another";
  Result<RunDirectory> second = RunDirectory::create(root(), other);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("exists already"));
  EXPECT_EQ(RunDirectory::open(folder())->info(), info());
}

TEST_F(RunDirectoryTest, AFolderOfSomebodyElseIsRefused) {
  ASSERT_TRUE(os::make_dirs(folder()));
  put(folder() + "/thesis.tex", "x");
  Result<RunDirectory> run = RunDirectory::create(root(), info());
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("is not a run directory (it holds thesis.tex)"));
}

TEST_F(RunDirectoryTest, AnInterruptedCreationIsTakenOver) {
  ASSERT_TRUE(os::make_dirs(folder()));
  put(folder() + "/lock", "");
  put(folder() + "/run.json.tmpA1b2C3", "{\"sch");
  EXPECT_THAT(RunDirectory::open(folder()).error().message, HasSubstr("it has no run.json"));
  RunDirectory run = RunDirectory::create(root(), info()).value();
  EXPECT_THAT(os::list_dir(folder()).value(), ElementsAre("journal.jsonl", "lock", "run.json"));
}

TEST_F(RunDirectoryTest, OpeningSaysWhatIsWrong) {
  EXPECT_EQ(RunDirectory::open(folder()).error().kind, ErrorKind::not_found);
  ASSERT_TRUE(os::make_dirs(folder()));
  const std::pair<const char*, const char*> rows[] = {
      {"{", "run.json"},
      {"{\"schema\":1}", "missing field \"id\""},
      {"{\"schema\":2}", "schema 2 is newer than this program knows (1)"},
  };
  for (const auto& [text, sentence] : rows) {
    put(folder() + "/run.json", text);
    Result<RunDirectory> run = RunDirectory::open(folder());
    ASSERT_FALSE(run) << text;
    EXPECT_THAT(run.error().message, HasSubstr(sentence));
  }
}

TEST_F(RunDirectoryTest, RunIdsAreOnePart) {
  for (const char* id : {"", "..", "a/b", "/a", "a\nb", "run.json"}) {
    EXPECT_FALSE(RunDirectory::create(root(), info(id))) << id;
  }
}

TEST(ArtifactName, EscapesAreRefused) {
  const std::string rows[] = {"",      "/etc/passwd",        "..",       "../x",          "a/../../x",
                              "a/..",  "./a",                "a/./b",    "a//b",          "a/",
                              "a\nb",  std::string("a\0b", 3), "caf\xc3\xa9", "\x1b[31m",   std::string(256, 'a'),
                              "lock",  "run.json",           "events.jsonl", "journal.jsonl", "journal.jsonl/x",
                              "a.tmpA1b2C3", "d.tmpA1b2C3/a"};
  for (const std::string& name : rows) {
    Status status = check_artifact_name(name);
    ASSERT_FALSE(status) << name;
    EXPECT_THAT(status.error().message, HasSubstr("artefact name \""));
    EXPECT_LT(status.error().message.size(), 300u);
  }
  std::string deep = "a";
  while (deep.size() <= kMaxArtifactName) deep += "/a";
  EXPECT_FALSE(check_artifact_name(deep));
}

TEST(ArtifactName, OrdinaryNamesAreFine) {
  for (const char* name : {"subgraphs.json", "kernels_out/sg_1/kernel.py", "a b", ".hidden", "...", "a..b", "x.tmp",
                           "sub/run.json", "x.tmp.py", "orchestrator/code.py.tgz"}) {
    EXPECT_TRUE(check_artifact_name(name)) << name;
  }
}

TEST_F(RunDirectoryTest, LinksAreNotFollowed) {
  RunDirectory run = RunDirectory::create(root(), info()).value();
  const std::string outside = dir_->file("outside");
  ASSERT_TRUE(os::make_dirs(outside));
  std::filesystem::create_symlink(outside, folder() + "/way");
  std::filesystem::create_symlink(outside + "/x", folder() + "/file");
  for (const char* name : {"way/x", "way", "file"}) {
    EXPECT_THAT(run.artifact_path(name).error().message, HasSubstr("is a link")) << name;
    EXPECT_FALSE(run.write_artifact(name, "text"));
    EXPECT_FALSE(run.record("s", "", {name}));
  }
  EXPECT_THAT(os::list_dir(outside).value(), IsEmpty());
}

TEST_F(RunDirectoryTest, AStepIsFinishedWhileItsArtefactsAreAsRecorded) {
  RunDirectory run = RunDirectory::create(root(), info()).value();
  EXPECT_EQ(run.why_not("synth", "sg_1"), "synth is not recorded for sg_1");
  ASSERT_TRUE(run.write_artifact("kernels_out/sg_1/kernel.py", "kernel"));
  ASSERT_TRUE(run.write_artifact("note", "n"));
  EXPECT_FALSE(run.finished("synth", "sg_1")) << "written is not recorded";
  ASSERT_TRUE(run.record("synth", "sg_1", {"kernels_out/sg_1/kernel.py", "note"}));
  EXPECT_TRUE(run.finished("synth", "sg_1"));
  EXPECT_FALSE(run.finished("synth", "sg_2"));
  EXPECT_FALSE(run.finished("verify", "sg_1"));
  ASSERT_TRUE(run.write_artifact("note", "m"));
  EXPECT_EQ(run.why_not("synth", "sg_1"), "note was changed after it was recorded");
  ASSERT_TRUE(run.write_artifact("note", "n"));
  EXPECT_TRUE(run.finished("synth", "sg_1"));
  std::filesystem::remove(folder() + "/note");
  EXPECT_THAT(run.why_not("synth", "sg_1"), HasSubstr("does not exist"));
  EXPECT_EQ(run.read_artifact("kernels_out/sg_1/kernel.py").value(), "kernel");
}

TEST_F(RunDirectoryTest, WhatIsNotThereCannotBeRecorded) {
  RunDirectory run = RunDirectory::create(root(), info()).value();
  Status status = run.record("synth", "sg_1", {"missing.py"});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("cannot record step synth"));
  EXPECT_FALSE(run.record("synth", "sg_1", {"../run_1/run.json"}));
  EXPECT_THAT(run.entries(), IsEmpty());
}

TEST_F(RunDirectoryTest, OpeningMendsWhatACrashLeft) {
  {
    RunDirectory run = RunDirectory::create(root(), info()).value();
    ASSERT_TRUE(run.write_artifact("a/b/kept.py", "x"));
    ASSERT_TRUE(run.record("s", "", {"a/b/kept.py"}));
  }
  put(folder() + "/a/b/kept.py.tmpAAAAAA", "half");
  put(folder() + "/events.jsonl", "{\"event\":1}\n{\"eve");
  const std::string journal = os::read_file(folder() + "/journal.jsonl").value();
  put(folder() + "/journal.jsonl", journal + "{\"art");
  RunDirectory reader = RunDirectory::open(folder(), RunDirectory::Access::read).value();
  EXPECT_TRUE(reader.finished("s", ""));
  EXPECT_TRUE(os::exists(folder() + "/a/b/kept.py.tmpAAAAAA")) << "a reader changes nothing";
  EXPECT_FALSE(reader.write_artifact("x", "y"));
  EXPECT_FALSE(reader.record("s2", "", {}));
  RunDirectory run = RunDirectory::open(folder()).value();
  EXPECT_THAT(run.repairs(), ElementsAre(HasSubstr("removed the unfinished file"),
                                         HasSubstr("events.jsonl: cut off an unfinished last line of 5 bytes"),
                                         HasSubstr("journal.jsonl:2: cut off an unfinished last line of 5 bytes")));
  EXPECT_TRUE(run.finished("s", ""));
  EXPECT_THAT(os::list_dir(folder() + "/a/b").value(), ElementsAre("kept.py"));
  EXPECT_EQ(os::read_file(run.events_path()).value(), "{\"event\":1}\n");
  EXPECT_EQ(os::read_file(folder() + "/journal.jsonl").value(), journal);
}

TEST_F(RunDirectoryTest, TornEventsOfAnyLengthAreCut) {
  { RunDirectory run = RunDirectory::create(root(), info()).value(); }
  for (const std::size_t whole : {0u, 1u, 4095u, 4096u, 4097u, 9000u}) {
    for (const std::size_t torn : {0u, 1u, 4095u, 4096u, 4097u, 9000u}) {
      std::string kept(whole, 'a');
      if (whole > 0) kept.back() = '\n';
      put(folder() + "/events.jsonl", kept + std::string(torn, 'b'));
      RunDirectory run = RunDirectory::open(folder()).value();
      ASSERT_EQ(os::read_file(run.events_path()).value(), kept) << whole << " " << torn;
      ASSERT_EQ(run.repairs().size(), torn == 0 ? 0u : 1u);
    }
  }
}

TEST_F(RunDirectoryTest, LookingAtTheLockKeepsNoWriterOut) {
  { RunDirectory run = RunDirectory::create(root(), info()).value(); }
  EXPECT_FALSE(RunLock::is_held(folder() + "/lock"));
  EXPECT_FALSE(RunLock::is_held(folder() + "/none"));
  EXPECT_FALSE(RunLock::is_held(folder()));
  std::jthread looking([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(RunLock::is_held(folder() + "/lock"));
  });
  for (int i = 0; i < 50; ++i) {
    Result<RunDirectory> run = RunDirectory::open(folder());
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_TRUE(RunLock::is_held(folder() + "/lock"));
  }
}

TEST_F(RunDirectoryTest, OneWriterAtATime) {
  RunDirectory run = RunDirectory::create(root(), info()).value();
  Result<RunDirectory> second = RunDirectory::open(folder());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::environment);
  EXPECT_THAT(second.error().message,
              HasSubstr("the run is in use by process " + std::to_string(::getpid()) + " (lock: " + folder()));
  EXPECT_TRUE(RunDirectory::open(folder(), RunDirectory::Access::read));
  EXPECT_FALSE(RunDirectory::create(root(), info()));
  { RunDirectory ended = std::move(run); }
  EXPECT_TRUE(RunDirectory::open(folder()));
}

TEST_F(RunDirectoryTest, TheLockOfAKilledProcessIsFree) {
  { RunDirectory run = RunDirectory::create(root(), info()).value(); }
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Result<RunDirectory> held = RunDirectory::open(folder());
    static_cast<void>(::write(ready[1], held ? "y" : "n", 1) == 1);
    while (true) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_THAT(RunDirectory::open(folder()).error().message,
              HasSubstr("in use by process " + std::to_string(child)));
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(RunDirectory::open(folder()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(RunDirectoryTest, ThreadsShareIt) {
  RunDirectory run = RunDirectory::create(root(), info()).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&run, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string name = "out/" + std::to_string(t) + "_" + std::to_string(i);
        EXPECT_TRUE(run.write_artifact(name, name));
        EXPECT_TRUE(run.record("synth", name, {name}));
        EXPECT_TRUE(run.finished("synth", name));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(run.entries().size(), 40u);
  { RunDirectory ended = std::move(run); }
  EXPECT_EQ(RunDirectory::open(folder())->entries().size(), 40u);
}

TEST(TemporaryName, IsWhatAtomicWritesLeave) {
  for (const char* name : {"kernel.py.tmpA1b2C3", "kernel.py.tmp1234-5", "a.tmp.tmp1"}) {
    EXPECT_TRUE(is_temporary_name(name)) << name;
  }
  for (const char* name : {"kernel.py", ".tmp1234-5", "a.tmp", "a.tmp1.py", "a.tmp 1", "a.txt1234", "tmp1", ""}) {
    EXPECT_FALSE(is_temporary_name(name)) << name;
  }
}

}  // namespace
}  // namespace ka::model
