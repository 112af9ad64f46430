#include "ui/dialogs/picture_export_dialog.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "export/export_view.h"
#include "scene/views.h"
#include "ui/drawing/fonts.h"
#include "ui/drawing/imgui_canvas.h"
#include "ui/drawing/style.h"
#include "ui/state/chart_data.h"
#include "ui/state/commands.h"
#include "ui/state/export_command.h"
#include "ui/state/panel_surface.h"
#include "ui/state/picture_export.h"
#include "ui/state/window_state.h"

// The dialog of Ctrl+E: what is exported, as what, and the command that does the same.

namespace tilescope {
namespace {

inline constexpr float kChoiceLabel = 68;  // units that a row's title takes

// What is chosen in a row, and in which unit its numbers are.
struct ChoiceTitle {
  const char* words;
  const char* meaning;
  const char* unit = "";
};
struct ChoiceWords {
  std::vector<std::string> words;
  int chosen = -1;  // that is strong
};

// Returns the one that was clicked, or -1.
int draw_choice(PanelSurface& surface, float x, float y, const ChoiceTitle& title,
                const ChoiceWords& choice) {
  const auto& [words, chosen] = choice;
  surface.text(x, y, title.words, styled(12, ColourRole::kDim));
  x += kChoiceLabel;
  int clicked = -1;
  int index = 0;
  for (const std::string& word : words) {
    const TextStyle style = styled(13, index == chosen ? ColourRole::kStrong : ColourRole::kDim,
                                   index == chosen ? Weight::kSemibold : Weight::kRegular);
    const float width = surface.canvas().text_width(word, style) + 20;
    const Rect rect{x, y - 13, width, 26};
    const Touch touch = surface.control((title.words + word).c_str(), rect, title.meaning);
    if (index == chosen || touch.hovered) {
      surface.canvas().fill_rect(rect, index == chosen ? ColourRole::kHover : ColourRole::kPanel,
                                 6);
    }
    surface.text(x + 10, y, word, style);
    if (touch.clicked) clicked = index;
    x += width + 4;
    ++index;
  }
  return clicked;
}

// One of some numbers, set by a click.
void choose_number(PanelSurface& surface, float x, float y, const ChoiceTitle& title,
                   std::span<const int> numbers, int* number) {
  std::vector<std::string> words;
  int chosen = -1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    words.push_back(std::to_string(numbers[i]) + title.unit);
    if (numbers[i] == *number) chosen = static_cast<int>(i);
  }
  const int clicked = draw_choice(surface, x, y, title, {std::move(words), chosen});
  if (clicked >= 0) *number = numbers[static_cast<std::size_t>(clicked)];
}

using Subject = PictureExport::Subject;

constexpr float kFieldRow = 32;  // units

struct PictureSize {
  const char* words;
  int width;
  int height;
};
constexpr std::array kSizes{
    PictureSize{"1176 × 620", kViewWidth, kViewHeight}, PictureSize{"1280 × 720", 1280, 720},
    PictureSize{"1600 × 900", 1600, 900}, PictureSize{"960 × 720", 960, 720},
    PictureSize{"900 × 1200", 900, 1200}};
struct NamedFormat {
  const char* words;
  const char* ending;
  PictureFormat format;
};
constexpr std::array kFormats{NamedFormat{"SVG", ".svg", PictureFormat::kSvg},
                              NamedFormat{"PDF", ".pdf", PictureFormat::kPdf},
                              NamedFormat{"PNG", ".png", PictureFormat::kPng},
                              NamedFormat{"Page", ".html", PictureFormat::kHtml},
                              NamedFormat{"CSV", ".csv", PictureFormat::kCsv},
                              NamedFormat{"JSON", ".json", PictureFormat::kJson},
                              NamedFormat{"GIF", ".gif", PictureFormat::kGif},
                              NamedFormat{"MP4", ".mp4", PictureFormat::kMp4}};
struct PaperChoice {
  const char* words;
  int width;  // mm; 0: px
  int height;
};
constexpr std::array kPapers{PaperChoice{"none", 0, 0}, PaperChoice{"84 × 60 mm", 84, 60},
                             PaperChoice{"84 × 84 mm", 84, 84}, PaperChoice{"174 × 80 mm", 174, 80},
                             PaperChoice{"174 × 120 mm", 174, 120}};
constexpr std::array kPoints = {0, 7, 8, 9, 10};
constexpr std::array kFrameRates = {5, 10, 20, 25};
constexpr std::array kLengths = {4, 8, 16, 30};

struct NamedSubject {
  Subject subject;
  std::string name;
};

// A row of subjects, the chosen one strong where it is among them. Returns the y below.
float draw_subject_row(PanelSurface& surface, float y, const char* title,
                       const std::vector<NamedSubject>& subjects) {
  if (subjects.empty()) return y;
  Subject& chosen = surface.state().picture_export.subject;
  std::vector<std::string> words;
  words.reserve(subjects.size());
  for (const NamedSubject& each : subjects) words.push_back(each.name);
  const auto found = std::ranges::find(subjects, chosen, &NamedSubject::subject);
  const int clicked = draw_choice(surface, 0, y, {title, "Exports this, as shown in the window."},
                                  {words, static_cast<int>(found - subjects.begin())});
  if (clicked >= 0) chosen = subjects[static_cast<std::size_t>(clicked)].subject;
  return y + kFieldRow;
}

// The view in front, the pages, and those charts that have something in them.
float draw_subjects(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  std::vector<NamedSubject> pictures{{Subject::kView, std::string(title_of(state.view))}};
  const Variant& active = state.workbench.active();
  if (active.study != nullptr && active.study->counters) {
    for (const Subject subject : {Subject::kSource, Subject::kCounters}) {
      pictures.push_back({subject, std::string(title_of(*page_of(subject)))});
    }
  }
  if (tuned_figure(state) != nullptr) pictures.push_back({Subject::kTuner, "Tuner"});
  std::vector<NamedSubject> charts;
  constexpr std::array kCharts{std::pair{Subject::kOverParameter, ChartKind::kOverParameter},
                               std::pair{Subject::kOverSize, ChartKind::kOverSize},
                               std::pair{Subject::kLive, ChartKind::kLive}};
  for (const auto& [subject, kind] : kCharts) {
    if (const auto figure = chart_figure(state, kind))
      charts.push_back({subject, title_of(*figure)});
  }
  y = draw_subject_row(surface, y, "picture", pictures);
  return draw_subject_row(surface, y, "chart", charts);
}

float draw_formats(PanelSurface& surface, float y, std::optional<PictureFormat> format) {
  PictureExport& picture = surface.state().picture_export;
  const bool chart = picture.subject != Subject::kView;
  std::vector<std::string> words;
  int chosen = -1;
  for (const NamedFormat& each : kFormats) {
    if (chart && is_animation(each.format)) continue;
    if (format == each.format) chosen = static_cast<int>(words.size());
    words.emplace_back(each.words);
  }
  const int wanted = draw_choice(
      surface, 0, y,
      {"format",
       "SVG and PDF: shapes and real text. PNG: pixels. Page: one HTML file with sliders. "
       "CSV and JSON: the numbers in the picture. GIF and MP4: an animation over time."},
      {words, chosen});
  if (wanted >= 0) {
    picture.file = std::filesystem::path(picture.file)
                       .replace_extension(kFormats.at(static_cast<std::size_t>(wanted)).ending)
                       .string();
  }
  return y + kFieldRow;
}

float draw_looks(PanelSurface& surface, float y, PictureFormat format) {
  WindowState& state = surface.state();
  PictureExport& picture = state.picture_export;
  const int theme = draw_choice(
      surface, 0, y, {"theme", "The file's colours. Paper is for print: black on white."},
      {{"Dark", "Light", "Paper"}, static_cast<int>(picture.theme)});
  if (theme >= 0) picture.theme = static_cast<Theme>(theme);
  if (format == PictureFormat::kPng || is_animation(format)) {
    const int scale = draw_choice(surface, 340, y, {"pixels", "Pixels per unit of the size."},
                                  {{"1×", "2×", "3×", "4×"}, picture.scale - 1});
    if (scale >= 0) picture.scale = scale + 1;
  }
  y += kFieldRow;
  std::vector<std::string> words;
  int chosen = -1;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    words.emplace_back(kSizes.at(i).words);
    const bool is_this =
        kSizes.at(i).width == picture.width && kSizes.at(i).height == picture.height;
    if (is_this && picture.width_mm == 0) chosen = static_cast<int>(i);
  }
  const int size = draw_choice(surface, 0, y,
                               {"size", "Width and height in px; text and lines keep their size."},
                               {words, chosen});
  if (size >= 0) {
    picture.width = kSizes.at(static_cast<std::size_t>(size)).width;
    picture.height = kSizes.at(static_cast<std::size_t>(size)).height;
    picture.width_mm = picture.height_mm = 0;  // instead of a size on paper
  }
  if (picture.subject != Subject::kView || descriptor_of(state.view).setting("heat") == nullptr) {
    return y + kFieldRow;
  }
  y += kFieldRow;
  const int heat =
      draw_choice(surface, 0, y,
                  {"heat", "Colours each element by its number of reads, here and in the window."},
                  {{"off", "on"}, state.view_settings.heat ? 1 : 0});
  if (heat >= 0) state.view_settings.heat = heat == 1;
  return y + kFieldRow;
}

// A part of the view, its words, and its size on paper.
float draw_figure_choices(PanelSurface& surface, float y, PictureFormat format) {
  WindowState& state = surface.state();
  PictureExport& picture = state.picture_export;
  const std::span<const ViewPart> parts = descriptor_of(state.view).parts;
  if (picture.subject == Subject::kView && !parts.empty()) {
    std::vector<std::string> words = {"all"};
    int chosen = 0;
    for (const ViewPart& part : parts) {
      if (part.name == picture.part) chosen = static_cast<int>(words.size());
      words.emplace_back(part.name);
    }
    const int part =
        draw_choice(surface, 0, y, {"part", "Of the view, this part alone."}, {words, chosen});
    if (part >= 0) picture.part = part == 0 ? "" : words[static_cast<std::size_t>(part)];
    y += kFieldRow;
  }
  if (format == PictureFormat::kHtml || is_animation(format)) return y;
  std::vector<std::string> papers;
  int paper = -1;
  for (const PaperChoice& each : kPapers) {
    if (each.width == picture.width_mm && each.height == picture.height_mm) {
      paper = static_cast<int>(papers.size());
    }
    papers.emplace_back(each.words);
  }
  const int sheet = draw_choice(
      surface, 0, y, {"paper", "The printed size, instead of px: 84 mm is a column of a paper."},
      {papers, paper});
  if (sheet >= 0) {
    picture.width_mm = kPapers.at(static_cast<std::size_t>(sheet)).width;
    picture.height_mm = kPapers.at(static_cast<std::size_t>(sheet)).height;
    if (picture.width_mm > 0 && picture.points == 0) picture.points = 8;
  }
  y += kFieldRow;
  std::vector<std::string> sizes;
  int size = -1;
  for (const int points : kPoints) {
    if (points == picture.points) size = static_cast<int>(sizes.size());
    sizes.push_back(points == 0 ? "as here" : fmt::format("{} pt", points));
  }
  const int text =
      draw_choice(surface, 0, y, {"text", "The size of the text, in points."}, {sizes, size});
  if (text >= 0) picture.points = kPoints.at(static_cast<std::size_t>(text));
  const auto toggle = [&](float x, const ChoiceTitle& title, const char* words, bool* on) {
    if (draw_choice(surface, x, y, title, {{words}, *on ? 0 : -1}) == 0) *on = !*on;
  };
  toggle(340, {"words", "The sentence above the picture."}, "sentence", &picture.with_sentence);
  toggle(430, {"", "The lines below the picture, which say where its numbers come from."},
         "sources", &picture.with_provenance);
  return y + kFieldRow;
}

// The parameter of a page's slider.
float draw_slider_choice(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  PictureExport& picture = state.picture_export;
  const Variant& variant = state.workbench.active();
  if (picture.subject != Subject::kView || variant.entry == nullptr ||
      descriptor_of(state.view).needs.variants) {
    return y;
  }
  std::vector<std::string> words = {"time alone"};
  int chosen = 0;
  for (const ParameterSpec& spec : variant.entry->parameters) {
    if (spec.name == picture.over) chosen = static_cast<int>(words.size());
    words.push_back(spec.name);
  }
  const int slider = draw_choice(
      surface, 0, y, {"slider", "The page has a slider for time and for this parameter."},
      {words, chosen});
  if (slider >= 0) picture.over = slider == 0 ? "" : words[static_cast<std::size_t>(slider)];
  return y + kFieldRow;
}

float draw_time(PanelSurface& surface, float y) {
  WindowState& state = surface.state();
  PictureExport& picture = state.picture_export;
  std::vector<std::string> stretches = {"the whole block", "this step"};
  if (state.workbench.active().marks.loops()) stretches.emplace_back("the loop");
  const int stretch =
      draw_choice(surface, 0, y, {"time", "The part of the block's time that is shown."},
                  {stretches, static_cast<int>(picture.stretch)});
  if (stretch >= 0) picture.stretch = static_cast<PictureExport::Stretch>(stretch);
  y += kFieldRow;
  choose_number(surface, 0, y, {"length", "How long the animation lasts.", " s"}, kLengths,
                &picture.seconds);
  choose_number(surface, 340, y, {"a second", "Frames in each second."}, kFrameRates,
                &picture.frames_per_second);
  y += kFieldRow;
  surface.text(kChoiceLabel + 10, y - 6,
               fmt::format("{} frames of {} × {}", picture.seconds * picture.frames_per_second,
                           picture.width * picture.scale, picture.height * picture.scale),
               styled(12, ColourRole::kDim));
  return y + 18;
}

float draw_command(PanelSurface& surface, float y) {
  const std::string command = export_command(surface.state());
  const float room = surface.width() - 120;
  if (command.empty()) {
    const bool saving = wants_saved_session(surface.state());
    const float after =
        surface.paragraph(0, y, saving ? room : surface.width(),
                          why_no_export_command(surface.state()), styled(11, ColourRole::kDim)) +
        8;
    if (!saving) return after;
    const Rect button{surface.width() - 112, y - 12, 112, 24};
    if (surface.push("save for command", button, "save session"))
      run_command(surface.state(), "Save");
    surface.explain(button, "Saves the session (Ctrl S); a command can then write this picture.");
    return std::max(after, y + 30);
  }
  surface.fitted(0, room, y, command,
                 styled(11, ColourRole::kDim, Weight::kRegular, Align::kLeft, Font::kMono));
  surface.explain({0, y - 10, room, 20}, "This command writes the same file, byte for byte.");
  const Rect button{surface.width() - 112, y - 12, 112, 24};
  const char* in_clipboard = ImGui::GetClipboardText();
  const bool copied = in_clipboard != nullptr && command == in_clipboard;
  if (surface.push("copy command", button, copied ? "copied" : "copy command")) {
    ImGui::SetClipboardText(command.c_str());
  }
  surface.explain(button, "Copies the command to the clipboard.");
  return y + 30;
}

float draw_outcome(PanelSurface& surface, float y) {
  PictureExport& picture = surface.state().picture_export;
  if (picture.outcome == nullptr) return y + kFieldRow;
  PictureExport::Outcome& outcome = *picture.outcome;
  if (outcome.running()) {
    const std::size_t frames = outcome.frames;
    const std::size_t done = outcome.frames_done;
    surface.text(0, y, frames == 0 ? "writing …" : fmt::format("frame {} of {}", done, frames),
                 styled(12, ColourRole::kDim));
    if (frames > 0) {
      const Rect track{120, y - 3, surface.width() - 120, 6};
      const float share = static_cast<float>(done) / static_cast<float>(frames);
      surface.canvas().fill_rect(track, ColourRole::kHover, 3);
      surface.canvas().fill_rect({track.x, track.y, track.w * share, track.h}, ColourRole::kFirst,
                                 3);
    }
    surface.state().frame_wanted = true;
    return y + kFieldRow;
  }
  const std::lock_guard lock(outcome.mutex);
  const Status& status = *outcome.status;
  if (status.ok()) {
    surface.fitted(0, surface.width(), y,
                   fmt::format("Written: {}, {}", outcome.file, file_size_text(outcome.file)),
                   styled(12, ColourRole::kIdeal));
  } else if (status.error().code == ErrorCode::kCancelled) {
    surface.text(0, y, "Stopped; nothing was written.", styled(12, ColourRole::kDim));
  } else {
    return surface.paragraph(0, y, surface.width(), to_string(status.error()),
                             styled(12, ColourRole::kExcess)) +
           8;
  }
  return y + kFieldRow;
}

void draw_buttons(PanelSurface& surface, float y, bool can, bool entered) {
  WindowState& state = surface.state();
  PictureExport& picture = state.picture_export;
  const float right = surface.width();
  const bool running = picture.outcome != nullptr && picture.outcome->running();
  if (running) {
    if (surface.push("stop export", {right - 112, y, 112, 28}, "Stop", true)) cancel_export(state);
    surface.explain({right - 112, y, 112, 28}, "Stops the export; nothing is written.");
  } else if (!can) {
    surface.text(right - 56, y + 14, "Export",
                 styled(12, ColourRole::kFaint, Weight::kMedium, Align::kCenter));
    surface.explain({right - 112, y, 112, 28}, "There is nothing to export.");
  } else {
    if (surface.push("export", {right - 112, y, 112, 28}, "Export", true) || entered) {
      export_picture(state);
    }
    surface.explain({right - 112, y, 112, 28},
                    "Writes the file (or press Enter in the name field).");
  }
  const Rect close{right - 232, y, 112, 28};
  const bool closed = surface.push("close export", close, "Close");
  surface.explain(close, "Closes this dialog (Escape). A running export continues.");
  if (closed || ImGui::IsKeyPressed(ImGuiKey_Escape)) picture.open = false;
}

// Returns the height it takes.
float draw_contents(WindowState& state) {
  PictureExport& picture = state.picture_export;
  PanelSurface surface(state);
  surface.text(0, 8, "Export", styled(15, ColourRole::kStrong, Weight::kSemibold));
  float y = draw_subjects(surface, 40);
  const Point corner = surface.screen({0, y - 12});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(surface.width() * surface.scale());
  const bool entered =
      ImGui::InputText("##file", &picture.file, ImGuiInputTextFlags_EnterReturnsTrue);
  const auto named = picture_format(picture.file);
  const auto format = named ? std::optional(*named) : std::nullopt;
  y = draw_formats(surface, y + kFieldRow + 4, format);
  if (!format) {
    y = surface.paragraph(0, y, surface.width(), to_string(named.error()),
                          styled(12, ColourRole::kExcess)) +
        8;
  } else if (*format != PictureFormat::kCsv && *format != PictureFormat::kJson) {
    y = draw_looks(surface, y, *format);
    y = draw_figure_choices(surface, y, *format);
    if (*format == PictureFormat::kHtml) y = draw_slider_choice(surface, y);
    if (is_animation(*format) && picture.subject == Subject::kView) y = draw_time(surface, y);
  }
  y = draw_command(surface, y + 6);
  y = draw_outcome(surface, y);
  draw_buttons(surface, y - 8, format.has_value() && export_request(state).has_value(), entered);
  surface.finish(y + 24);
  return y + 28;
}

constexpr float kWidth = 680;
constexpr float kPreview = 380;  // beside the dialog, where the window has the room

// The picture as it will be written, beside the dialog.
void draw_preview(WindowState& state, const ImVec2& corner) {
  auto request = export_request(state);
  const auto format = picture_format(state.picture_export.file);
  if (!request || request->page || request->tuned || !format || *format == PictureFormat::kCsv ||
      *format == PictureFormat::kJson) {
    return;
  }
  const bool is_page = *format == PictureFormat::kHtml;
  if (is_page) request->with_sentence = request->with_provenance = false;
  const float room = kPreview - 24;
  const float scale = std::min(room / request->width, 420 / request->height);
  const Status sound = check_size(*request);
  const float height = sound ? request->height * scale + 52 : 120;
  ImGui::SetNextWindowPos(corner);
  ImGui::SetNextWindowSize({state.px(kPreview), state.px(height)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, state.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(state.px(12), state.px(12)));
  if (ImGui::Begin("export preview", nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoInputs)) {
    PanelSurface surface(state);
    surface.text(0, 8, "Preview", styled(12, ColourRole::kDim, Weight::kSemibold));
    if (sound) {
      const Point at = surface.screen({0, 24});
      ImGuiCanvas canvas({.list = ImGui::GetWindowDrawList(),
                          .origin = at,
                          .scale = state.px(scale),
                          .theme = state.picture_export.theme},
                         state.fonts, state.cells);
      canvas.push_clip({0, 0, request->width, request->height});
      draw_picture(canvas, *request);
      canvas.pop_clip();
    } else {
      surface.paragraph(0, 36, room, to_string(sound.error()), styled(12, ColourRole::kExcess));
    }
    surface.finish(height - 24);
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace

void draw_picture_export(WindowState& state) {
  if (!state.picture_export.open) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float beside = state.px(kPreview + 8);
  const bool previews = screen.x >= state.px(kWidth) + beside + state.px(16);
  const float middle = (screen.x - (previews ? beside : 0)) / 2;
  ImGui::SetNextWindowPos({middle, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  const float wanted = state.px(state.picture_export.height_used + 40);
  const float room = screen.y - state.px(16);  // large text in a small window: it scrolls
  ImGui::SetNextWindowSize({state.px(kWidth), std::min(wanted, room)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, state.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, state.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(state.px(24), state.px(20)));
  if (ImGui::Begin("export picture", &state.picture_export.open,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                       ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                       (wanted <= room ? ImGuiWindowFlags_NoScrollbar : 0))) {
    const float used = draw_contents(state);
    if (used != state.picture_export.height_used) state.frame_wanted = true;
    state.picture_export.height_used = used;
  }
  const ImVec2 corner = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  if (previews && state.picture_export.open) {
    draw_preview(state, {corner.x + size.x + state.px(8), corner.y});
  }
}

}  // namespace tilescope
