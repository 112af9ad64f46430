// Hardware counters in the window: read, shown beside the emulated ones, or refused.
#include <imgui.h>
#include <imgui_te_context.h>

#include "temporary_folder.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

class HardwareCounterTest : public UiWithWorker {
 protected:
  void open_small(const char* id) {
    settle();
    workbench_->choose_kernel(entry(id));
    for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 128);
    state().focus_panel = "Counters";
    wait_for_measurement();
    draw_until([this] {
      const auto& issued = variant().study->issued_counters;
      return issued != nullptr && issued->whole_grid;
    });
  }
  void click_read() {
    act([](ImGuiTestContext& ctx) { ctx.ItemClick("//Counters/read counters"); });
  }
};

TEST_F(HardwareCounterTest, AreReadThreeTimesAndStandBesideTheEmulatedOnes) {
  open_small("transpose/tiled");
  EXPECT_TRUE(says("not read from the GPU yet"));
  click_read();
  draw_until([this] { return variant().reading.complete(); });
  ASSERT_NE(state().facts.shown().hardware, nullptr);
  const HardwareCounters& hardware = *state().facts.shown().hardware;
  EXPECT_EQ(hardware.source, Source::kMeasured);
  EXPECT_EQ(hardware.readings, 3);
  EXPECT_TRUE(says("equal on the Fake GPU, 1 contended"));
  EXPECT_TRUE(says("Read them again"));
  act([](ImGuiTestContext& ctx) { ctx.ScrollToBottom("//Counters"); });
  EXPECT_TRUE(says("conflicts shared st") || says("0 in both columns"));
  // And in the pictures.
  state().raise = View::kCoalescing;
  draw_frames(6);
  EXPECT_TRUE(says("equal to the hardware counters (Fake GPU)"));
  state().raise = View::kBanks;
  draw_frames(6);
  EXPECT_TRUE(says("the Fake GPU counts more, and differently each time (busy pipe)"));
}

// What is measured in the window is kept, and so are the counters that are read there.
class KeptCounters : public HardwareCounterTest {
 protected:
  [[nodiscard]] Workbench::Settings settings() const override {
    Workbench::Settings settings;
    settings.history = std::make_shared<HistoryWriter>(file());
    return settings;
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "history.sqlite"; }
  [[nodiscard]] std::vector<HistoryEntry> kept() const {
    const auto history = History::open(file());
    if (!history) return {};
    return *history->find({.kernel = "transpose/tiled", .extents = {{"ROWS", 128}}, .limit = 1});
  }
  testing::TemporaryFolder folder_;
};

TEST_F(KeptCounters, StandInTheHistoryBesideTheirTimes) {
  open_small("transpose/tiled");
  draw_until([this] { return !kept().empty(); });
  EXPECT_TRUE(kept().front().run.result.counters.empty());
  click_read();
  draw_until([this] { return !kept().front().run.result.counters.empty(); });
  const Measurement run = kept().front().run;
  EXPECT_EQ(run.result.counters, variant().reading.values.front());
  EXPECT_EQ(run.result.kernel.median_seconds, variant().measured->kernel.median_seconds);
}

TEST_F(HardwareCounterTest, BelongToTheirParameters) {
  open_small("transpose/tiled");
  click_read();
  draw_until([this] { return variant().reading.complete(); });
  const std::int64_t read = variant().parameters.at("PAD");
  const auto wait_for_pad = [this](std::int64_t pad) {
    draw_until([this, pad] {
      const KernelStudy& study = *variant().study;
      return study.instance.parameters.at("PAD") == pad && study.issued_counters != nullptr;
    });
  };
  workbench_->set_parameter("PAD", 3);
  wait_for_pad(3);
  EXPECT_EQ(state().facts.shown().hardware, nullptr);
  EXPECT_TRUE(says("not read from the GPU yet"));
  workbench_->read_counters();
  EXPECT_TRUE(variant().reading.pending());
  workbench_->set_parameter("PAD", read);  // while they are read
  EXPECT_FALSE(variant().reading.pending());
  wait_for_pad(read);
  EXPECT_NE(state().facts.shown().hardware, nullptr) << "they stand where they were read";
}

TEST_F(HardwareCounterTest, TheCommandReadsThemToo) {
  open_small("copy/plain");
  ASSERT_TRUE(run_command(state(), "Read hardware counters"));
  draw_until([this] { return variant().reading.complete(); });
  draw_frames(3);
  EXPECT_TRUE(says("equal on the Fake GPU"));
}

// A driver that keeps them for administrators.
class ForbiddenCounters : public HardwareCounterTest {
 protected:
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    WorkerSettings settings;
    settings.command = {fake_worker().string(), "--fake-worker", "forbids_counters"};
    return start_worker(settings);
  }
};

TEST_F(ForbiddenCounters, SayWhyAndWhatToDo) {
  open_small("copy/plain");
  click_read();
  draw_until([this] { return variant().reading.error.has_value(); });
  EXPECT_TRUE(says("the driver keeps the GPU's counters for administrators"));
  EXPECT_TRUE(says("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_TRUE(variant().measured.has_value());  // all else works
}

TEST_F(UiTest, WithoutAGpuTheCountersSayWhyNoneIsRead) {
  settle();
  state().focus_panel = "Counters";
  draw_frames(4);
  bool said = false;
  for (const auto& text : audit().texts) {
    said |= text.words.find("no hardware counters: ") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace tilescope
