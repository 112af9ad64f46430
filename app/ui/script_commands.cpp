#include "ui/script_commands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "core/read_file.h"
#include "kernel/file_launch.h"
#include "ui/desk/desk.h"
#include "ui/desk/time_control.h"
#include "ui/panels/panel.h"
#include "ui/script_choices.h"
#include "ui/script_doing.h"
#include "ui/script_files.h"
#include "ui/script_words.h"
#include "ui/source/source_editor.h"

namespace tilescope {
namespace {

constexpr double kMostWaitSeconds = 300;

Status choose_view(const ScriptCommand& command, const ScriptTarget& target) {
  const auto view = parse_view(command.words[1]);
  if (!view) {
    std::vector<std::string> names;
    names.reserve(all_views().size());
    for (const View known : all_views()) names.emplace_back(name_of(known));
    return unknown(command, "view", command.words[1], names);
  }
  target.desk.raise = view;
  return ok_status();
}

Status choose_theme(const ScriptCommand& command, const ScriptTarget& target) {
  const auto theme = parse_theme(command.words[1]);
  if (!theme) return unknown(command, "theme", command.words[1], {"dark", "light", "paper"});
  target.desk.preferences.theme = *theme;
  return ok_status();
}

Status choose_l2(const ScriptCommand& command, const ScriptTarget& target) {
  target.desk.bench.set_cold(command.words[1] == "cold");
  return ok_status();
}

Status zoom(const ScriptCommand& command, const ScriptTarget& target) {
  target.desk.bench.active().camera.zoom = std::max(1.0F, real(command));
  return ok_status();
}

Status scale_text_to(const ScriptCommand& command, const ScriptTarget& target) {
  target.desk.preferences.text_scale = std::clamp(real(command), kLeastTextScale, kMostTextScale);
  return ok_status();
}

Status switch_lecture(const ScriptCommand& command, const ScriptTarget& target) {
  target.desk.lecture = command.words[1] == "on";
  return ok_status();
}

Status switch_editing(const ScriptCommand& command, const ScriptTarget& target) {
  target.desk.editing = command.words[1] == "on";
  return ok_status();
}

Status show_panel(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& title = command.words[1];
  const auto has_title = [&](const Panel& panel) { return title == panel.title; };
  if (std::ranges::none_of(target.desk.panels, has_title)) {
    std::vector<std::string> titles;
    titles.reserve(target.desk.panels.size());
    for (const Panel& panel : target.desk.panels) titles.emplace_back(panel.title);
    return unknown(command, "panel", title, titles);
  }
  target.desk.panel_open[title] = command.words[2] != "off";
  if (command.words[2] == "front") target.desk.focus_panel = title;
  return ok_status();
}

Status show_source(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& language = command.words[1];
  target.desk.source_tab = language == "ptx"    ? SourceLanguage::kPtx
                           : language == "sass" ? SourceLanguage::kMachine
                                                : SourceLanguage::kCuda;
  return ok_status();
}

Status open(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string& file = command.words[1];
  const Status opened = is_session_file(file) ? target.desk.session.open(target.desk, file)
                                              : target.desk.bench.open_file(file);
  return opened.ok() ? ok_status() : Status(wrong(command, to_string(opened.error())));
}

Status paste(const ScriptCommand& command, const ScriptTarget& target) {
  auto text = read_file(command.words[1], kMostSourceBytes);
  if (!text) return wrong(command, command.words[1] + " cannot be read");
  const Status opened = target.desk.bench.open_text(*std::move(text));
  return opened.ok() ? ok_status() : Status(wrong(command, to_string(opened.error())));
}

Status write_notes(const ScriptCommand& command, const ScriptTarget& target) {
  target.desk.notes = words_from(command, 1);
  return ok_status();
}

Status run_named(const ScriptCommand& command, const ScriptTarget& target) {
  const std::string name = words_from(command, 1);
  if (!run_command(target.desk, name)) return wrong(command, "there is no command " + name);
  return ok_status();
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
  target.progress.wait_until = target.desk.bench.now_seconds() + seconds;
  return ok_status();
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
    ScriptRule{"save FILE", save},  // the session
    ScriptRule{"frames N", draw_frames},
    ScriptRule{"wait-idle [SECONDS]", wait_until_idle},
    ScriptRule{"screenshot FILE", take_screenshot},
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

bool is_one_of(std::string_view word, std::string_view choices) {
  while (!choices.empty()) {
    if (take(&choices, '|') == word) return true;
  }
  return false;
}

}  // namespace

const ScriptRule* find_script_rule(std::string_view name) {
  const auto* found = std::ranges::find_if(kRules, [&](const ScriptRule& rule) {
    std::string_view usage = rule.usage;
    return take(&usage, ' ') == name;
  });
  return found != kRules.end() ? found : nullptr;
}

bool fits(const ScriptRule& rule, const std::vector<std::string>& words) {
  std::string_view usage = rule.usage;
  for (const std::string& word : words) {
    if (usage == "...") return true;
    if (usage.empty()) return false;
    const std::string_view part = take(&usage, ' ');
    if (!stands_for_a_value(part) && !is_one_of(word, part)) return false;
  }
  return usage.empty() || usage == "..." || usage.starts_with('[');
}

}  // namespace tilescope
