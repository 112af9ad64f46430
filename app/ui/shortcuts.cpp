#include "ui/shortcuts.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "ui/desk.h"

namespace tilescope {
namespace {

// Seconds that a k-step takes at speed 1: long enough to be followed, however many events it has.
constexpr double kEventsPerSecond = 60;
constexpr double kShortestStepSeconds = 2;
constexpr double kLongestStepSeconds = 12;

const KernelStudy* traced_study(const Desk& desk) {
  const KernelStudy* study = desk.bench.active().study.get();
  return study != nullptr && study->traced() && !study->trace->events.empty() ? study : nullptr;
}

void move_to(Desk& desk, const KernelStudy& study, std::int64_t event) {
  const auto last = static_cast<std::int64_t>(study.trace->events.size()) - 1;
  desk.bench.active().selection.event =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(event, 0, last));
}

void scale_text(Desk& desk, float factor) {
  float& scale = desk.preferences.text_scale;
  scale = factor == 0 ? 1 : std::clamp(scale * factor, 0.7F, 3.0F);
}

}  // namespace

void toggle_playback(Desk& desk) {
  const KernelStudy* study = traced_study(desk);
  if (study == nullptr) return;
  desk.playback.playing = !desk.playback.playing;
  desk.playback.events_due = 0;
  const bool at_end = desk.bench.active().selection.event + 1 >= study->trace->events.size();
  if (desk.playback.playing && at_end) move_to(desk, *study, 0);
}

void step_events(Desk& desk, int events) {
  desk.playback.playing = false;
  if (const KernelStudy* study = traced_study(desk)) {
    move_to(desk, *study, std::int64_t{desk.bench.active().selection.event} + events);
  }
}

void step_tiles(Desk& desk, int steps) {
  desk.playback.playing = false;
  const KernelStudy* study = traced_study(desk);
  if (study == nullptr || !study->timeline || study->timeline->step_begin.empty()) return;
  const auto& begins = study->timeline->step_begin;
  const auto now =
      static_cast<std::int64_t>(study->timeline->step_at(desk.bench.active().selection.event));
  const auto wanted =
      std::clamp<std::int64_t>(now + steps, 0, static_cast<std::int64_t>(begins.size()) - 1);
  move_to(desk, *study, begins[static_cast<std::size_t>(wanted)]);
}

void advance_playback(Desk& desk) {
  Playback& playback = desk.playback;
  if (!playback.playing) return;
  const KernelStudy* study = traced_study(desk);
  if (study == nullptr) {
    playback.playing = false;
    return;
  }
  const std::size_t steps =
      study->timeline ? std::max<std::size_t>(1, study->timeline->step_begin.size()) : 1;
  const auto events = static_cast<double>(study->trace->events.size());
  const double per_step = events / static_cast<double>(steps);
  const double seconds =
      std::clamp(per_step / kEventsPerSecond, kShortestStepSeconds, kLongestStepSeconds);
  playback.events_due += per_step / seconds * static_cast<double>(playback.speed) *
                         static_cast<double>(std::min(ImGui::GetIO().DeltaTime, 0.1F));
  const double whole = std::floor(playback.events_due);
  playback.events_due -= whole;
  const std::uint32_t event = desk.bench.active().selection.event;
  move_to(desk, *study, std::int64_t{event} + static_cast<std::int64_t>(whole));
  if (desk.bench.active().selection.event + 1 >= study->trace->events.size())
    playback.playing = false;
  desk.frame_wanted = true;
}

void handle_shortcuts(Desk& desk) {
  const auto pressed = [](ImGuiKeyChord chord) {
    return ImGui::Shortcut(chord, ImGuiInputFlags_RouteGlobal);
  };
  if (pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P)) desk.palette_wanted = true;
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Equal) || pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadAdd) ||
      pressed(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal)) {
    scale_text(desk, 1.1F);
  }
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_Minus) || pressed(ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract)) {
    scale_text(desk, 1 / 1.1F);
  }
  if (pressed(ImGuiMod_Ctrl | ImGuiKey_0)) scale_text(desk, 0);
  if (pressed(ImGuiKey_F1)) desk.help_open = !desk.help_open;
  if (ImGui::GetIO().WantTextInput) return;
  if (pressed(ImGuiKey_Space)) toggle_playback(desk);
  if (pressed(ImGuiKey_Comma)) step_events(desk, -1);
  if (pressed(ImGuiKey_Period)) step_events(desk, 1);
  if (pressed(ImGuiKey_PageUp)) step_tiles(desk, -1);
  if (pressed(ImGuiKey_PageDown)) step_tiles(desk, 1);
}

}  // namespace tilescope
