#include "gpu/worker_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fake_worker.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

RunRequest request(const std::string& what, double deadline_seconds = 10) {
  RunRequest run;
  run.instance.id = what;
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->kernel = "k";
  compiled->cubin.resize(1000);
  run.compiled = compiled;
  run.timing.deadline_seconds = deadline_seconds;
  return run;
}

WorkerSource fake(const std::string& name, const std::string& start = "good") {
  WorkerSource source;
  source.name = name;
  source.settings.command = fake_worker_command(start);
  source.settings.start_deadline_seconds = 5;
  return source;
}

WorkerSource by_shell(const std::string& name, const std::string& script) {
  WorkerSource source;
  source.name = name;
  source.settings.command = {"/bin/sh", "-c", script};
  return source;
}

std::string fake_command(const std::string& start) {
  return "exec '" + fake_worker_command(start).front() + "' --fake-worker " + start;
}

// A pool, and what it has answered and told.
class Watched {
 public:
  explicit Watched(std::vector<WorkerSource> sources) : pool(std::move(sources)) {}

  void look() {
    pool.poll(nullptr, [this](WorkerLink::Answer answer) {
      EXPECT_FALSE(answers.contains(answer.request_id)) << "a second answer";
      workers.insert(pool.answered_by(answer.request_id));
      answers.emplace(answer.request_id, std::move(answer.result));
    });
    for (const std::string& line : pool.take_news()) news += line + "\n";
  }
  bool until(const std::function<bool()>& condition, double seconds = 20) {
    const auto end = steady_clock::now() + duration<double>(seconds);
    while (!condition()) {
      if (steady_clock::now() > end) return false;
      look();
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }
  bool until_idle() {
    return until([this] { return !pool.busy(); });
  }

  WorkerPool pool;
  std::map<WorkerLink::RequestId, Result<RunResult>> answers;
  std::set<std::string> workers;
  std::string news;
};

TEST(WorkerPool, EachRequestIsAnsweredOnceByWhoeverIsFree) {
  Watched all({fake("one"), fake("two"), fake("three")});
  ASSERT_TRUE(all.until([&] { return all.pool.free_workers(0) == 3; }));
  for (int i = 0; i < 9; ++i) all.pool.submit("", request("slow"));
  ASSERT_TRUE(all.until_idle());
  EXPECT_EQ(all.answers.size(), 9U);
  for (const auto& [request_id, result] : all.answers) EXPECT_TRUE(result.ok());
  EXPECT_EQ(all.workers, (std::set<std::string>{"one", "two", "three"}));
}

TEST(WorkerPool, ARequestThatKillsItsWorkersIsGivenUpAndTheOthersAreDone) {
  Watched all({fake("one"), fake("two")});
  ASSERT_TRUE(all.until([&] { return all.pool.free_workers(0) == 2; }));
  const auto deadly = all.pool.submit("", request("segfault"));
  for (int i = 0; i < 6; ++i) all.pool.submit("", request("fine"));
  ASSERT_TRUE(all.until_idle());
  ASSERT_EQ(all.answers.size(), 7U);
  for (const auto& [request_id, result] : all.answers) EXPECT_EQ(result.ok(), request_id != deadly);
  const Error& error = all.answers.at(deadly).error();
  EXPECT_NE(error.message.find("was ended by signal 11"), std::string::npos) << error.message;
  EXPECT_NE(all.news.find("was lost and is started again"), std::string::npos) << all.news;
}

TEST(WorkerPool, AHangIsTriedOnceElsewhere) {
  Watched all({fake("one"), fake("two")});
  ASSERT_TRUE(all.until([&] { return all.pool.free_workers(0) == 2; }));
  const auto request_id = all.pool.submit("", request("hang", 0.2));
  ASSERT_TRUE(all.until_idle());
  EXPECT_EQ(all.answers.at(request_id).error().code, ErrorCode::kKernel);
  EXPECT_NE(all.news.find("hung with hang, which goes to another worker"), std::string::npos)
      << all.news;
  all.pool.submit("", request("fine"));
  ASSERT_TRUE(all.until_idle());
  EXPECT_TRUE(all.answers.rbegin()->second.ok());
}

TEST(WorkerPool, GpusOfOneKindShareAndOthersDoNot) {
  Watched all({fake("one"), fake("other", "measures_h100"), fake("two")});
  ASSERT_TRUE(all.until([&] { return all.pool.kinds().size() == 2; }));
  const bool first_is_fake = all.pool.kinds()[0].name == "Fake GPU";
  const std::size_t fakes = first_is_fake ? 0 : 1;
  ASSERT_TRUE(all.until([&] { return all.pool.free_workers(fakes) == 2; }));
  EXPECT_EQ(all.pool.free_workers(1 - fakes), 1U);
  for (int i = 0; i < 6; ++i) all.pool.submit_to(fakes, "", request("slow"));
  ASSERT_TRUE(all.until_idle());
  EXPECT_EQ(all.workers, (std::set<std::string>{"one", "two"}));
}

TEST(WorkerPool, AMachineThatComesLateIsUsed) {
  const testing::TemporaryFolder folder;
  const auto ready = folder / "ready";
  Watched all({fake("one"), by_shell("late", "test -e '" + ready.string() + "' || exit 1; " +
                                                 fake_command("good"))});
  ASSERT_TRUE(
      all.until([&] { return all.news.find("late does not answer") != std::string::npos; }));
  all.pool.submit("", request("fine"));
  ASSERT_TRUE(all.until_idle()) << "one is enough";
  std::ofstream(ready).put('\n');
  EXPECT_TRUE(all.until([&] { return all.pool.free_workers(0) == 2; })) << all.news;
  EXPECT_NE(all.news.find("late joined: Fake GPU"), std::string::npos) << all.news;
}

TEST(WorkerPool, AKindWhoseWorkersAreGoneForGoodIsGivenUp) {
  const testing::TemporaryFolder folder;
  const std::string gone = "'" + (folder / "gone").string() + "'";
  Watched all(
      {fake("one"),
       by_shell("brief", "test -e " + gone + " && exit 1; touch " + gone + "; timeout 1 '" +
                             fake_worker_command("").front() + "' --fake-worker measures_h100")});
  ASSERT_TRUE(all.until([&] { return all.pool.kinds().size() == 2; })) << all.news;
  const std::vector<GpuKind> gpus = all.pool.gpus();
  ASSERT_EQ(gpus.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(gpus[i].info.name, all.pool.kinds()[i].name);
  const std::size_t brief = all.pool.kinds()[0].name == "Fake GPU" ? 1 : 0;
  ASSERT_TRUE(all.until([&] { return all.news.find("brief was lost") != std::string::npos; }));
  const auto request_id = all.pool.submit_to(brief, "", request("fine"));
  all.pool.submit_to(1 - brief, "", request("fine"));
  ASSERT_TRUE(all.until_idle()) << all.news;
  EXPECT_EQ(all.answers.at(request_id).error().code, ErrorCode::kMachine);
  EXPECT_TRUE(all.pool.hopeless(brief));
  EXPECT_EQ(all.pool.gpus()[brief].workers, 0U);
  EXPECT_EQ(all.pool.gpus()[1 - brief].workers, 1U);
  EXPECT_FALSE(all.pool.hopeless(1 - brief));
  EXPECT_FALSE(all.pool.hopeless());
}

TEST(WorkerPool, AGpuIsUsedOnce) {
  Watched all({fake("one", "same_gpu"), fake("two", "same_gpu")});
  const auto told = [&] { return all.news.find("it has the same GPU as") != std::string::npos; };
  ASSERT_TRUE(all.until(told)) << all.news;
  EXPECT_EQ(all.pool.free_workers(0), 1U);
  EXPECT_FALSE(all.pool.hopeless());
}

TEST(WorkerPool, AWorkerBringsThoseOfItsMachinesOtherGpus) {
  WorkerSource first = fake("GPU 0", "measures_two");
  first.settings.command.clear();
  first.brings_others = true;
  const std::string command =
      "'" + fake_worker_command("").front() + "' --fake-worker measures_two";
  ::setenv("TILESCOPE_WORKER", command.c_str(), 1);
  Watched all({first});
  EXPECT_TRUE(all.until([&] { return all.pool.free_workers(0) == 2; })) << all.news;
  ::unsetenv("TILESCOPE_WORKER");
  EXPECT_NE(all.news.find("GPU 1 joined"), std::string::npos) << all.news;
}

TEST(WorkerPool, WithoutAnyWorkerEachRequestSaysWhy) {
  Watched all({fake("one", "exit"), fake("two", "no_device")});
  const auto request_id = all.pool.submit("", request("fine"));
  ASSERT_TRUE(all.until_idle());
  EXPECT_EQ(all.answers.at(request_id).error().code, ErrorCode::kMachine);
  EXPECT_TRUE(all.answers.at(request_id).error().message.starts_with("no device: "));
  ASSERT_TRUE(all.pool.device().has_value());
  EXPECT_FALSE(all.pool.device()->ok());
}

TEST(WorkerPool, ANewerRequestTakesAnOldersPlace) {
  Watched all({fake("one")});
  ASSERT_TRUE(all.until([&] { return all.pool.free_workers(0) == 1; }));
  const auto running = all.pool.submit("a", request("until_cancelled"));
  const auto waiting = all.pool.submit("b", request("fine"));
  const auto newer = all.pool.submit("b", request("fine"));
  const auto last = all.pool.submit("a", request("fine"));
  ASSERT_TRUE(all.until_idle());
  EXPECT_EQ(all.answers.at(running).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(all.answers.at(waiting).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(all.answers.at(newer).ok());
  EXPECT_TRUE(all.answers.at(last).ok());
}

}  // namespace
}  // namespace tilescope
