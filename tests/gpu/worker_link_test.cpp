#include "gpu/worker_link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "fake_worker.h"
#include "gpu/protocol.h"
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
  compiled->cubin.resize(200'000);  // more than a pipe holds
  run.compiled = compiled;
  run.timing.deadline_seconds = deadline_seconds;
  return run;
}

std::unique_ptr<WorkerLink> start_fake(const std::string& start = "good", int most_restarts = 3) {
  WorkerSettings settings;
  settings.command = fake_worker_command(start);
  settings.start_deadline_seconds = 5;
  settings.most_restarts = most_restarts;
  return start_worker(settings);
}

bool wait_until(const std::function<bool()>& condition, double seconds = 10) {
  const auto end = steady_clock::now() + duration<double>(seconds);
  while (!condition()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

void expect_next_works(WorkerLink& link) {
  const auto result = run_and_wait(link, request("fine"));
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_EQ(result->kernel.median_seconds, TimingOptions{}.max_seconds);
}

// The request fails with these words in its message, and the next one works.
void expect_reported(const std::string& what, const std::string& words, ErrorCode code,
                     double deadline_seconds = 10) {
  const auto link = start_fake();
  const auto result = run_and_wait(*link, request(what, deadline_seconds));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find(words), std::string::npos) << to_string(result.error());
  EXPECT_EQ(result.error().code, code);
  expect_next_works(*link);
}

void expect_no_device(const std::string& start, const std::string& words) {
  const auto link = start_fake(start, 1);
  const auto result = run_and_wait(*link, request("fine"));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().message.starts_with("no device: ")) << to_string(result.error());
  EXPECT_NE(result.error().message.find(words), std::string::npos) << to_string(result.error());
  EXPECT_EQ(result.error().code, ErrorCode::kMachine);
  const auto device = link->device();
  ASSERT_TRUE(device.has_value());
  ASSERT_FALSE(device->ok());
  EXPECT_EQ(device->error().message, result.error().message);
  EXPECT_FALSE(link->busy());
}

TEST(WorkerLink, AnswersARequestWithItsResultAndSamples) {
  const auto link = start_fake();
  EXPECT_FALSE(link->busy());
  const auto request_id = link->submit("a", request("fine"));
  EXPECT_TRUE(link->busy());
  std::vector<double> samples;
  std::optional<WorkerLink::Answer> answer;
  ASSERT_TRUE(wait_until([&] {
    link->poll([&](const WorkerLink::Progress& p) { samples.push_back(p.kernel_seconds); },
               [&](WorkerLink::Answer a) { answer = std::move(a); });
    return answer.has_value();
  }));
  EXPECT_EQ(answer->request_id, request_id);
  EXPECT_TRUE(answer->result.ok());
  EXPECT_EQ(samples, (std::vector<double>{1e-3, 2e-3, 3e-3}));
  EXPECT_FALSE(link->busy());
  ASSERT_TRUE(link->device().has_value());
  EXPECT_EQ((*link->device())->name, "Fake GPU");
}

TEST(WorkerLink, KillsAKernelThatHangsAtItsDeadline) {
  const auto before = steady_clock::now();
  expect_reported("hang", "hang did not finish within 0.3 s: it was stopped", ErrorCode::kKernel,
                  0.3);
  EXPECT_LT(steady_clock::now() - before, milliseconds(3000));
}

TEST(WorkerLink, KillsWhatTheWorkerStartedToo) {
  const testing::TemporaryFolder folder;
  const auto file = folder / "group";
  RunRequest run = request("hang_with_child", 0.3);
  run.instance.title = file.string();
  const auto link = start_fake();
  EXPECT_FALSE(run_and_wait(*link, run).ok());
  pid_t group = 0;
  std::ifstream(file) >> group;
  ASSERT_GT(group, 1);
  // The child is an orphan now, and a container may have no init that reaps it: a zombie is dead.
  EXPECT_TRUE(wait_until([&] {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      int id = 0, parent = 0, its_group = 0;
      char state = 0;
      std::string name;
      std::ifstream(entry.path() / "stat") >> id >> name >> state >> parent >> its_group;
      if (its_group == group && state != 'Z') return false;
    }
    return true;
  }));
}

TEST(WorkerLink, NamesTheSignalThatEndedTheWorker) {
  expect_reported("segfault", "segfault: the worker process was ended by signal 11",
                  ErrorCode::kMachine);
}
TEST(WorkerLink, RepeatsTheLastLineOfAWorkerThatExits) {
  expect_reported("exit", "exited with status 5: out of order", ErrorCode::kMachine);
}
TEST(WorkerLink, SurvivesGarbage) {
  expect_reported("garbage", "sent something that is no message", ErrorCode::kMachine);
}
TEST(WorkerLink, SurvivesAMessageWithBadFields) {
  expect_reported("bad_message", "ticket: -1 is less than 0", ErrorCode::kMachine);
}
TEST(WorkerLink, SurvivesHalfAFrame) {
  expect_reported("half_frame", "exited with status 0", ErrorCode::kMachine);
}
TEST(WorkerLink, SurvivesHalfAFrameThatNeverEnds) {
  expect_reported("half_frame_then_hang", "did not finish within 0.3 s", ErrorCode::kKernel, 0.3);
}
TEST(WorkerLink, SurvivesAnAnswerToAnotherQuestion) {
  expect_reported("wrong_ticket", "answered something that was not asked", ErrorCode::kMachine);
}
TEST(WorkerLink, SurvivesAFloodOfSamples) {
  expect_reported("flood", "did not finish within 0.5 s", ErrorCode::kKernel, 0.5);
}
TEST(WorkerLink, PassesOnAFaultAndRestarts) {
  expect_reported("fault", "fault: illegal address", ErrorCode::kKernel);
}

TEST(WorkerLink, IsNotBlockedByAChattyErrorStream) {
  const auto link = start_fake();
  EXPECT_TRUE(run_and_wait(*link, request("chatter")).ok());
  expect_next_works(*link);
}

TEST(WorkerLink, KeepsGoingAfterManyKernelsThatHang) {
  const auto link = start_fake("good", 1);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(run_and_wait(*link, request("hang", 0.1)).ok());
  expect_next_works(*link);
}

TEST(WorkerLink, GivesUpAfterTooManyCrashesInARow) {
  const auto link = start_fake("good", 2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(run_and_wait(*link, request("segfault")).error().message.starts_with("no device"));
  }
  const auto result = run_and_wait(*link, request("fine"));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().message.starts_with("no device: the worker was ended by signal 11"))
      << to_string(result.error());
}

TEST(WorkerLink, AnAnswerForgivesEarlierCrashes) {
  const auto link = start_fake("good", 1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(run_and_wait(*link, request("segfault")).ok());
    expect_next_works(*link);
  }
}

TEST(WorkerLink, AnswersAllThatWaitsWhenTheWorkerIsGivenUp) {
  const auto link = start_fake("exit", 0);
  std::size_t refused = 0;
  for (int i = 0; i < 5; ++i) link->submit("", request("fine"));
  ASSERT_TRUE(wait_until([&] {
    link->poll(nullptr, [&](const WorkerLink::Answer& a) { refused += a.result.ok() ? 0u : 1u; });
    return !link->busy();
  }));
  link->poll(nullptr, [&](const WorkerLink::Answer& a) { refused += a.result.ok() ? 0u : 1u; });
  EXPECT_EQ(refused, 5u);
}

TEST(WorkerLink, SaysWhyThereIsNoDevice) {
  expect_no_device("no_device", "libcuda.so.1 is not installed");
  expect_no_device("exit", "exited with status 7: bash: tilescope: command not found");
  expect_no_device("old_version", "speaks version " + std::to_string(kProtocolVersion + 1));
  expect_no_device("text", "is not the worker's protocol");
}

TEST(WorkerLink, GivesUpAWorkerThatKeepsDyingWithNothingToDo) {
  const auto link = start_fake("die_idle", 1);
  ASSERT_TRUE(wait_until([&] { return link->device().has_value() && !link->device()->ok(); }));
  EXPECT_EQ(link->device()->error().message,
            "no device: the worker was ended by signal 9 (Killed)");
}

TEST(WorkerLink, SaysWhenTheWorkerCannotBeStarted) {
  WorkerSettings settings;
  settings.command = {"/nowhere/tilescope", "worker"};
  const auto link = start_worker(settings);
  const auto result = run_and_wait(*link, request("fine"));
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("\"/nowhere/tilescope\" cannot be started: No such file"),
            std::string::npos)
      << to_string(result.error());
}

TEST(WorkerLink, GivesUpAWorkerThatNeverSaysHello) {
  WorkerSettings settings;
  settings.command = fake_worker_command("silent");
  settings.start_deadline_seconds = 0.2;
  settings.most_restarts = 1;
  const auto link = start_worker(settings);
  const auto result = run_and_wait(*link, request("fine"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no device: the worker did not answer within 0.2 s");
}

TEST(WorkerLink, IgnoresTheGreetingOfALoginShell) {
  const auto link = start_fake("greeting");
  expect_next_works(*link);
}

// What a link has answered so far.
class Answers {
 public:
  explicit Answers(WorkerLink& link) : link_(link) {}

  void poll() {
    link_.poll([&](const WorkerLink::Progress&) { ++samples_; },
               [&](WorkerLink::Answer answer) {
                 results_.emplace(answer.request_id, std::move(answer.result));
               });
  }
  bool arrive(std::size_t count) {
    return wait_until([&] { return poll(), results_.size() == count; });
  }
  [[nodiscard]] int samples() const { return samples_; }
  [[nodiscard]] const Result<RunResult>& at(WorkerLink::RequestId request_id) const {
    return results_.at(request_id);
  }

 private:
  WorkerLink& link_;
  std::map<WorkerLink::RequestId, Result<RunResult>> results_;
  int samples_ = 0;
};

TEST(WorkerLink, ANewerRequestPushesOutTheOneThatWaitsWithItsTag) {
  const auto link = start_fake();
  const auto running = link->submit("slider", request("slow"));
  ASSERT_TRUE(wait_until([&] { return link->device().has_value(); }));
  std::this_thread::sleep_for(milliseconds(50));  // now it runs
  const auto older = link->submit("slider", request("fine"));
  const auto other = link->submit("other", request("fine"));
  const auto newer = link->submit("slider", request("fine"));
  Answers answers(*link);
  ASSERT_TRUE(answers.arrive(4));
  EXPECT_TRUE(answers.at(running).ok());
  ASSERT_FALSE(answers.at(older).ok());
  EXPECT_EQ(answers.at(older).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(answers.at(other).ok());
  EXPECT_TRUE(answers.at(newer).ok());
}

TEST(WorkerLink, ANewerRequestStopsTheOneThatRunsWithItsTag) {
  const auto link = start_fake();
  const auto running = link->submit("slider", request("until_cancelled"));
  Answers answers(*link);
  ASSERT_TRUE(wait_until([&] { return answers.poll(), answers.samples() > 0; }));
  const auto newer = link->submit("slider", request("fine"));
  ASSERT_TRUE(answers.arrive(2));
  ASSERT_FALSE(answers.at(running).ok());
  EXPECT_EQ(answers.at(running).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(answers.at(newer).ok());
}

TEST(WorkerLink, CancellingStopsWhatRunsAndDropsWhatWaitsOfThatTagAlone) {
  const auto link = start_fake();
  const auto running = link->submit("slider", request("until_cancelled"));
  Answers answers(*link);
  ASSERT_TRUE(wait_until([&] { return answers.poll(), answers.samples() > 0; }));
  const auto other = link->submit("other", request("fine"));
  link->cancel("another");
  link->cancel("slider");
  ASSERT_TRUE(answers.arrive(2));
  EXPECT_EQ(answers.at(running).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(answers.at(other).ok());
  link->cancel("slider");  // of nothing
  expect_next_works(*link);
}

TEST(WorkerLink, ADraggedSliderQueuesUpNoWork) {
  const auto link = start_fake();
  for (int i = 0; i < 1000; ++i) link->submit("slider", request("slow"));
  const auto before = steady_clock::now();
  std::size_t answered = 0;
  ASSERT_TRUE(wait_until([&] {
    link->poll(nullptr, [&](const WorkerLink::Answer&) { ++answered; });
    return answered == 1000;
  }));
  EXPECT_LT(steady_clock::now() - before, milliseconds(2000));  // two slow ones, not a thousand
}

TEST(WorkerLink, SendsTheContentsOfFiles) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("file", std::string(4096, 'x'));
  RunRequest run = request("file");
  Argument argument;
  argument.is_pointer = true;
  argument.buffer = {ElementType::kF32, 1024, Fill::kFile, 0, file.string()};
  run.instance.arguments = {argument};
  const auto link = start_fake();
  const auto result = run_and_wait(*link, run);
  std::filesystem::remove(file);
  ASSERT_TRUE(result.ok()) << to_string(result.error());
  EXPECT_EQ(result->bytes, 4096.0);
  const auto missing = run_and_wait(*link, run);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find(file.string()), std::string::npos);
  expect_next_works(*link);
}

TEST(WorkerLink, EndsAtOnceWhateverTheWorkerDoes) {
  for (const std::string what : {"hang", "flood", "slow", "fine"}) {
    auto link = start_fake();
    link->submit("", request(what, 60));
    std::this_thread::sleep_for(milliseconds(100));
    const auto before = steady_clock::now();
    link.reset();
    EXPECT_LT(steady_clock::now() - before, milliseconds(1000)) << what;
  }
  auto link = start_fake("silent");
  const auto before = steady_clock::now();
  link.reset();
  EXPECT_LT(steady_clock::now() - before, milliseconds(1000));
}

TEST(WorkerLink, LeavesNoZombieAndNoOpenFile) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  // Of this program, ended or not; other tests may have left a process that compiles.
  const auto children = [] {
    std::ptrdiff_t count = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream list(thread.path() / "children");
      count += std::distance(std::istream_iterator<int>(list), std::istream_iterator<int>());
    }
    return count;
  };
  const auto before = open_files();
  const auto children_before = children();
  for (int i = 0; i < 5; ++i) {
    const auto link = start_fake();
    (void)run_and_wait(*link, request(i % 2 == 0 ? "segfault" : "fine"));
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_TRUE(wait_until([&] { return children() == children_before; }));
}

TEST(WorkerLink, TheProgramsOwnSignalsStayAsTheyAre) {
  struct sigaction action {};
  ASSERT_EQ(::sigaction(SIGPIPE, nullptr, &action), 0);
  const auto link = start_fake("exit", 0);
  EXPECT_FALSE(run_and_wait(*link, request("fine")).ok());
  struct sigaction later {};
  ASSERT_EQ(::sigaction(SIGPIPE, nullptr, &later), 0);
  EXPECT_EQ(action.sa_handler, later.sa_handler);
}

TEST(NullLink, AnswersWhyToEverything) {
  const auto link = make_null_link("libcuda.so.1 is not installed");
  const auto result = run_and_wait(*link, request("fine"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "no device: libcuda.so.1 is not installed");
  EXPECT_EQ(result.error().code, ErrorCode::kMachine);
  EXPECT_FALSE(link->busy());
}

}  // namespace
}  // namespace tilescope
