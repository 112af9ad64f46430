// What survives: a program killed while it is used, and a lesson from its first click to its
// pictures after that.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_te_context.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "build_config.h"
#include "scene/views.h"
#include "temporary_folder.h"
#include "ui/platform/platform.h"
#include "ui/state/picture_export.h"
#include "ui_fixture.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The program as a process of its own, in a data folder of the test's.
class Child {
 public:
  Child(const fs::path& folder, const std::string& script, std::vector<std::string> more = {}) {
    const fs::path file = folder / "script.txt";
    std::ofstream(file) << script;
    std::vector<std::string> words{TILESCOPE_PROGRAM, "--headless", "--keep",   "--no-gpu",
                                   "--pixels",        "800x600",    "--script", file.string()};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> variables{"XDG_DATA_HOME=" + (folder / "data").string()};
    for (char** variable = environ; *variable != nullptr; ++variable) {
      if (!std::string_view(*variable).starts_with("XDG_DATA_HOME=")) {
        variables.emplace_back(*variable);
      }
    }
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> all;
      for (std::string& text : texts) all.push_back(text.data());
      all.push_back(nullptr);
      return all;
    };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string log = (folder / "log.txt").string();
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(posix_spawn(&process_, TILESCOPE_PROGRAM, &actions, nullptr, pointers(words).data(),
                          pointers(variables).data()),
              0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Child() {
    if (process_ > 0) kill_now();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill_now() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = 0;
};

class Recovery : public UiTest {
 protected:
  // The copies that stand in the data folder, parsed.
  [[nodiscard]] std::vector<nlohmann::json> copies() const {
    std::vector<nlohmann::json> all;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder_ / "data/tilescope/autosave", failure)) {
      if (entry.path().extension() != ".tilescope") continue;
      const std::string text = testing::read_file(entry.path());
      all.push_back(nlohmann::json::parse(text, nullptr, false));
      EXPECT_FALSE(all.back().is_discarded()) << "a copy is whole or not there: " << entry.path()
                                              << " has " << text.size() << " bytes:\n"
                                              << text;
    }
    return all;
  }
  bool wait_for(const std::function<bool()>& what, double seconds = 60) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!what() && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return what();
  }
  testing::TemporaryFolder folder_;
};

// Twenty runs, each opened as the one before was left, each killed at a moment of its own.
TEST_F(Recovery, NothingIsLostWhenItIsKilledWhileItIsUsed) {
  const auto step_in_copy = [&]() -> int {
    int newest = -1;
    for (const nlohmann::json& copy : copies()) {
      if (!copy.is_object()) continue;
      const std::string notes = copy["notes"];
      if (notes.starts_with("step ")) newest = std::max(newest, std::stoi(notes.substr(5)));
    }
    return newest;
  };
  int last = -1;
  for (int round = 0; round < 20; ++round) {
    std::string script = round == 0 ? "kernel transpose/tiled\n" : "";
    script += "frames 3\n";
    if (round > 0) script += "save " + (folder_ / "as_recovered.tilescope").string() + "\n";
    for (int i = 1; i < 400; ++i) {
      const int step = round * 1000 + i;
      script += "size ROWS " + std::to_string(64 + step % 7) + "\nnote step " +
                std::to_string(step) + "\nframes " + std::to_string(1 + i % 5) + "\n";
    }
    Child child(folder_.path(), script);
    ASSERT_TRUE(wait_for([&] { return step_in_copy() >= round * 1000 + 1; }))
        << round << testing::read_file(folder_ / "log.txt");
    std::this_thread::sleep_for(std::chrono::milliseconds(37 * (round % 11)));
    child.kill_now();
    if (round > 0) {
      const nlohmann::json recovered = nlohmann::json::parse(
          testing::read_file(folder_ / "as_recovered.tilescope"), nullptr, false);
      ASSERT_TRUE(recovered.is_object());
      EXPECT_EQ(recovered["notes"], "step " + std::to_string(last)) << "round " << round;
      EXPECT_EQ(recovered["variants"][0]["kernel"], "transpose/tiled");
      fs::remove(folder_ / "as_recovered.tilescope");
    }
    const int kept = step_in_copy();
    EXPECT_GT(kept, last);
    last = kept;
    const std::vector<nlohmann::json> all = copies();
    // The same moment in all its parts: what the step before or this one wrote.
    for (const nlohmann::json& copy : all) {
      const std::int64_t rows = copy["variants"][0]["size"]["ROWS"];
      EXPECT_TRUE(rows >= 64 && rows < 71) << rows;
    }
  }
}

TEST_F(Recovery, ThatNoCopyCanBeKeptIsSaidOnce) {
  settle();
  std::ofstream(folder_ / "data") << "a file in the place of the folder";
  const char* before = std::getenv("XDG_DATA_HOME");
  const std::string own = before != nullptr ? before : "";
  setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
  Session session(true);
  before != nullptr ? setenv("XDG_DATA_HOME", own.c_str(), 1) : unsetenv("XDG_DATA_HOME");
  const auto note = [&](const char* words) {
    state().notes = words;
    for (int i = 0; i < 3; ++i, state().now += 1) session.observe(state());
  };
  session.observe(state());
  note("one");
  ASSERT_EQ(session.notices().size(), 1U);
  const std::string said = session.notices().front().words;
  EXPECT_TRUE(said.starts_with("No copy of this session is kept: '")) << said;
  EXPECT_NE(said.find("data/tilescope/autosave' cannot be written to: "), std::string::npos)
      << said;
  EXPECT_NE(said.find("XDG_DATA_HOME"), std::string::npos) << said;
  EXPECT_FALSE(session.due_seconds()) << "it is tried again after the next change";
  note("two");
  EXPECT_EQ(session.notices().size(), 1U);
  fs::remove(folder_ / "data");
  note("three");
  EXPECT_TRUE(session.notices().empty());
  ASSERT_TRUE(wait_for([&] { return copies().size() == 1; }));
  EXPECT_EQ(copies()[0]["notes"], "three");
}

// Mesa ends the process there.
TEST(ShaderCache, IsLeftOutOnAFullDisk) {
  EXPECT_TRUE(has_room_for_shader_cache(fs::temp_directory_path() / "not" / "there"));
  EXPECT_FALSE(has_room_for_shader_cache("/proc/not/there")) << "a file system without any room";
}

TEST_F(Recovery, EveryKernelOfYoursIsThereAfterTheProgramWasKilled) {
  const auto written = [&](const char* name, const char* kernel) {
    const fs::path file = folder_ / name;
    std::ofstream(file) << "__global__ void " << kernel << "(float* p) { p[threadIdx.x] = 1; }\n";
    return file.string();
  };
  const std::string one = written("one.txt", "blockSum");
  const std::string two = written("two.txt", "scale");
  const std::string mine = written("mine.cu", "mine");
  const std::string again = (folder_ / "again.tilescope").string();
  const auto names_of = [](const nlohmann::json& session) {
    std::vector<std::string> names;
    for (const auto& own : session.value("own_kernels", nlohmann::json::array())) {
      names.push_back(own["name"]);
    }
    return names;
  };
  const std::vector<std::string> all{"blockSum", "mine.cu", "scale"};
  {
    Child child(folder_.path(), "paste " + one + "\nframes 3\nopen " + mine + "\nframes 3\npaste " +
                                    two + "\nnote two\nframes 1000\n");
    ASSERT_TRUE(wait_for([&] {
      const std::vector<nlohmann::json> kept = copies();
      return kept.size() == 1 && kept[0]["notes"] == "two";
    })) << testing::read_file(folder_ / "log.txt");
    child.kill_now();
  }
  EXPECT_EQ(names_of(copies().at(0)), all);
  fs::remove(mine);
  Child next(folder_.path(), "frames 5\nsave " + again + "\nframes 9\n");
  EXPECT_EQ(next.wait(), 0) << testing::read_file(folder_ / "log.txt");
  const auto saved = nlohmann::json::parse(testing::read_file(again), nullptr, false);
  ASSERT_TRUE(saved.is_object());
  EXPECT_EQ(names_of(saved), all);
  EXPECT_EQ(saved["own_kernels"][0]["source"], testing::read_file(one));
  EXPECT_EQ(saved["variants"].size(), 1U) << "one tab shows the last of them";
  EXPECT_EQ(saved["variants"][0]["file"], "scale.cu");
}

TEST_F(Recovery, TwoWindowsKeepTheirOwn) {
  Child one(folder_.path(), "kernel transpose/naive\nnote of one\nframes 1000\n");
  ASSERT_TRUE(wait_for([&] { return copies().size() == 1; }));
  const std::string script = "kernel gemm/naive\nnote of two\nframes 1000\n";
  Child two(folder_.path(), script);
  ASSERT_TRUE(wait_for([&] { return copies().size() == 2; }));
  two.kill_now();
  Child three(folder_.path(),
              "frames 5\nsave " + (folder_ / "third.tilescope").string() + "\nframes 9\n");
  EXPECT_EQ(three.wait(), 0);
  EXPECT_NE(testing::read_file(folder_ / "third.tilescope").find("\"notes\": \"of two\""),
            std::string::npos);
  const std::vector<nlohmann::json> left = copies();
  ASSERT_EQ(left.size(), 1U) << "that of the window that lives";
  EXPECT_EQ(left[0]["notes"], "of one");
}

// A lesson on coalescing and banks, as a teacher gives it.
TEST_F(Recovery, TheClassroomStory) {
  settle();
  act([](ImGuiTestContext& ctx) {
    ctx.SetRef("Kernels");
    ctx.ItemClick("**/Transpose");
    ctx.Yield(2);
    ctx.ItemClick("**/transpose\\/naive");
  });
  ASSERT_EQ(variant().entry->id, "transpose/naive");
  for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 128);
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_2); });
  settle();
  ASSERT_EQ(state().view, View::kCoalescing);
  const auto says = [&](const std::string& words) {
    const TextAudit texts = audit();
    std::string line;
    for (const TextAudit::Text& text : texts.texts) line += text.words;
    return line.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("32 sectors"));
  act([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_D);  // A stays as it is
    ctx.SetRef("Kernels");
    ctx.ItemClick("**/transpose\\/tiled");
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_3);
  });
  workbench_->set_parameter("PAD", 0);
  settle();
  ASSERT_EQ(variant().entry->id, "transpose/tiled");
  ASSERT_EQ(state().view, View::kBanks);
  EXPECT_TRUE(says("32 wavefronts"));
  state().focused_parameter = "PAD";
  act([](ImGuiTestContext& ctx) {
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_D);
    ctx.KeyPress(ImGuiKey_RightArrow);
  });
  EXPECT_EQ(variant().parameters.at("PAD"), 1);
  settle();
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_8); });
  settle();
  ASSERT_EQ(state().view, View::kCompare);
  ASSERT_EQ(workbench_->variants().size(), 3U);
  EXPECT_TRUE(says("By the model"));
  const auto written = [&](PictureExport::Subject subject, const char* name) {
    const fs::path file = folder_ / name;
    state().picture_export.subject = subject;
    state().picture_export.file = file.string();
    export_picture(state());
    settle();
    return testing::read_file(file);
  };
  const std::string chart = written(PictureExport::Subject::kOverSize, "chart.svg");
  EXPECT_NE(chart.find("</svg>"), std::string::npos);
  const std::string shown = written(PictureExport::Subject::kView, "compare.svg");
  ASSERT_NE(shown.find("</svg>"), std::string::npos);
  const fs::path session = folder_ / "lesson.tilescope";
  act([](ImGuiTestContext& ctx) { ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_S); });
  act([&](ImGuiTestContext& ctx) {
    ctx.Yield(2);
    ctx.KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
    ctx.KeyChars(session.string().c_str());
    ctx.ItemClick("//file/Save");
  });
  while (state().session.writing()) draw_frame();
  draw_frames(2);
  ASSERT_EQ(state().session.path(), session.string());

  // Opened elsewhere, written to, killed: the picture is the same afterwards, the note is there.
  {
    Child child(folder_.path(), "frames 10\nnote seen in class\nframes 1000\n",
                {"--session", session.string()});
    ASSERT_TRUE(wait_for([&] {
      const std::vector<nlohmann::json> all = copies();
      return all.size() == 1 && all[0]["notes"] == "seen in class";
    })) << testing::read_file(folder_ / "log.txt");
    child.kill_now();
  }
  const fs::path again = folder_ / "again.svg";
  Child next(folder_.path(), "wait-idle\nexport " + again.string() + "\nwait-idle\nsave " +
                                 session.string() + "\nframes 10\n");
  EXPECT_EQ(next.wait(), 0) << testing::read_file(folder_ / "log.txt");
  EXPECT_TRUE(testing::read_file(again) == shown);
  EXPECT_NE(testing::read_file(session).find("\"notes\": \"seen in class\""), std::string::npos);
  EXPECT_TRUE(copies().empty()) << "what is saved needs no copy once it is closed";
}

TEST_F(Recovery, TheCommandExportsWhatTheWindowExports) {
  settle();
  workbench_->choose_kernel(entry("transpose/tiled"));
  for (const char* name : {"ROWS", "COLS"}) workbench_->set_extent(name, 96);
  workbench_->set_parameter("PAD", 0);
  settle();
  variant().selection.lane = 7;
  variant().selection.event += 21;
  workbench_->add_variant();
  workbench_->edit_source(variant().source() + "// mine\n");
  settle();
  const fs::path session = folder_ / "two.tilescope";
  state().session.save(state(), session);
  while (state().session.writing()) draw_frame();
  const fs::path out = folder_ / "pictures";
  const std::string command = "'" + std::string(TILESCOPE_PROGRAM) + "' export --session '" +
                              session.string() + "' --all -o '" + out.string() +
                              "' > /dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  for (int index : {0, 1}) {
    workbench_->activate(index);
    for (const View view : all_views()) {
      state().raise = view;
      settle();
      const fs::path file = folder_ / "window.svg";
      state().picture_export.file = file.string();
      export_picture(state());
      settle();
      const std::string name = std::string(1, static_cast<char>('A' + index)) +
                               "_transpose_tiled_" + std::string(name_of(view)) + ".svg";
      EXPECT_FALSE(testing::read_file(out / name).empty()) << name;
      EXPECT_TRUE(testing::read_file(out / name) == testing::read_file(file)) << name;
    }
  }
  const std::string one = "'" + std::string(TILESCOPE_PROGRAM) + "' export --session '" +
                          session.string() + "' --variant B --view banks -o '" +
                          (folder_ / "b.svg").string() + "' > /dev/null 2>&1";
  ASSERT_EQ(std::system(one.c_str()), 0);
  EXPECT_TRUE(testing::read_file(folder_ / "b.svg") ==
              testing::read_file(out / "B_transpose_tiled_banks.svg"));
}

}  // namespace
}  // namespace tilescope
