#include "report/run_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/run_directory.h"
#include "os/files.h"
#include "report/test_runs.h"

namespace ka::report {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kDay1 = "2026-11-01T00:00:00.000Z";
constexpr const char* kDay2 = "2026-11-02T00:00:00.000Z";
constexpr const char* kDay3 = "2026-11-03T00:00:00.000Z";

class RunListTest : public ::testing::Test {
 protected:
  RunListTest() : dir_(os::TempDir::create("run-list-").value()), root_(dir_.path()) {}
  std::string at(const std::string& name) const { return root_ + "/.fuse/" + name; }
  std::vector<std::string> ids() const {
    std::vector<std::string> out;
    const std::vector<RunRow> rows = list_runs(root_).value();
    for (const RunRow& row : rows) out.push_back(row.id);
    return out;
  }
  os::TempDir dir_;
  std::string root_;
};

TEST_F(RunListTest, NoFolderMeansNoRuns) {
  EXPECT_THAT(list_runs(root_).value(), IsEmpty());
  EXPECT_EQ(list_runs(root_ + "/none").error().kind, ErrorKind::not_found);
}

TEST_F(RunListTest, NewestFirstAndOtherFoldersAreNoRuns) {
  make_run(root_, "run_b", kDay2);
  make_run(root_, "run_c", kDay1);
  make_run(root_, "mine", kDay3);
  put(at("eval/results.jsonl"), "{}");
  put(at("router_cache.json"), "{}");
  fs::rename(at("run_c"), root_ + "/.fuse/../run_c");
  fs::create_directory(root_ + "/.optimize");
  fs::rename(root_ + "/run_c", root_ + "/.optimize/run_c");
  EXPECT_THAT(ids(), ElementsAre("mine", "run_b", "run_c"));
}

TEST_F(RunListTest, StateIsWhatBecameOfIt) {
  const struct {
    const char* id;
    std::map<std::string, std::string> files;
    const char* state;
  } cases[] = {
      {"run_1", {{"summary.json", text(summary("run_1"))}}, "verified"},
      {"run_2", {{"summary.json", text(summary("run_2", true, false))}}, "not verified"},
      {"run_3", {{"summary.json", text(summary("run_3", false, false))}}, "not achieved"},
      {"run_4", {{"kernel.py", "x"}}, "interrupted"},
      {"run_5", {{"bench.json", "{}"}, {"verdict.json", text(accepted_verdict())}}, "verified"},
      {"run_6", {{"bench.json", "{}"}, {"verdict.json", text(refused_verdict())}}, "not achieved"},
      {"run_9", {{"profile.json", "{}"}}, "not verified"},
      {"run_7", {{"summary.json", "{"}}, "damaged"},
      {"run_8", {{"summary.json", "[1]"}}, "damaged"},
  };
  for (const auto& row : cases)
    EXPECT_STREQ(to_string(look_at(make_run(root_, row.id, kDay1, row.files)).state), row.state) << row.id;
  const RunRow row = look_at(at("run_1"));
  EXPECT_EQ(row.problem, "models/net.py");
  EXPECT_EQ(row.route, "fuse");
  EXPECT_DOUBLE_EQ(row.seconds.value(), 4.5);
  EXPECT_EQ(look_at(at("run_4")).problem, "net.py") << "from the command line";
  EXPECT_EQ(look_at(at("run_4")).message,
            "there is no summary; the last finished step is synth of kernel.py");
}

TEST_F(RunListTest, ASummaryMaySayThatItWasInterrupted) {
  model::RunSummary value = summary("run_1", false, false);
  value.exit_code = 130;
  EXPECT_EQ(look_at(make_run(root_, "run_1", kDay1, {{"summary.json", text(value)}})).state,
            RunState::interrupted);
}

TEST_F(RunListTest, WhoeverHoldsTheLockIsAtWork) {
  const std::string path = make_run(root_, "run_1", kDay1, {{"summary.json", text(summary("run_1"))}});
  {
    const model::RunDirectory writer = model::RunDirectory::open(path).value();
    EXPECT_EQ(look_at(path).state, RunState::going_on);
    EXPECT_FALSE(remove_run(path));
    EXPECT_TRUE(os::exists(path + "/run.json"));
  }
  EXPECT_EQ(look_at(path).state, RunState::verified);
}

TEST_F(RunListTest, DamageIsAStateWithASentence) {
  const std::string path = make_run(root_, "run_1", kDay1, {{"a.txt", "a"}, {"b.txt", "b"}});
  put(path + "/journal.jsonl", "nonsense\n{}\n");
  EXPECT_EQ(look_at(path).state, RunState::damaged);
  EXPECT_THAT(look_at(path).message, HasSubstr("journal.jsonl:1: damaged"));
  fs::remove(path + "/run.json");
  EXPECT_THAT(look_at(path).message, HasSubstr("run.json: it is missing"));
  fs::create_symlink("/etc/passwd", path + "/run.json");
  EXPECT_THAT(look_at(path).message, HasSubstr("is a link, and links are not followed"));
  fs::remove(path + "/run.json");
  ASSERT_EQ(::mkfifo((path + "/run.json").c_str(), 0600), 0);
  EXPECT_THAT(look_at(path).message, HasSubstr("is not a regular file"));
}

TEST_F(RunListTest, GiantFilesAreNotRead) {
  const std::string path = make_run(root_, "run_1", kDay1);
  put(path + "/summary.json", "");
  fs::resize_file(path + "/summary.json", std::uintmax_t{1} << 40);
  EXPECT_EQ(look_at(path).state, RunState::damaged);
  EXPECT_THAT(look_at(path).message, HasSubstr("more than the"));
  EXPECT_LT(look_at(path).bytes, std::uint64_t{1} << 30) << "what it takes on the disk";
}

TEST_F(RunListTest, TextsOfFilesCannotSteerTheTerminal) {
  model::RunSummary value = summary("run_1");
  value.message = "\x1b[2Jgone\nrun_fake  verified";
  const RunRow row = look_at(make_run(root_, "run_1", kDay1, {{"summary.json", text(value)}}));
  EXPECT_EQ(row.message, "\xEF\xBF\xBD[2Jgone run_fake  verified");
}

TEST_F(RunListTest, ARunIsNamedInManyWays) {
  const std::string a = make_run(root_, "run_20261101_aa", kDay1),
                    b = make_run(root_, "run_20261102_bb", kDay2);
  for (const std::string& word :
       {std::string("run_20261101_aa"), std::string("run_20261101"), std::string("20261101"), a, a + "/"})
    EXPECT_EQ(find_run(root_, word).value(), a) << word;
  EXPECT_EQ(find_run(root_, "last").value(), b);
  EXPECT_THAT(find_run(root_, "run_2026").error().message, HasSubstr("fits 2 runs: "));
  EXPECT_THAT(find_run(root_, "run_20261101_ab").error().message,
              HasSubstr("did you mean \"run_20261101_aa\"?"));
  EXPECT_THAT(find_run(root_, "").error().message, HasSubstr("empty"));
  EXPECT_EQ(find_run(root_, root_).error().message, root_ + " is not a run directory: it has no run.json");
  EXPECT_EQ(find_run(root_ + "/none", "x").error().kind, ErrorKind::not_found);
}

TEST_F(RunListTest, OnlyRunsOfTheRootAreRemoved) {
  const std::string run = make_run(root_, "run_1", kDay1);
  const std::string elsewhere = make_run(root_ + "/other", "run_9", kDay1);
  put(at("eval/run.txt"), "mine");
  fs::create_directory_symlink(elsewhere, at("run_link"));
  for (const std::string& word :
       {elsewhere, root_ + "/.fuse/../other/.fuse/run_9", root_ + "/.fuse/run_1/..", at("run_link"),
        at("eval"), root_ + "/.fuse", std::string("/"), std::string("..")})
    EXPECT_FALSE(find_removable_run(root_, word)) << word;
  EXPECT_THAT(find_removable_run(root_, elsewhere).error().message, HasSubstr("does not lie directly below"));
  EXPECT_EQ(find_removable_run(root_, "run_1").value(), run);
  EXPECT_TRUE(os::exists(elsewhere + "/run.json"));

  fs::rename(root_ + "/.fuse", root_ + "/real");
  fs::create_directory_symlink(root_ + "/real", root_ + "/.fuse");
  EXPECT_FALSE(find_removable_run(root_, "run_1")) << "the folder of the runs is a link";
}

TEST_F(RunListTest, RemovalTakesTheWholeFolderAndFollowsNoLink) {
  const std::string path = make_run(root_, "run_1", kDay1, {{"deep/er/x.txt", "x"}});
  put(root_ + "/precious/a.txt", "a");
  fs::create_directory_symlink(root_ + "/precious", path + "/link");
  fs::remove(path + "/lock");
  fs::create_symlink(root_ + "/precious/a.txt", path + "/lock");
  ASSERT_TRUE(remove_run(path));
  EXPECT_TRUE(os::exists(root_ + "/precious/a.txt"));
  EXPECT_THAT(os::list_dir(root_ + "/.fuse").value(), IsEmpty());
  put(at(".removed-run_0/x"), "x");
  EXPECT_THAT(ids(), IsEmpty());
  ASSERT_TRUE(sweep_removed(root_));
  EXPECT_THAT(os::list_dir(root_ + "/.fuse").value(), IsEmpty());
}

std::vector<std::string> plan(const std::vector<RunRow>& rows, const GcLimits& limits) {
  std::vector<std::string> out;
  for (const RunRow& row : gc_plan(rows, limits, parse_utc_timestamp("2026-11-08T00:00:00.000Z").value()))
    out.push_back(row.id);
  return out;
}

TEST_F(RunListTest, GcTakesTheOldestAndNeverOneThatIsGoingOn) {
  std::vector<RunRow> rows;
  for (int day = 1; day <= 4; ++day) {
    RunRow& row = rows.emplace_back();
    row.id = "run_" + std::to_string(day);
    row.at = parse_utc_timestamp("2026-11-0" + std::to_string(day) + "T00:00:00.000Z").value();
    row.bytes = 100;
    row.state = day == 2 ? RunState::going_on : RunState::verified;
  }
  using std::chrono::hours;
  const auto days = [](int n) { return std::chrono::duration_cast<std::chrono::seconds>(hours(24 * n)); };
  EXPECT_THAT(plan(rows, {days(5), {}, {}}), ElementsAre("run_1")) << "2026-11-03 is five days ago, not more";
  EXPECT_THAT(plan(rows, {days(4), {}, {}}), ElementsAre("run_1", "run_3"));
  EXPECT_THAT(plan(rows, {{}, 400, {}}), IsEmpty());
  EXPECT_THAT(plan(rows, {{}, 399, {}}), ElementsAre("run_1"));
  EXPECT_THAT(plan(rows, {{}, 0, {}}), ElementsAre("run_1", "run_3", "run_4"));
  EXPECT_THAT(plan(rows, {{}, 0, 1}), ElementsAre("run_1", "run_3"));
  EXPECT_THAT(plan(rows, {{}, {}, 2}), ElementsAre("run_1"));
  EXPECT_THAT(plan(rows, {days(1), {}, 9}), IsEmpty());
  EXPECT_THAT(plan(rows, {{}, {}, {}}), IsEmpty());
}

}  // namespace
}  // namespace ka::report
