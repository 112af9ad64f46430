#include "ui/frame_loop.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "analysis/study/moment.h"
#include "core/file.h"
#include "core/job_pool.h"
#include "export/png_file.h"
#include "ui/interface.h"
#include "ui/platform/platform.h"
#include "ui/workbench/workbench.h"

namespace tilescope {
namespace {

// Where frames are slow, a key and the end of its chord come in one: Ctrl would be up again when
// somebody looks at O. So what follows a pressed key in Dear ImGui's queue, from the first modifier
// on that is let go, waits for the next frame. Lives while ImGui::NewFrame() takes the queue.
class ChordOrder {
 public:
  ChordOrder();
  ~ChordOrder();
  ChordOrder(const ChordOrder&) = delete;
  ChordOrder& operator=(const ChordOrder&) = delete;

 private:
  std::vector<ImGuiInputEvent> later_;
};

bool is_modifier(ImGuiKey key) {
  return (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper) || (key & ImGuiMod_Mask_) != 0;
}

// The first event that has to wait; the queue's size: none.
int end_of_chord(const ImVector<ImGuiInputEvent>& queue) {
  bool pressed = false;
  for (int i = 0; i < queue.Size; ++i) {
    if (queue[i].Type != ImGuiInputEventType_Key) continue;
    const ImGuiInputEventKey& key = queue[i].Key;
    if (is_modifier(key.Key)) {
      if (pressed && !key.Down) return i;
    } else {
      pressed |= key.Down;
    }
  }
  return queue.Size;
}

ChordOrder::ChordOrder() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  const int end = end_of_chord(queue);
  later_.assign(queue.begin() + end, queue.end());
  queue.resize(end);
}

ChordOrder::~ChordOrder() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  for (const ImGuiInputEvent& event : later_) queue.push_back(event);
}

constexpr double kBusyPollSeconds = 0.008;  // between looks at the mailbox while work is under way
constexpr std::uintmax_t kMostScriptBytes = 4U << 20;
constexpr double kWorkersPollSeconds = 0.5;  // one that joins or is lost while nothing runs
constexpr double kAheadPollSeconds = 0.05;   // while only what may come next is compiled
constexpr int kFramesAfterInput = 3;         // ImGui settles hover and layout within these
constexpr int kQuietFrames = 12;             // that end a screenshot's wait: fades have ended

// Everything that was asked for is there: the workbench rests and the worker has answered.
bool is_idle(const Workbench& workbench) {
  return !workbench.busy() && workbench.gpu().device().has_value();
}

// A script's frames come at a display's pace, so that a drag over N frames takes as long as by
// hand.
void pace(std::chrono::steady_clock::time_point begin) {
  std::this_thread::sleep_until(begin + std::chrono::microseconds(16667));
}

}  // namespace

FrameLoop::FrameLoop(const WindowOptions& options, Workbench& workbench, Platform& platform,
                     Interface& interface)
    : options_(options),
      workbench_(workbench),
      platform_(platform),
      interface_(interface),
      frames_due_(kFramesAfterInput) {
  if (scripted() || !options_.script.empty()) {
    (void)platform_.read_pixels();  // keep them from now on
  }
}

Status FrameLoop::prepare() {
  if (options_.script.empty()) return ok_status();
  const auto text = read_file(options_.script, kMostScriptBytes);
  if (!text) {
    return Error{ErrorCode::kUsage,
                 "the script cannot be read",
                 "Give a file of commands, of at most 4 MiB",
                 {options_.script, 0, 0}};
  }
  Result<std::vector<ScriptCommand>> commands = parse_script(*text, options_.script);
  if (!commands.ok()) return commands.error();
  script_.emplace(std::move(commands).value());
  return ok_status();
}

Status FrameLoop::run() {
  work_before_others();
  while (!platform_.closed()) {
    if (script_) {
      const Result<bool> going_on = script_->advance(interface_.state(), host());
      if (!going_on.ok()) return going_on.error();
      if (!going_on.value()) {
        script_.reset();
        if (options_.screenshot.empty()) return ok_status();
      }
    }
    wait();
    for (const std::string& file : platform_.take_dropped_files()) interface_.open_dropped(file);
    if (workbench_.tick() || is_due()) frames_due_ = std::max(frames_due_, 1);
    stand_at_step();
    if (frames_due_ == 0 && !interface_.animating() && !scripted()) continue;
    frames_due_ = std::max(0, frames_due_ - 1);
    draw();
    show_title();
    if (script_ || options_.screenshot.empty()) continue;
    if (picture_is_complete()) return write_picture(options_.screenshot);
    if (waited_too_long()) return write_incomplete_picture();
  }
  return ok_status();
}

bool FrameLoop::scripted() const { return script_.has_value() || !options_.screenshot.empty(); }

// Sleeps until there is a reason to look again; draws nothing meanwhile.
void FrameLoop::wait() {
  double most = -1;
  if (const auto due = interface_.due_seconds()) {
    most = std::max(0.0, *due - workbench_.now_seconds());
  }
  if (workbench_.gpu().needs_polling())
    most = most < 0 ? kWorkersPollSeconds : std::min(most, kWorkersPollSeconds);
  if (workbench_.ahead().working()) most = kAheadPollSeconds;
  if (!is_idle(workbench_)) most = kBusyPollSeconds;
  if (frames_due_ > 0 || interface_.animating() || (scripted() && is_idle(workbench_))) most = 0;
  if (platform_.wait_for_input(most)) frames_due_ = kFramesAfterInput;
}

bool FrameLoop::is_due() const {
  const auto due = interface_.due_seconds();
  return due && workbench_.now_seconds() >= *due;
}

void FrameLoop::show_title() {
  const std::string title = interface_.title();
  if (title == title_) return;
  title_ = title;
  platform_.set_title(title);
}

void FrameLoop::draw() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  platform_.begin_frame();
  interface_.prepare_frame();
  {
    const ChordOrder order;
    ImGui::NewFrame();
  }
  // Presses that came together are taken one a frame: the last of them too.
  if (!ImGui::GetCurrentContext()->InputEventsQueue.empty()) frames_due_ = kFramesAfterInput;
  interface_.frame();
  ImGui::Render();
  const auto drawn = Clock::now();
  platform_.end_frame();
  platform_.show_beside(interface_.presenter_page());
  if (platform_.take_beside_closed()) interface_.state().shows_presenter = false;
  const auto end = Clock::now();
  if (script_) {
    times_.add({std::chrono::duration<double>(drawn - begin).count(),
                std::chrono::duration<double>(end - begin).count()});
  }
  if (options_.headless && scripted()) pace(begin);
}

void FrameLoop::stand_at_step() {
  if (!options_.step || stood_at_step_) return;
  Variant& variant = workbench_.active();
  if (variant.study == nullptr || !variant.study->timeline || variant.study_pending) return;
  const auto& begins = WarpTime{*variant.study, variant.selection.warp, {}}.steps();
  if (!begins.empty()) {
    variant.selection.event = begins[std::min<std::size_t>(*options_.step, begins.size() - 1)];
  }
  stood_at_step_ = true;
}

bool FrameLoop::picture_is_complete() {
  const bool quiet = is_idle(workbench_) && !interface_.animating();
  quiet_frames_ = quiet ? quiet_frames_ + 1 : 0;
  return quiet_frames_ >= kQuietFrames;
}

bool FrameLoop::waited_too_long() {
  if (!waiting_since_) waiting_since_ = workbench_.now_seconds();
  return workbench_.now_seconds() - *waiting_since_ > options_.screenshot_seconds;
}

// What is there is written, and the end is an error: nobody takes it for the whole.
Status FrameLoop::write_incomplete_picture() const {
  if (Status written = write_picture(options_.screenshot); !written) return written;
  return Error{ErrorCode::kMachine,
               fmt::format("not everything is computed after {:g} s: the picture is incomplete",
                           options_.screenshot_seconds),
               "Give it more time with --wait SECONDS",
               {options_.screenshot, 0, 0}};
}

ScriptHost FrameLoop::host() {
  return {.screenshot = [this](const std::string& file) { return write_picture(file); },
          .idle = [this] { return is_idle(workbench_) && !interface_.animating(); },
          .resize = [this](int width, int height) { platform_.resize(width, height); },
          .report_frames = [this] { report_frames(); },
          .presenter_screenshot =
              [this](const std::string& file) {
                const Screenshot picture = platform_.read_beside();
                if (!picture.rgba.empty()) return write_png(picture, file);
                return Status(Error{ErrorCode::kUsage,
                                    "there is no speaker's window",
                                    "It opens with Alt N while scenes are presented",
                                    {}});
              }};
}

// A black picture would be taken for a result.
Status FrameLoop::write_picture(const std::string& file) const {
  const Screenshot picture = platform_.read_pixels();
  if (is_drawn(picture)) return write_png(picture, file);
  const std::string errors = take_gl_errors();
  return Error{ErrorCode::kMachine,
               "OpenGL drew nothing: every pixel is black" + (errors.empty() ? "" : ", " + errors) +
                   " (" + platform_.description() + ")",
               "Try again; with Mesa's software renderer, LIBGL_ALWAYS_SOFTWARE=1 and "
               "__EGL_VENDOR_LIBRARY_FILENAMES naming its file, if it stays",
               {file, 0, 0}};
}

void FrameLoop::report_frames() {
  const FrameTimes::Frame slowest = times_.slowest();
  const FrameTimes::Frame median = times_.median();
  std::printf(
      "%zu frames: own part median %.2f ms, slowest %.2f ms; with drawing median %.2f ms, "
      "slowest %.2f ms (%s)\n",
      times_.count(), median.own_seconds * 1e3, slowest.own_seconds * 1e3,
      median.whole_seconds * 1e3, slowest.whole_seconds * 1e3, platform_.description().c_str());
  std::fflush(stdout);
  times_.forget();
}

namespace {

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

}  // namespace

FrameTimes::Frame FrameTimes::slowest() const {
  Frame worst;
  for (const Frame& frame : frames_) {
    worst.own_seconds = std::max(worst.own_seconds, frame.own_seconds);
    worst.whole_seconds = std::max(worst.whole_seconds, frame.whole_seconds);
  }
  return worst;
}

FrameTimes::Frame FrameTimes::median() const {
  std::vector<double> own;
  std::vector<double> whole;
  for (const Frame& frame : frames_) {
    own.push_back(frame.own_seconds);
    whole.push_back(frame.whole_seconds);
  }
  return {middle(std::move(own)), middle(std::move(whole))};
}

}  // namespace tilescope
