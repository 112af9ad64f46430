#include "ui/workbench/phase_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ui_fixture.h"

namespace tilescope {
namespace {

// Answers nothing, and keeps what it was asked.
class SilentLink : public WorkerLink {
 public:
  std::vector<std::string> submitted;
  std::vector<std::string> cancelled;

  std::optional<Result<DeviceInfo>> device() const override { return Error{}; }
  RequestId submit(const std::string& tag, RunRequest) override {
    submitted.push_back(tag);
    return submitted.size();
  }
  void poll(const std::function<void(const Progress&)>&,
            const std::function<void(Answer)>&) override {}
  void cancel(const std::string& tag) override { cancelled.push_back(tag); }
  bool busy() const override { return false; }
};

class PhaseRunsTest : public UiTest {
 protected:
  void want(int variant) {
    runs_.want({variant, 1, this->variant().study, 90, 1e-3}, pool_);
    while (!pool_.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  JobPool pool_{1};
  PhaseRuns runs_;
  SilentLink link_;
};

TEST_F(PhaseRunsTest, WhatIsCancelledIsNotSentAndWhatRunsIsStopped) {
  settle();
  want(0);
  want(1);
  runs_.cancel(0, pool_, link_);
  runs_.submit(link_);
  EXPECT_EQ(link_.submitted, std::vector<std::string>{"phases 1"});
  runs_.cancel(1, pool_, link_);
  EXPECT_EQ(link_.cancelled, (std::vector<std::string>{"phases 0", "phases 1"}));
}

TEST_F(PhaseRunsTest, WhatIsBeingCompiledIsNotSentEither) {
  settle();
  runs_.want({0, 1, variant().study, 90, 1e-3}, pool_);
  runs_.cancel(0, pool_, link_);
  while (!pool_.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  runs_.submit(link_);
  EXPECT_TRUE(link_.submitted.empty());
}

// The tags that a window cancels.
class TaggingLink final : public SilentLink {
 public:
  explicit TaggingLink(std::shared_ptr<std::vector<std::string>> tags) : tags_(std::move(tags)) {}
  void cancel(const std::string& tag) override { tags_->push_back(tag); }

 private:
  std::shared_ptr<std::vector<std::string>> tags_;
};

class PhaseCancelTest : public UiTest {
 protected:
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    return std::make_unique<TaggingLink>(tags_);
  }
  std::shared_ptr<std::vector<std::string>> tags_ = std::make_shared<std::vector<std::string>>();
};

TEST_F(PhaseCancelTest, AChangedParameterCancelsThem) {
  settle();
  tags_->clear();
  workbench_->set_parameter("STAGES", 2);
  EXPECT_NE(std::ranges::find(*tags_, "phases 0"), tags_->end());
}

}  // namespace
}  // namespace tilescope
