#include "ui/panels/program_bar.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/quantity.h"
#include "kernel/launch/file_launch.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/style.h"
#include "ui/state/panel_surface.h"
#include "ui/state/program_offer.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr float kBarRow = 34;
constexpr float kLine = 16;    // of the output
constexpr int kMostLines = 8;  // of it that are in sight
constexpr int kCompactLines = 5;

std::string name_of(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

// What the offer says, from long to short.
std::string offer_words(const WindowState& state, int length) {
  const std::string name = name_of(state.program_offer.file);
  const bool is_source = is_cuda_source(state.program_offer.file);
  const std::string edited =
      state.workbench.active().is_edited() && state.program_offer.file == state.program_offer.kernel
          ? " It runs as it is on disk, without your edits."
          : "";
  if (length == 0) {
    return (is_source ? name + " is a whole program. This launch is a guess;"
                      : name + " is a program. This launch is a guess;") +
           " a run of the program gives its real launches and data." + edited;
  }
  return length == 1 ? name + " is a whole program; this launch is a guess." + edited
                     : name + ": this launch is a guess.";
}

std::string launches_words(std::uint64_t count) {
  return fmt::format("{} launch{}", format_count(count), count == 1 ? "" : "es");
}

// Why a run gave no launches, on one line; of several lines the first that says something.
std::string failure_words(const std::string& name, const std::string& error) {
  const std::size_t end = error.find('\n');
  const std::string first = error.substr(0, end);
  if (end == std::string::npos || !first.ends_with(':'))
    return name + " gave no launches: " + first;
  std::string second = error.substr(end + 1, error.find('\n', end + 1) - end - 1);  // a compiler's
  const std::size_t folder = second.substr(0, second.find('(')).rfind('/');
  if (folder != std::string::npos) second.erase(0, folder + 1);
  return name + " does not compile: " + second;
}

// What the newest run does, or how it ended.
std::string run_words(const ProgramRun::Shown& run) {
  const std::string name = name_of(run.program.file);
  const ProgramProgress& progress = run.progress;
  const std::string seconds = fmt::format("{:.0f} s", run.seconds);
  if (run.running && run.stopped) return fmt::format("Stopping {} …", name);
  if (run.running && progress.phase == ProgramProgress::Phase::kCompiling)
    return fmt::format("Compiling {} with nvcc … {}", name, seconds);
  if (run.running) {
    return fmt::format("Running {} on the emulator: {} so far{} … {}", name,
                       launches_words(progress.launches),
                       progress.kernel.empty() ? "" : " (" + progress.kernel + ")", seconds);
  }
  if (run.stopped && progress.launches == 0) return fmt::format("{} was stopped.", name);
  if (!run.error.empty()) return failure_words(name, run.error);
  return fmt::format(
      "{} {}: {}{}. The first launch of each kernel is open here, with its data.", name,
      run.stopped ? "was stopped" : progress.how, launches_words(progress.launches),
      progress.problems == 0
          ? ", no problems found"
          : fmt::format(", {} found (see the output)", counted(progress.problems, "problem")));
}

bool has_failed(const ProgramRun::Shown& run) {
  return !run.running && !run.error.empty() && !(run.stopped && run.progress.launches == 0);
}

// A field to type in, and what it says while it is empty. Its right end is at `right`; returns its
// left one.
float draw_field(PanelSurface& surface, const char* id, float right, float middle, float width,
                 std::string* text, const char* hint, const char* meaning) {
  const float scale = surface.scale();
  ImGui::PushFont(surface.state().fonts.figures(Weight::kRegular),
                  12.5F * scale / surface.state().scale);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(7 * scale, 4 * scale));
  ImGui::PushStyleColor(ImGuiCol_FrameBg, packed(ColourRole::kPanel, surface.theme()));
  const Point left = surface.screen({right - width, middle});
  ImGui::SetCursorScreenPos({left.x, left.y - ImGui::GetFrameHeight() / 2});
  ImGui::SetNextItemWidth(width * scale);
  ImGui::InputTextWithHint(id, hint, text);
  surface.state().tooltip.offer_for_item(meaning);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  return right - width;
}

// A push button whose right end is at `right`; returns its left end.
float draw_button(PanelSurface& surface, float right, float middle, const char* words,
                  const char* meaning, bool* pressed) {
  const float width = surface.canvas().text_width(words, styled(12)) + 28;
  const Rect place{right - width, middle - 12, width, 24};
  *pressed = surface.push(words, place, words, true);
  surface.explain(place, meaning);
  return place.x;
}

float draw_cross(PanelSurface& surface, float right, float middle, bool* pressed) {
  const Rect cross{right - 20, middle - 10, 20, 20};
  const Touch touch = surface.control("hide program", cross, "Hides this line.");
  const Paint ink = touch.hovered ? ColourRole::kStrong : ColourRole::kDim;
  const Point c = cross.center();
  surface.canvas().line({c.x - 4, c.y - 4}, {c.x + 4, c.y + 4}, ink, 1.4F);
  surface.canvas().line({c.x - 4, c.y + 4}, {c.x + 4, c.y - 4}, ink, 1.4F);
  *pressed = touch.clicked;
  return cross.x - 8;
}

void draw_ground(PanelSurface& surface, float y, float height, Paint edge) {
  surface.canvas().fill_rect({0, y, surface.width(), height}, ColourRole::kRaised, 0);
  surface.canvas().fill_rect({0, y, 3, height}, edge, 0);
  surface.rule(0, surface.width(), y + height);
}

// Fields and button that start the offered program, left of `right`; returns their left end.
float draw_start(PanelSurface& surface, float right, float middle, const char* button) {
  ProgramOffer& offer = surface.state().program_offer;
  const bool is_narrow = surface.width() < 1400;
  bool pressed = false;
  right = draw_button(surface, right, middle, button,
                      "Runs the whole program here, its host code too, with the kernels on the "
                      "emulator; then opens the first launch of each kernel with its real data. "
                      "Nothing of it runs before you press this.",
                      &pressed);
  right =
      draw_field(surface, "##arguments", right - 8, middle, is_narrow ? 150 : 220, &offer.arguments,
                 "arguments", "Arguments of the program, as in a shell: --size 512 \"a name\"");
  if (is_cuda_source(offer.file)) {
    right = draw_field(surface, "##nvcc", right - 8, middle, is_narrow ? 130 : 180, &offer.nvcc,
                       "nvcc options",
                       "Further files and options for nvcc: other.cu -Iinclude -lcublas");
  }
  if (pressed) run_program(surface.state());
  return right;
}

void draw_offer(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  const float middle = y + kBarRow / 2;
  draw_ground(surface, y, kBarRow, ColourRole::kFirst);
  bool hidden = false;
  float right = draw_cross(surface, surface.width() - 12, middle, &hidden);
  right = draw_start(surface, right, middle, "Run it and take its launches") - 12;
  const TextStyle style = styled(12.5F);
  std::string words = offer_words(state, 0);
  for (int length = 1; length < 3; ++length) {
    if (surface.canvas().text_width(words, style) > right - 16) words = offer_words(state, length);
  }
  surface.fitted(16, right, middle, words, style);
  if (hidden) state.program_offer.dismissed.insert(state.program_offer.file);
}

void draw_run(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  ProgramRun& program = state.workbench.program();
  const ProgramRun::Shown& run = *program.shown();
  const float middle = y + kBarRow / 2;
  const bool failed = has_failed(run);
  draw_ground(surface, y, kBarRow, failed ? ColourRole::kExcess : ColourRole::kFirst);
  float right = surface.width() - 12;
  bool stop = false;
  bool hidden = false;
  bool fold = false;
  if (run.running) {
    right =
        draw_button(surface, right, middle, "Stop",
                    "Interrupts the program. What it has launched until then is opened.", &stop);
    right -= 8;
  } else {
    right = draw_cross(surface, right, middle, &hidden);
    if (state.program_offer.file == run.program.file)
      right = draw_start(surface, right, middle, "Run again") - 8;
  }
  if (!run.output.empty()) {
    right = draw_button(surface, right, middle,
                        state.program_offer.shows_output ? "Hide output" : "Show output",
                        "What the program prints, and then the table of its launches.", &fold);
  }
  surface.fitted(16, right - 12, middle, run_words(run),
                 styled(12.5F, failed ? ColourRole::kStrong : ColourRole::kText));
  if (fold) state.program_offer.shows_output = !state.program_offer.shows_output;
  if (stop) program.stop();
  if (hidden) program.forget();
}

// Of the newest run, with its end in sight as long as nobody has scrolled away from it.
void draw_output(const PanelSurface& surface, float y, float height) {
  const WindowState& state = surface.state();
  const std::string& output = state.workbench.program().shown()->output;
  const Point corner = surface.screen({0, y});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, packed(ColourRole::kPanel, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(state.px(16), state.px(6)));
  if (ImGui::BeginChild("program output", {surface.width() * surface.scale(), state.px(height)},
                        ImGuiChildFlags_AlwaysUseWindowPadding,
                        ImGuiWindowFlags_HorizontalScrollbar)) {
    ImGui::PushFont(state.fonts.mono(Weight::kRegular), 12);
    ImGui::PushStyleColor(ImGuiCol_Text, packed(ColourRole::kText, state.theme()));
    const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
    ImGui::TextUnformatted(output.data(), output.data() + output.size());
    if (at_end) ImGui::SetScrollHereY(1);
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

float output_height(const WindowState& state) {
  const auto& run = state.workbench.program().shown();
  if (!run || run->output.empty() || !state.program_offer.shows_output) return 0;
  const auto lines = static_cast<int>(std::ranges::count(run->output, '\n')) + 1;
  return 12 + kLine * static_cast<float>(
                          std::clamp(lines, 2, state.compact ? kCompactLines : kMostLines));
}

}  // namespace

float draw_program_bar(WindowState& state, float top) {
  const Workbench& workbench = state.workbench;
  ProgramOffer& offer = state.program_offer;
  offer.update(workbench.active());
  const auto& run = workbench.program().shown();
  const bool offers = !offer.file.empty() && !offer.dismissed.contains(offer.file) &&
                      !workbench.program().running() && !(run && run->program.file == offer.file);
  if (state.lecture || (!run && !offers)) return 0;
  const float output = output_height(state);
  const float height = state.px((offers ? kBarRow : 0) + (run ? kBarRow + output : 0));
  const BarWindow window("program", top, height);
  PanelSurface surface(state);
  float y = 0;
  if (run) {
    if (output > 0) draw_output(surface, kBarRow, output);
    draw_run(surface, 0);
    y += kBarRow + output;
  }
  if (offers) draw_offer(surface, y);
  surface.finish(height / surface.scale());
  return height;
}

}  // namespace tilescope
