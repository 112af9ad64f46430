#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "build_config.h"
#include "temporary_folder.h"
#include "ui/state/export_command.h"
#include "ui/state/picture_export.h"
#include "worker_fixture.h"

namespace tilescope {

using Subject = PictureExport::Subject;

// Files of what was measured in a run of the program: by the window, and by the command once the
// session keeps the measurements.
class SessionExport : public UiWithWorker {
 protected:
  [[nodiscard]] std::unique_ptr<WorkerLink> make_link() const override {
    return has_gpu_ ? UiWithWorker::make_link() : UiTest::make_link();
  }
  void choose(const char* kernel, std::int64_t size) {
    workbench_->choose_kernel(entry(kernel));
    const ParameterSet extents = variant().extents;
    for (const auto& [name, value] : extents) workbench_->set_extent(name, size);
    measure();
  }
  // Until what stands in front is measured, and nothing else is any more.
  void measure() {
    draw_until([this] {
      return variant().measured && !variant().study_pending &&
             workbench_->runs().under_way().empty();
    });
    settle();
  }
  [[nodiscard]] std::ptrdiff_t times_said(const std::string& words) {
    return std::ranges::count_if(audit().texts,
                                 [&](const auto& text) { return text.words == words; });
  }
  void save() {
    state().session.save(state(), session_);
    while (state().session.writing()) draw_frame();
    draw_frames(2);
  }
  std::string by_window(Subject subject, const std::string& name) {
    state().picture_export.subject = subject;
    state().picture_export.file = (folder_ / name).string();
    export_picture(state());
    draw_until([this] { return export_outcome(state()).has_value(); });
    return testing::read_file(folder_ / name);
  }
  // Of the same subject.
  std::string by_command(const std::string& name) {
    state().picture_export.file = (folder_ / name).string();
    std::string command = export_command(state());
    const std::string program = "tilescope ";
    EXPECT_TRUE(command.starts_with(program)) << why_no_export_command(state());
    if (!command.starts_with(program)) return {};
    command.replace(0, program.size(), "'" + std::string(TILESCOPE_PROGRAM) + "' ");
    EXPECT_EQ(std::system((command + " > /dev/null").c_str()), 0) << command;
    return testing::read_file(folder_ / name);
  }
  void expect_same(Subject subject, const std::string& ending) {
    const std::string window = by_window(subject, "window" + ending);
    EXPECT_FALSE(window.empty());
    const std::string command = by_command("command" + ending);
    EXPECT_TRUE(window == command) << export_command(state()) << difference(window, command);
  }

  // Around the first byte that differs.
  static std::string difference(const std::string& window, const std::string& command) {
    const auto [in_window, in_command] = std::ranges::mismatch(window, command);
    const auto at = static_cast<std::size_t>(in_window - window.begin());
    const std::size_t from = at - std::min<std::size_t>(at, 200);
    return "\nwindow:  " + window.substr(from, 400) + "\ncommand: " + command.substr(from, 400);
  }
  testing::TemporaryFolder folder_;
  std::string session_ = (folder_ / "measured.tilescope").string();
  bool has_gpu_ = true;
};

}  // namespace tilescope
