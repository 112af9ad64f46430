#include "ui/state/time_control.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/quantity.h"
#include "scene/model/tiling_model.h"
#include "scene/view/default_selection.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

// Seconds that a k-step takes at speed 1: long enough to be followed, however many events it has.
constexpr double kEventsPerSecond = 60;
constexpr double kAccessesPerSecond = 1.4;  // time for a sentence of the speaker's
constexpr double kShortestStepSeconds = 2;
constexpr double kLongestStepSeconds = 12;

const KernelStudy* traced_study(const WindowState& state) {
  const KernelStudy* study = state.workbench.active().study.get();
  return study != nullptr && study->traced() && !study->trace->events.empty() ? study : nullptr;
}

// Time as the selected warp goes through it; its own events are there once the study is prepared.
WarpTime selected_time(const Variant& variant) {
  const std::uint32_t warp = variant.selection.warp;
  return variant.prepared != nullptr ? time_of(*variant.study, *variant.prepared, warp)
                                     : WarpTime{*variant.study, warp, {}};
}

// So many steps on, as playing goes.
std::uint32_t played_on(const Playback& playback, const WarpTime& time, std::uint32_t event,
                        std::int64_t steps) {
  return playback.by_access ? time.accesses_on(event, steps) : time.instructions_on(event, steps);
}

bool at_end(const Playback& playback, const WarpTime& time, std::uint32_t event) {
  return played_on(playback, time, event, 1) == event;
}

// Of the warp's, at speed 1: of a k-step as many as it has, in a time in which it can be followed.
double steps_a_second(const Playback& playback, const WarpTime& time) {
  if (playback.by_access) return kAccessesPerSecond;
  const std::size_t events = time.own.empty() ? time.study.trace->events.size() : time.own.size();
  const double per_step = static_cast<double>(events) / static_cast<double>(time.steps().size());
  return per_step /
         std::clamp(per_step / kEventsPerSecond, kShortestStepSeconds, kLongestStepSeconds);
}

void move_to(WindowState& state, const KernelStudy& study, std::int64_t event) {
  const auto last = static_cast<std::int64_t>(study.trace->events.size()) - 1;
  state.workbench.active().selection.event =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(event, 0, last));
}

TimeMarks* marks_of(WindowState& state) {
  return traced_study(state) != nullptr ? &state.workbench.active().marks : nullptr;
}

bool is_bookmark(int number) { return number >= 0 && number < 10; }

}  // namespace

void toggle_playback(WindowState& state) {
  const KernelStudy* study = traced_study(state);
  if (study == nullptr) return;
  state.playback.playing = !state.playback.playing;
  state.playback.events_due = 0;
  if (!state.playback.playing) return;
  const TimeMarks& marks = state.workbench.active().marks;
  const std::uint32_t event = state.workbench.active().selection.event;
  if (marks.loops() && (event < *marks.loop_in || event >= *marks.loop_out)) {
    move_to(state, *study, *marks.loop_in);
  } else if (at_end(state.playback, selected_time(state.workbench.active()), event)) {
    move_to(state, *study, 0);
  }
}

void step_events(WindowState& state, int events) {
  state.playback.playing = false;
  if (const KernelStudy* study = traced_study(state)) {
    const Variant& variant = state.workbench.active();
    move_to(state, *study, selected_time(variant).instructions_on(variant.selection.event, events));
  }
}

void step_accesses(WindowState& state, int accesses) {
  state.playback.playing = false;
  if (const KernelStudy* study = traced_study(state)) {
    const Variant& variant = state.workbench.active();
    move_to(state, *study, selected_time(variant).accesses_on(variant.selection.event, accesses));
  }
}

void step_tiles(WindowState& state, int steps) {
  state.playback.playing = false;
  const KernelStudy* study = traced_study(state);
  if (study == nullptr || !study->timeline || study->timeline->step_begin.empty()) return;
  const Variant& variant = state.workbench.active();
  move_to(state, *study, selected_time(variant).steps_on(variant.selection.event, steps));
}

void step_phases(WindowState& state, int phases) {
  state.playback.playing = false;
  const KernelStudy* study = traced_study(state);
  if (study == nullptr) return;
  const Variant& variant = state.workbench.active();
  move_to(state, *study, selected_time(variant).phases_on(variant.selection.event, phases));
}

void go_to_event(WindowState& state, std::uint32_t event) {
  state.playback.playing = false;
  if (const KernelStudy* study = traced_study(state)) move_to(state, *study, event);
}

void go_to_own_event(WindowState& state, std::uint32_t event) {
  if (traced_study(state) == nullptr) return;
  go_to_event(state, selected_time(state.workbench.active()).own_event(event));
}

void advance_playback(WindowState& state) {
  Playback& playback = state.playback;
  if (!playback.playing) return;
  const KernelStudy* study = traced_study(state);
  if (study == nullptr) {
    playback.playing = false;
    return;
  }
  const WarpTime time = selected_time(state.workbench.active());
  const std::uint32_t event = state.workbench.active().selection.event;
  const TimeMarks& marks = state.workbench.active().marks;
  playback.events_due += steps_a_second(playback, time) * static_cast<double>(playback.speed) *
                         static_cast<double>(std::min(ImGui::GetIO().DeltaTime, 0.1F));
  const double whole = std::floor(playback.events_due);
  playback.events_due -= whole;
  const std::uint32_t next = played_on(playback, time, event, static_cast<std::int64_t>(whole));
  state.frame_wanted = true;
  const bool ends = at_end(playback, time, next);
  if (marks.loops() && event <= *marks.loop_out && (next > *marks.loop_out || ends)) {
    move_to(state, *study, *marks.loop_in);
    return;
  }
  move_to(state, *study, next);
  if (ends) playback.playing = false;
}

void set_loop_in(WindowState& state, std::uint32_t event) {
  TimeMarks* marks = marks_of(state);
  if (marks == nullptr) return;
  marks->loop_in = event;
  if (marks->loop_out && *marks->loop_out < event) marks->loop_out = event;
}

void set_loop_out(WindowState& state, std::uint32_t event) {
  TimeMarks* marks = marks_of(state);
  if (marks == nullptr) return;
  marks->loop_out = event;
  if (!marks->loop_in) marks->loop_in = 0;
  if (*marks->loop_in > event) marks->loop_in = event;
}

void clear_loop(WindowState& state) {
  if (TimeMarks* marks = marks_of(state)) {
    marks->loop_in.reset();
    marks->loop_out.reset();
  }
}

void set_bookmark(WindowState& state, int number) {
  TimeMarks* marks = marks_of(state);
  if (marks == nullptr || !is_bookmark(number)) return;
  marks->bookmarks[static_cast<std::size_t>(number)] = state.workbench.active().selection.event;
}

void go_to_bookmark(WindowState& state, int number) {
  const TimeMarks* marks = marks_of(state);
  if (marks == nullptr || !is_bookmark(number)) return;
  const auto& bookmark = marks->bookmarks[static_cast<std::size_t>(number)];
  if (bookmark && *bookmark < traced_study(state)->trace->events.size()) {
    go_to_event(state, *bookmark);
  }
}

void remove_bookmark(WindowState& state, int number) {
  TimeMarks* marks = marks_of(state);
  if (marks != nullptr && is_bookmark(number)) {
    marks->bookmarks[static_cast<std::size_t>(number)].reset();
  }
}

MomentWords describe_moment(const Variant& variant, std::uint32_t event) {
  const KernelStudy& study = *variant.study;
  const auto& events = study.trace->events;
  event = std::min<std::uint32_t>(event, static_cast<std::uint32_t>(events.size()) - 1);
  const WarpTime time = selected_time(variant);
  const bool own = !time.own.empty();
  const std::string warp = std::to_string(time.warp);
  const std::string of_all = format_count(own ? time.done(event) : std::size_t{event} + 1) +
                             " of " + format_count(own ? time.own.size() : events.size());
  MomentWords moment;
  const bool steps = study.timeline && time.steps().size() > 1;
  moment.where = own ? "Warp " + warp + " · " : "";
  if (steps) {
    const StepTiles tiles =
        variant.prepared != nullptr ? variant.prepared->tiling->by_tile : StepTiles{};
    moment.where +=
        step_in_words(tiles, study.timeline->step_of(time.warp, event), time.steps().size());
  } else {
    moment.where += "instruction " + of_all;
  }
  const StaticInstruction& instruction =
      study.program->instructions()[events[time.own_event(event)].instruction];
  // A kernel without marks has no phases; of others, what stands outside all of them.
  std::string phase = study.program->phases().empty() ? "" : "no phase";
  if (instruction.phase >= 0) {
    phase = study.program->phases()[static_cast<std::size_t>(instruction.phase)];
    if (variant.entry != nullptr) {  // by the name as it stands in the source
      const auto meaning = variant.entry->phases.find(phase);
      if (meaning != variant.entry->phases.end()) moment.meaning = meaning->second;
    }
  }
  std::ranges::replace(phase, '_', ' ');
  moment.what = phase + (phase.empty() ? "" : " · ");
  const std::string of_block =
      format_count(std::uint64_t{event} + 1) + " of " + format_count(events.size());
  if (!steps) {
    moment.what += of_block + " of the block";
    return moment;
  }
  moment.what += (phase.empty() ? "instruction " : "") + of_all;
  if (!moment.meaning.empty()) moment.meaning += ". ";
  moment.meaning +=
      "Instruction " + of_all + " of warp " + warp + ", " + of_block + " of the block.";
  return moment;
}

}  // namespace tilescope
