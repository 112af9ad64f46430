#include "ui/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/study/moment.h"
#include "core/file.h"
#include "core/number_text.h"
#include "core/text.h"
#include "kernel/launch/file_launch.h"
#include "scene/view_settings.h"
#include "scene/views.h"
#include "ui/panels/tuner_panel.h"
#include "ui/source/source_editor.h"
#include "ui/state/actions.h"
#include "ui/state/layout.h"
#include "ui/state/picture_export.h"
#include "ui/state/time_control.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

struct ScriptTarget {
  WindowState& state;
  const ScriptHost& host;
  ScriptProgress& progress;
};

// The words of a command as values, each mistake with the command's line.

[[nodiscard]] Result<std::int64_t> whole(const ScriptCommand& command, std::size_t word);
// The first after the name, within [least, most].
[[nodiscard]] Result<float> real(const ScriptCommand& command, float least, float most);

// Does something with the whole number that stands at `word`.
template <class F>
Status with_whole(const ScriptCommand& command, std::size_t word, F act) {
  const Result<std::int64_t> number = whole(command, word);
  if (!number.ok()) return number.error();
  act(*number);
  return ok_status();
}

// A mistake that shows when the command acts.
Error script_error(int line, const std::string& name, const std::string& why) {
  return {ErrorCode::kUsage,
          "script, line " + std::to_string(line) + ", " + name + ": " + why,
          "",
          {"", line, 0}};
}

Error wrong(const ScriptCommand& command, const std::string& why) {
  return script_error(command.line, command.words.front(), why);
}

// "there is no view bank. Did you mean banks?": a word that is none of these.
Error unknown(const ScriptCommand& command, const std::string& kind, const std::string& word,
              const std::vector<std::string>& known, std::string_view listing = {}) {
  return wrong(command,
               "there is no " + kind + " " + word + ". " + did_you_mean(word, known, listing));
}

Result<std::int64_t> whole(const ScriptCommand& command, std::size_t word) {
  const std::string& text = command.words[word];
  const auto value = parse_number<std::int64_t>(text);
  if (!value) return wrong(command, text + " is not a whole number");
  return *value;
}

Result<float> real(const ScriptCommand& command, float least, float most) {
  const std::string& text = command.words[1];
  const auto value = parse_number<float>(text);
  if (value && *value >= least && *value <= most) return *value;
  return wrong(command, fmt::format("{} is no number from {} to {}", text, least, most));
}

// The words from this one on, as one text.
std::string words_from(const ScriptCommand& command, std::size_t first) {
  std::string words;
  for (std::size_t i = first; i < command.words.size(); ++i) {
    words += (words.empty() ? "" : " ") + command.words[i];
  }
  return words;
}

// Commands that set what stands in the window, as far as it has such values: a slider, a size, a
// variant, a place in the block. What is not there is an error.

// A catalogue's slider stops at its values; of a file which are legal is not known.
Status set_parameter(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& name = command.words[1];
  const Result<std::int64_t> value = whole(command, 2);
  if (!value.ok()) return value.error();
  const Variant& variant = target.state.workbench.active();
  if (!variant.has_kernel()) return wrong(command, "no kernel is open");
  const std::vector<ParameterSpec>& offered = variant.offered();
  const auto spec = std::ranges::find(offered, name, &ParameterSpec::name);
  if (spec == offered.end()) {
    std::vector<std::string> names;
    names.reserve(offered.size());
    for (const ParameterSpec& each : offered) names.push_back(each.name);
    return wrong(command, variant.file_name() + " has no parameter " + name +
                              (names.empty() ? "" : ". " + did_you_mean(name, names)));
  }
  if (!variant.own && std::ranges::find(spec->values, *value) == spec->values.end()) {
    std::vector<std::string> values;
    for (const std::int64_t each : spec->values) values.push_back(std::to_string(each));
    return wrong(command, name + " is one of " + joined(values, ", "));
  }
  target.state.focused_parameter = name;
  target.state.workbench.set_parameter(name, *value);
  return ok_status();
}

Status set_size(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& name = command.words[1];
  const Result<std::int64_t> value = whole(command, 2);
  if (!value.ok()) return value.error();
  const Variant& variant = target.state.workbench.active();
  if (!variant.extents.contains(name)) {
    std::vector<std::string> names;
    for (const auto& [extent, size] : variant.extents) names.push_back(extent);
    return wrong(command, names.empty()
                              ? "a kernel of a file has no sizes"
                              : "there is no size " + name + ", but " + joined(names, ", "));
  }
  if (*value < 1) return wrong(command, "a size is 1 or more");
  target.state.workbench.set_extent(name, *value);
  return ok_status();
}

Status set_factor(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& name = command.words[1];
  const Variant& variant = target.state.workbench.active();
  const std::vector<std::string> names =
      variant.entry != nullptr ? factor_names(*variant.entry) : std::vector<std::string>();
  if (std::ranges::find(names, name) == names.end()) {
    return wrong(command, names.empty()
                              ? "this kernel has no factors"
                              : "there is no factor " + name + ", but " + joined(names, ", "));
  }
  const std::string& word = command.words[2];
  const auto value = parse_number<float>(word);
  if (!value || !std::isfinite(*value)) return wrong(command, word + " is no finite f32");
  target.state.workbench.set_factor(name, static_cast<double>(*value));
  return ok_status();
}

Status select_line(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> line = whole(command, 1);
  if (!line.ok()) return line.error();
  Variant& variant = target.state.workbench.active();
  if (!variant.has_kernel()) return wrong(command, "no kernel is open");
  const auto lines = std::ranges::count(variant.shown_source(), '\n') + 1;
  if (*line < 0 || *line > lines) {
    return wrong(command, "the text has lines 1 to " + std::to_string(lines));
  }
  variant.selection.line = static_cast<std::uint32_t>(*line);
  return ok_status();
}

Status select_lane(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> lane = whole(command, 1);
  if (!lane.ok()) return lane.error();
  if (*lane < 0 || *lane > 31) return wrong(command, "lanes are 0 to 31");
  target.state.workbench.active().selection.lane = static_cast<int>(*lane);
  return ok_status();
}

Status select_warp(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> warp = whole(command, 1);
  if (!warp.ok()) return warp.error();
  Variant& variant = target.state.workbench.active();
  constexpr std::int64_t kMostWarps = 32;  // of a block
  const bool known = variant.study != nullptr && !variant.study_pending;
  const auto warps =
      known ? static_cast<std::int64_t>((variant.study->launch.block.count() + 31) / 32)
            : kMostWarps;
  if (*warp < 0 || *warp >= warps) {
    return wrong(command, "warps are 0 to " + std::to_string(warps - 1));
  }
  variant.selection.warp = static_cast<std::uint32_t>(*warp);
  return ok_status();
}

Status choose_variant(const ScriptCommand& command, const ScriptTarget& target) {
  if (command.words[1] == "add") {
    target.state.workbench.add_variant();
    return ok_status();
  }
  const Result<std::int64_t> index = whole(command, 1);
  if (!index.ok()) return index.error();
  const auto count = static_cast<std::int64_t>(target.state.workbench.variants().size());
  if (*index < 0 || *index >= count) {
    return wrong(command, "variants are 0 to " + std::to_string(count - 1));
  }
  target.state.workbench.activate(static_cast<int>(*index));
  return ok_status();
}

// Commands that work on the kernel: which it is, its settings and text, its time, the tuner.
Status choose_kernel(const ScriptCommand& command, const ScriptTarget& target) {
  WindowState& state = target.state;
  const CatalogueEntry* entry = state.workbench.catalogue().find(command.words[1]);
  if (entry == nullptr) {
    std::vector<std::string> ids;
    ids.reserve(state.workbench.catalogue().entries.size());
    for (const CatalogueEntry& known : state.workbench.catalogue().entries) ids.push_back(known.id);
    return unknown(command, "kernel", command.words[1], ids, kListsKernels);
  }
  state.workbench.choose_kernel(*entry);
  state.focused_parameter.clear();
  return ok_status();
}

Status set_setting(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> value = whole(command, 2);
  if (!value.ok()) return value.error();
  if (Status known = check_setting(command.words[1], *value); !known) {
    return wrong(command, to_string(known.error()));
  }
  change_setting(target.state.view_settings,
                 {.kind = HitKind::kSetting, .value = *value, .name = command.words[1]});
  return ok_status();
}

Status start_drag(const ScriptCommand& command, const ScriptTarget& target) {
  ScriptProgress::Drag drag{.line = command.line, .name = command.words[1]};
  if (Status from = with_whole(command, 2, [&](std::int64_t value) { drag.from = value; }); !from)
    return from;
  if (Status to = with_whole(command, 3, [&](std::int64_t value) { drag.to = value; }); !to)
    return to;
  return with_whole(command, 4, [&](std::int64_t frames) {
    drag.frames = static_cast<int>(frames);
    target.progress.drag = std::move(drag);
  });
}

// At an event, or at the beginning of a k-step.
Status stand_at(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> number = whole(command, 1);
  if (!number.ok()) return number.error();
  Variant& variant = target.state.workbench.active();
  if (variant.study == nullptr || !variant.study->traced() ||
      variant.study->trace->events.empty()) {
    return wrong(command, "no block is traced yet; use wait-idle first");
  }
  std::int64_t event = *number;
  const bool is_step = command.words.front() == "step";
  if (is_step && variant.study->timeline && !variant.study->timeline->step_begin.empty()) {
    const auto& begins = WarpTime{*variant.study, variant.selection.warp, {}}.steps();
    const auto last = static_cast<std::int64_t>(begins.size()) - 1;
    event = begins[static_cast<std::size_t>(std::clamp<std::int64_t>(*number, 0, last))];
  }
  const auto last = static_cast<std::int64_t>(variant.study->trace->events.size()) - 1;
  variant.selection.event = static_cast<std::uint32_t>(std::clamp<std::int64_t>(event, 0, last));
  return ok_status();
}

Status play(const ScriptCommand& command, const ScriptTarget& target) {
  const bool wanted = command.words.front() == "play";
  if (target.state.playback.playing != wanted) toggle_playback(target.state);
  return ok_status();
}

Status go_phases(const ScriptCommand& command, const ScriptTarget& target) {
  return with_whole(command, 1, [&](std::int64_t phases) {
    step_phases(target.state, static_cast<int>(phases));
  });
}

Status set_loop(const ScriptCommand& command, const ScriptTarget& target) {
  if (command.words.size() == 2) {
    if (command.words[1] != "off") return wrong(command, "takes two events, or off");
    clear_loop(target.state);
    return ok_status();
  }
  const Result<std::int64_t> in = whole(command, 1);
  if (!in.ok()) return in.error();
  const Result<std::int64_t> out = whole(command, 2);
  if (!out.ok()) return out.error();
  if (*in < 0 || *out < *in) {
    return wrong(command, "the second event must not be before the first");
  }
  clear_loop(target.state);
  set_loop_in(target.state, static_cast<std::uint32_t>(*in));
  set_loop_out(target.state, static_cast<std::uint32_t>(*out));
  return ok_status();
}

Status use_bookmark(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> number = whole(command, 2);
  if (!number.ok()) return number.error();
  if (*number < 0 || *number > 9) return wrong(command, "bookmarks are 0 to 9");
  const std::string& what = command.words[1];
  const auto act = what == "set" ? set_bookmark : what == "go" ? go_to_bookmark : remove_bookmark;
  act(target.state, static_cast<int>(*number));
  return ok_status();
}

Status choose_unit(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& word = command.words[1];
  const bool share = word == "peak" || word == "reference";
  target.state.preferences.rate_unit = parse_rate_unit(share ? "% of " + word : word);
  if (!target.state.preferences.rate_unit) {
    return unknown(command, "unit", word, {"flop/s", "bytes/s", "time", "peak", "reference"});
  }
  return ok_status();
}

Status tune(const ScriptCommand& command, const ScriptTarget& target) {
  Tuner& tuner = target.state.tuner;
  const std::string& what = command.words[1];
  const bool of_parameter = what == "with" || what == "without";
  if (of_parameter != (command.words.size() == 3)) {
    return wrong(command, "with and without take a parameter, the others nothing");
  }
  if (of_parameter) {
    tuner.explore(command.words[2], what == "with");
    tuner.look();
  } else if (what == "start") {
    tuner.look();
    const std::string why = why_not_tuned(target.state.workbench.active());
    if (!why.empty()) return wrong(command, why);
    target.progress.again = !tuner.count();
    if (tuner.count()) tuner.start();
  } else if (what == "pause" || what == "go-on") {
    tuner.pause(what == "pause");
  } else if (what == "stop") {
    tuner.stop();
  } else {
    tuner.reset();
  }
  return ok_status();
}

// Writes over a line of the source, keeping its indentation.
Status type_line(const ScriptCommand& command, const ScriptTarget& target) {
  WindowState& state = target.state;
  const Result<std::int64_t> number = whole(command, 1);
  if (!number.ok()) return number.error();
  const std::int64_t line = *number;
  if (!state.workbench.active().has_kernel()) return wrong(command, "no kernel is open");
  std::string text = state.workbench.active().shown_source();
  std::size_t at = 0;
  for (std::int64_t i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (line < 1 || at == std::string::npos) return wrong(command, "there is no such line");
  const std::size_t first = std::min(text.find_first_not_of(" \t", at), text.size());
  const std::string words = words_from(command, 2);
  const std::size_t end = std::min(text.find('\n', at), text.size());
  text.replace(std::min(first, end), end - std::min(first, end), words);
  state.workbench.edit_source(std::move(text));
  return ok_status();
}

// Commands that write files. The next one acts when the file is there; one that cannot be written
// is an error.

// Done when the file is written, or cannot be: a frame later the session has heard which.
Status save(const ScriptCommand& command, const ScriptTarget& target) {
  constexpr int kFramesToHear = 2;
  Session& session = target.state.session;
  if (!std::exchange(target.progress.begun, true)) {
    session.save(target.state, command.words[1]);
    target.progress.settle = 0;
  }
  if (!session.writing()) ++target.progress.settle;
  target.progress.again = target.progress.settle <= kFramesToHear;
  const std::string name = std::filesystem::path(command.words[1]).filename().string();
  for (const Session::Notice& notice : session.notices()) {
    const bool of_this = notice.words.find(name) != std::string::npos;
    if (notice.is_error && of_this) return wrong(command, notice.words);
  }
  return ok_status();
}

constexpr std::array<std::pair<const char*, PictureExport::Subject>, 7> kSubjects{
    {{"view", PictureExport::Subject::kView},
     {"source", PictureExport::Subject::kSource},
     {"counters", PictureExport::Subject::kCounters},
     {"tuner", PictureExport::Subject::kTuner},
     {"parameter", PictureExport::Subject::kOverParameter},
     {"size", PictureExport::Subject::kOverSize},
     {"live", PictureExport::Subject::kLive}}};

// The kernel as it stands, not an older one that still shows.
Status export_view_to(const ScriptCommand& command, const ScriptTarget& target) {
  WindowState& state = target.state;
  if (!std::exchange(target.progress.begun, true)) {
    const Variant& active = state.workbench.active();
    if (active.error) return wrong(command, to_string(*active.error));
    const std::string what = command.words.size() > 2 ? command.words[2] : "view";
    const auto* subject = std::ranges::find(kSubjects, what, [](const auto& s) { return s.first; });
    if (subject == kSubjects.end()) {
      std::vector<std::string> known;
      known.reserve(kSubjects.size());
      for (const auto& [name, each] : kSubjects) known.emplace_back(name);
      return unknown(command, "picture", what, known);
    }
    state.picture_export.subject = subject->second;
    if (!export_request(state)) return wrong(command, "there is nothing to export yet");
    state.picture_export.file = command.words[1];
    export_picture(state);
  }
  const std::optional<Status> outcome = export_outcome(state);
  target.progress.again = !outcome.has_value();
  if (outcome && !outcome->ok()) return wrong(command, to_string(outcome->error()));
  return ok_status();
}

struct ScriptRule {
  // How it is written, its name first: "panel TITLE on|off|front". Small letters stand as they are,
  // capitals for a value of any kind; [WORD] may be left out, and ... is any number of words more.
  std::string_view usage;
  Status (*act)(const ScriptCommand& command, const ScriptTarget& target);
};

constexpr double kMostWaitSeconds = 300;

Status choose_view(const ScriptCommand& command, const ScriptTarget& target) {
  const auto view = parse_view(command.words[1]);
  if (!view) {
    std::vector<std::string> names;
    names.reserve(all_views().size());
    for (const View known : all_views()) names.emplace_back(name_of(known));
    return unknown(command, "view", command.words[1], names);
  }
  target.state.raise = view;
  return ok_status();
}

Status choose_theme(const ScriptCommand& command, const ScriptTarget& target) {
  const auto theme = parse_theme(command.words[1]);
  if (!theme) return unknown(command, "theme", command.words[1], {"dark", "light", "paper"});
  target.state.preferences.theme = *theme;
  return ok_status();
}

Status choose_l2(const ScriptCommand& command, const ScriptTarget& target) {
  target.state.workbench.set_cold(command.words[1] == "cold");
  return ok_status();
}

Status zoom(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<float> factor = real(command, 1, MatrixCamera::kMostZoom);
  if (!factor.ok()) return factor.error();
  target.state.workbench.active().camera.zoom = *factor;
  return ok_status();
}

Status scale_text_to(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<float> scale = real(command, kLeastTextScale, kMostTextScale);
  if (!scale.ok()) return scale.error();
  target.state.preferences.text_scale = *scale;
  return ok_status();
}

Status switch_lecture(const ScriptCommand& command, const ScriptTarget& target) {
  set_lecture(target.state, command.words[1] == "on");
  return ok_status();
}

Status switch_editing(const ScriptCommand& command, const ScriptTarget& target) {
  target.state.editing = command.words[1] == "on";
  return ok_status();
}

Status show_panel(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& title = command.words[1];
  const auto has_title = [&](const Panel& panel) { return title == panel.title; };
  if (std::ranges::none_of(target.state.panels, has_title)) {
    std::vector<std::string> titles;
    titles.reserve(target.state.panels.size());
    for (const Panel& panel : target.state.panels) titles.emplace_back(panel.title);
    return unknown(command, "panel", title, titles);
  }
  target.state.panel_open[title] = command.words[2] != "off";
  if (command.words[2] == "front") target.state.focus_panel = title;
  return ok_status();
}

Status show_source(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& language = command.words[1];
  target.state.source_tab = language == "ptx"    ? SourceLanguage::kPtx
                            : language == "sass" ? SourceLanguage::kMachine
                                                 : SourceLanguage::kCuda;
  return ok_status();
}

Status open(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& file = command.words[1];
  const Status opened = is_session_file(file) ? target.state.session.open(target.state, file)
                                              : target.state.workbench.open_file(file);
  return opened.ok() ? ok_status() : Status(wrong(command, to_string(opened.error())));
}

Status paste(const ScriptCommand& command, const ScriptTarget& target) {
  auto text = read_file(command.words[1], kMostSourceBytes);
  if (!text) return wrong(command, command.words[1] + " cannot be read");
  const Status opened = target.state.workbench.open_text(*std::move(text));
  return opened.ok() ? ok_status() : Status(wrong(command, to_string(opened.error())));
}

Status write_notes(const ScriptCommand& command, const ScriptTarget& target) {
  target.state.notes = words_from(command, 1);
  return ok_status();
}

Status run_named(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string name = words_from(command, 1);
  if (!run_command(target.state, name)) return wrong(command, "there is no command " + name);
  return ok_status();
}

// A step counts from 1, as the window shows it.
Status open_lesson(const ScriptCommand& command, const ScriptTarget& target) {
  std::optional<int> step;
  if (command.words.size() > 2) {
    const Result<std::int64_t> number = whole(command, 2);
    if (!number.ok()) return number.error();
    step = static_cast<int>(*number) - 1;
  }
  WindowState& state = target.state;
  if (state.learn.open(state, command.words[1], step)) return ok_status();
  return wrong(command, to_string(state.learn.library().why_not(command.words[1])));
}

Status choose_language(const ScriptCommand& command, const ScriptTarget& target) {
  Learn& learn = target.state.learn;
  std::vector<std::string> names = learn.library().languages();
  names.emplace_back("en");
  const std::string& name = command.words[1];
  if (std::ranges::find(names, name) == names.end()) {
    return unknown(command, "language", name, names);
  }
  learn.speak(target.state, name == "en" ? "" : name);
  return ok_status();
}

Status choose_gpu(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string name = words_from(command, 1);
  std::vector<std::string> names;
  for (const DeviceModel* model : target.state.workbench.gpus().choices()) {
    names.push_back(model->name);
  }
  if (std::ranges::find(names, name) == names.end()) return unknown(command, "GPU", name, names);
  target.state.workbench.set_gpu(name);
  return ok_status();
}

Status open_exercise(const ScriptCommand& command, const ScriptTarget& target) {
  WindowState& state = target.state;
  if (state.practice.open(state, command.words[1])) return ok_status();
  std::vector<std::string> names;
  for (const Exercise& each : state.practice.library().exercises) names.push_back(each.name);
  return unknown(command, "exercise", command.words[1], names, "'tilescope learn' lists them");
}

Status resize(const ScriptCommand& command, const ScriptTarget& target) {
  const Result<std::int64_t> width = whole(command, 1);
  if (!width.ok()) return width.error();
  return with_whole(command, 2, [&](std::int64_t height) {
    target.host.resize(static_cast<int>(*width), static_cast<int>(height));
    target.progress.frames_left = 3;
  });
}

Status draw_frames(const ScriptCommand& command, const ScriptTarget& target) {
  return with_whole(command, 1, [&](std::int64_t frames) {
    target.progress.frames_left = static_cast<int>(frames);
  });
}

Status wait_until_idle(const ScriptCommand& command, const ScriptTarget& target) {
  const double seconds =
      command.words.size() > 1 ? std::strtod(command.words[1].c_str(), nullptr) : kMostWaitSeconds;
  target.progress.waiting = true;
  target.progress.settle = 0;
  target.progress.wait_until = target.state.workbench.now_seconds() + seconds;
  return ok_status();
}

Status take_presenter_screenshot(const ScriptCommand& command, const ScriptTarget& target) {
  if (!target.host.presenter_screenshot) return wrong(command, "there is no window");
  return target.host.presenter_screenshot(command.words[1]);
}

// Of the selected scene.
Status name_scene(const ScriptCommand& command, const ScriptTarget& target) {
  target.state.presentation.rename(words_from(command, 1));
  return ok_status();
}
Status note_scene(const ScriptCommand& command, const ScriptTarget& target) {
  target.state.presentation.set_note(words_from(command, 1));
  return ok_status();
}
Status choose_scene(const ScriptCommand& command, const ScriptTarget& target) {
  return with_whole(command, 1, [&](std::int64_t number) {
    Presentation& presentation = target.state.presentation;
    const auto index = static_cast<std::size_t>(std::max<std::int64_t>(number, 1) - 1);
    if (presentation.presents()) {
      presentation.go_to(target.state, index);
    } else {
      presentation.show(target.state, index);
    }
  });
}

Status take_screenshot(const ScriptCommand& command, const ScriptTarget& target) {
  return target.host.screenshot(command.words[1]);
}

Status report_frames(const ScriptCommand& /*command*/, const ScriptTarget& target) {
  target.host.report_frames();
  return ok_status();
}

// The language. To add a command, add a row.
constexpr std::array kRules{
    ScriptRule{"kernel ID", choose_kernel},
    ScriptRule{"open FILE", open},    // a kernel or a session
    ScriptRule{"paste FILE", paste},  // its text, as from the clipboard
    ScriptRule{"set NAME VALUE", set_parameter},
    ScriptRule{"drag NAME FROM TO FRAMES", start_drag},
    ScriptRule{"size NAME VALUE", set_size},
    ScriptRule{"factor alpha|beta VALUE", set_factor},
    ScriptRule{"setting NAME NUMBER", set_setting},  // what a click in a view sets
    ScriptRule{"variant add|N", choose_variant},     // from 0
    ScriptRule{"step N", stand_at},                  // k-step, from 0
    ScriptRule{"event N", stand_at},
    ScriptRule{"phase N", go_phases},           // so many on, or back
    ScriptRule{"loop off|IN [OUT]", set_loop},  // events
    ScriptRule{"bookmark set|go|remove DIGIT", use_bookmark},
    ScriptRule{"play", play},
    ScriptRule{"pause", play},
    ScriptRule{"line N", select_line},
    ScriptRule{"lane N", select_lane},
    ScriptRule{"warp N", select_warp},
    ScriptRule{"view NAME", choose_view},
    ScriptRule{"zoom FACTOR", zoom},
    ScriptRule{"unit UNIT", choose_unit},  // of all charts: flop/s, bytes/s, time, peak, reference
    ScriptRule{"theme NAME", choose_theme},
    ScriptRule{"gpu WORD ...", choose_gpu},  // of the active variant: "NVIDIA H200"
    ScriptRule{"l2 cold|warm", choose_l2},
    ScriptRule{"text-scale FACTOR", scale_text_to},
    ScriptRule{"lecture on|off", switch_lecture},
    ScriptRule{"panel TITLE on|off|front", show_panel},
    ScriptRule{"pixels WIDTH HEIGHT", resize},
    ScriptRule{"source cuda|ptx|sass", show_source},
    ScriptRule{"edit on|off", switch_editing},
    ScriptRule{"type-line N [WORD] ...", type_line},  // in the place of the source's line N
    ScriptRule{"tune start|pause|go-on|stop|reset|with|without [NAME]", tune},
    ScriptRule{"note WORD ...", write_notes},
    ScriptRule{"do WORD ...", run_named},  // a command of the palette, by its name
    // The view in front, or source, counters, parameter, size, live.
    ScriptRule{"export FILE [WHAT]", export_view_to},
    ScriptRule{"lesson NAME [STEP]", open_lesson},
    ScriptRule{"language NAME", choose_language},  // of lessons: en, or that of a translation
    ScriptRule{"exercise NAME", open_exercise},
    ScriptRule{"save FILE", save},  // the session
    ScriptRule{"frames N", draw_frames},
    ScriptRule{"wait-idle [SECONDS]", wait_until_idle},
    ScriptRule{"scene N", choose_scene},  // from 1; what is on screen: do Scene: add ...
    ScriptRule{"scene-name WORD ...", name_scene},
    ScriptRule{"scene-note WORD ...", note_scene},
    ScriptRule{"screenshot FILE", take_screenshot},
    ScriptRule{"speaker-screenshot FILE", take_presenter_screenshot},
    ScriptRule{"report-frames", report_frames},
};

// Cuts off what stands before the next `separator`, and that.
std::string_view take(std::string_view* text, char separator) {
  const std::size_t end = std::min(text->find(separator), text->size());
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return part;
}

bool stands_for_a_value(std::string_view part) {
  return std::ranges::any_of(part, [](unsigned char c) { return std::isupper(c) != 0; });
}

bool is_choice(std::string_view word, std::string_view choices) {
  while (!choices.empty()) {
    if (take(&choices, '|') == word) return true;
  }
  return false;
}

// nullptr: there is no such command.
const ScriptRule* find_script_rule(std::string_view name) {
  const auto* found = std::ranges::find_if(kRules, [&](const ScriptRule& rule) {
    std::string_view usage = rule.usage;
    return take(&usage, ' ') == name;
  });
  return found != kRules.end() ? found : nullptr;
}

// Whether a command of these words, its name first, is written as the rule says.
bool fits(const ScriptRule& rule, const std::vector<std::string>& words) {
  std::string_view usage = rule.usage;
  for (const std::string& word : words) {
    if (usage == "...") return true;
    if (usage.empty()) return false;
    const std::string_view part = take(&usage, ' ');
    if (!stands_for_a_value(part) && !is_choice(word, part)) return false;
  }
  return usage.empty() || usage == "..." || usage.starts_with('[');
}

constexpr int kSettleFrames = 12;     // quiet frames that count as idle: fades have ended
constexpr double kMostSeconds = 300;  // for what a command has begun: a file, a count

Error at_line(const std::string& file, int line, std::string message) {
  return {ErrorCode::kUsage, std::move(message), "", {file, line, 0}};
}

}  // namespace

Result<std::vector<ScriptCommand>> parse_script(const std::string& text, const std::string& file) {
  std::vector<ScriptCommand> commands;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    ScriptCommand command{number, {}};
    for (std::string word; words >> word;) command.words.push_back(word);
    if (command.words.empty()) continue;
    const std::string& name = command.words.front();
    const ScriptRule* rule = find_script_rule(name);
    if (rule == nullptr) return at_line(file, number, "there is no script command " + name);
    if (!fits(*rule, command.words)) {
      return at_line(file, number, name + " is written: " + std::string(rule->usage));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

Status Script::drag(WindowState& state) {
  ScriptProgress::Drag& drag = progress_.drag;
  const double along = static_cast<double>(drag.done) / std::max(1, drag.frames - 1);
  if (!state.workbench.active().has_kernel()) {
    return script_error(drag.line, "drag", "no kernel is open");
  }
  const std::vector<ParameterSpec>& all = state.workbench.active().offered();
  const auto spec = std::ranges::find(all, drag.name, &ParameterSpec::name);
  if (spec == all.end()) {
    const std::string kernel = state.workbench.active().file_name();
    return script_error(drag.line, "drag", kernel + " has no parameter " + drag.name);
  }
  const auto index_of = [&](std::int64_t value) {
    return static_cast<double>(std::lower_bound(spec->values.begin(), spec->values.end(), value) -
                               spec->values.begin());
  };
  const double index = index_of(drag.from) + (index_of(drag.to) - index_of(drag.from)) * along;
  const auto at = static_cast<std::size_t>(
      std::clamp<long>(std::lround(index), 0, static_cast<long>(spec->values.size()) - 1));
  state.focused_parameter = drag.name;
  state.workbench.set_parameter(drag.name, spec->values[at]);
  ++drag.done;
  return ok_status();
}

Result<bool> Script::advance(WindowState& state, const ScriptHost& host) {
  while (true) {
    if (progress_.drag.done < progress_.drag.frames) {
      const Status dragged = drag(state);
      if (!dragged.ok()) return dragged.error();
      return true;
    }
    if (progress_.frames_left > 0) {
      --progress_.frames_left;
      return true;
    }
    if (progress_.waiting) {
      if (state.workbench.now_seconds() > progress_.wait_until) {
        std::cerr << "tilescope: script: still busy; continuing\n";
        progress_.waiting = false;
      } else {
        progress_.settle = host.idle() ? progress_.settle + 1 : 0;
        progress_.waiting = progress_.settle < kSettleFrames;
        if (progress_.waiting) return true;
      }
    }
    if (next_ == commands_.size()) return false;
    const ScriptCommand& command = commands_[next_];
    const bool first = !std::exchange(progress_.again, false);
    if (first) {
      progress_.begun = false;
      progress_.again_until = state.workbench.now_seconds() + kMostSeconds;
    }
    const Status done =
        find_script_rule(command.words.front())->act(command, {state, host, progress_});
    if (!done.ok()) return done.error();
    if (progress_.again) {
      if (state.workbench.now_seconds() <= progress_.again_until) return true;
      return script_error(command.line, command.words.front(), "it takes more than 300 s");
    }
    ++next_;
    // What was asked for is on screen two frames later: the first one may still lay out.
    if (!command.words.front().ends_with("screenshot") &&
        command.words.front() != "report-frames" && progress_.frames_left == 0) {
      progress_.frames_left = 2;
    }
  }
}

}  // namespace tilescope
