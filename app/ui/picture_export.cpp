#include "ui/picture_export.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "export/export_view.h"
#include "ui/cell_renderer.h"
#include "ui/fonts.h"
#include "ui/sheet.h"
#include "ui/style.h"
#include "ui/view_context.h"

namespace tilescope {

struct PictureExport::Outcome {
  std::mutex mutex;
  std::optional<Status> status;  // nullopt: still being written
  std::string file;
};

namespace {

constexpr int kWidth = 1176;  // px: the size of a view in the window at scale 1
constexpr int kHeight = 620;

std::string stem_of(const Desk& desk, const Variant& variant) {
  std::string name = variant.study->instance.id;
  std::ranges::replace(name, '/', '_');
  return name + "_" + std::string(name_of(desk.view));
}

std::filesystem::path home() {
  const char* folder = std::getenv("HOME");
  return folder != nullptr && *folder != '\0' ? std::filesystem::path(folder)
                                              : std::filesystem::current_path();
}

void set_ending(std::string* file, const char* ending) {
  *file = std::filesystem::path(*file).replace_extension(ending).string();
}

// "'it''s'": one word of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// A choice among words, the chosen one strong. Returns the one that was clicked, or -1.
int draw_choice(Sheet& sheet, float x, float y, const char* title,
                std::initializer_list<const char*> words, int chosen) {
  sheet.text(x, y, title, styled(12, ColourRole::kDim));
  x += 64;
  int clicked = -1;
  int index = 0;
  for (const char* word : words) {
    const TextStyle style = styled(13, index == chosen ? ColourRole::kStrong : ColourRole::kDim,
                                   index == chosen ? Weight::kSemibold : Weight::kRegular);
    const float width = sheet.canvas().text_width(word, style) + 20;
    const Rect rect{x, y - 13, width, 26};
    const Touch touch = sheet.control((std::string(title) + word).c_str(), rect);
    if (index == chosen || touch.hovered) {
      sheet.canvas().fill_rect(rect, index == chosen ? ColourRole::kHover : ColourRole::kPanel, 6);
    }
    sheet.text(x + 10, y, word, style);
    if (touch.clicked) clicked = index;
    x += width + 4;
    ++index;
  }
  return clicked;
}

void draw_outcome(Sheet& sheet, const PictureExport& picture, float y) {
  if (picture.outcome == nullptr) return;
  const std::lock_guard lock(picture.outcome->mutex);
  const std::optional<Status>& status = picture.outcome->status;
  const float room = sheet.width();
  if (!status) {
    sheet.text(0, y, "writing …", styled(12, ColourRole::kDim));
  } else if (status->ok()) {
    sheet.fitted(0, room, y, "Written: " + picture.outcome->file, styled(12, ColourRole::kIdeal));
  } else {
    sheet.paragraph(0, y, room, to_string(status->error()), styled(12, ColourRole::kExcess));
  }
}

void draw_contents(Desk& desk) {
  PictureExport& picture = desk.picture_export;
  Sheet sheet(desk);
  sheet.text(0, 8, "Export " + std::string(title_of(desk.view)),
             styled(15, ColourRole::kStrong, Weight::kSemibold));
  const Point corner = sheet.screen({0, 30});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  ImGui::SetNextItemWidth(sheet.width() * sheet.scale());
  const bool entered =
      ImGui::InputText("##file", &picture.file, ImGuiInputTextFlags_EnterReturnsTrue);
  const std::string ending = std::filesystem::path(picture.file).extension().string();
  const int format = ending == ".svg" ? 0 : ending == ".pdf" ? 1 : ending == ".png" ? 2 : -1;
  static constexpr const char* kEndings[] = {".svg", ".pdf", ".png"};
  const int wanted = draw_choice(sheet, 0, 80, "format", {"SVG", "PDF", "PNG"}, format);
  if (wanted >= 0) set_ending(&picture.file, kEndings[wanted]);
  const int theme = draw_choice(sheet, 0, 112, "theme", {"Dark", "Light", "Paper"},
                                static_cast<int>(picture.theme));
  if (theme >= 0) picture.theme = static_cast<Theme>(theme);
  if (format == 2) {
    const int scale =
        draw_choice(sheet, 300, 80, "pixels", {"1×", "2×", "3×", "4×"}, picture.scale - 1);
    if (scale >= 0) picture.scale = scale + 1;
  }
  const std::string command = export_command(desk);
  if (!command.empty()) {
    sheet.fitted(0, sheet.width() - 120, 148, command,
                 styled(11, ColourRole::kDim, Weight::kRegular, Align::kLeft, Font::kMono));
    sheet.explain({0, 138, sheet.width() - 120, 20},
                  "This command writes the same file, byte for byte.");
    if (sheet.push("copy command", {sheet.width() - 112, 136, 112, 24}, "copy command")) {
      ImGui::SetClipboardText(command.c_str());
    }
  }
  draw_outcome(sheet, picture, 178);
  const bool can = format >= 0 && desk.bench.active().study != nullptr;
  if ((sheet.push("export", {sheet.width() - 112, 206, 112, 28}, "Export", true) || entered) &&
      can) {
    export_picture(desk);
  }
  if (sheet.push("close export", {sheet.width() - 232, 206, 112, 28}, "Close") ||
      ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    picture.open = false;
  }
}

}  // namespace

void open_picture_export(Desk& desk) {
  const Variant& variant = desk.bench.active();
  if (variant.study == nullptr || !variant.study->traced()) {
    desk.note = "there is no picture to export yet";
    return;
  }
  PictureExport& picture = desk.picture_export;
  const std::string stem = stem_of(desk, variant);
  std::filesystem::path file = home() / (stem + ".svg");
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(file, ignored) && i < 1000; ++i) {
    file = home() / (stem + "_" + std::to_string(i) + ".svg");
  }
  picture.file = file.string();
  picture.outcome.reset();
  picture.open = true;
}

void export_picture(Desk& desk) {
  const Variant& variant = desk.bench.active();
  if (variant.study == nullptr || !variant.study->traced()) return;
  PictureExport& picture = desk.picture_export;
  PictureRequest request;
  request.view = desk.view;
  request.context = view_context(desk, variant.study.get(), variant);
  request.context.theme = picture.theme;
  request.context.text_scale = 1;
  request.width = kWidth;
  request.height = kHeight;
  const std::filesystem::path file = picture.file;
  if (file.extension() == ".png") request.pixel_scale = static_cast<float>(picture.scale);
  picture.outcome = std::make_shared<PictureExport::Outcome>();
  picture.outcome->file = picture.file;
  desk.bench.submit_background(
      "export picture",
      [request, file, study = variant.study, outcome = picture.outcome](const std::stop_token&) {
        Status written = export_view(request, file);
        const std::lock_guard lock(outcome->mutex);
        outcome->status = std::move(written);
      });
}

void draw_picture_export(Desk& desk) {
  if (!desk.picture_export.open) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({desk.px(620), desk.px(282)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(ColourRole::kRaised, desk.theme()));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, desk.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(desk.px(24), desk.px(20)));
  if (ImGui::Begin("export picture", &desk.picture_export.open,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove)) {
    draw_contents(desk);
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

namespace {

// What a command can say of this variant: a kernel of the catalogue as it ships.
bool can_be_named(const Variant& variant) {
  return variant.entry != nullptr && !variant.is_edited() && variant.study != nullptr &&
         variant.study->traced();
}

// The compared variants but the first; empty where no command can say what is compared.
std::string beside_words(const Desk& desk) {
  const auto& set = desk.compare.set();
  const ViewSettings& settings = desk.view_settings;
  if (set == nullptr || settings.compare_mode == CompareMode::kOne || settings.compare_part != 0 ||
      !settings.compare_ladder || !settings.steps_off.empty()) {
    return {};
  }
  std::string words;
  const std::vector<Variant>& variants = desk.bench.variants();
  for (const Variant& variant : variants) {
    if (!can_be_named(variant)) return {};
    if (&variant == &variants.front()) continue;
    words += " --beside " + variant.study->instance.id;
    for (const auto& [name, value] : variant.study->instance.parameters) {
      words += "," + name + "=" + std::to_string(value);
    }
  }
  words += " --subject " + letter_of(set->active) + " --against " +
           letter_of(static_cast<std::size_t>(std::max(settings.compare_base, 0)));
  if (settings.compare_view >= 0) {
    words += " --panes " + std::string(name_of(static_cast<View>(settings.compare_view)));
  }
  return words + (settings.compare_mode == CompareMode::kOverlay ? " --overlay" : "");
}

}  // namespace

std::string export_command(const Desk& desk) {
  const Variant& variant = desk.bench.active();
  if (!can_be_named(variant)) return {};
  const bool compares = desk.view == View::kCompare && desk.compare.set() != nullptr;
  const std::string beside = compares ? beside_words(desk) : std::string();
  if (compares && beside.empty()) return {};
  // The first one is the command's kernel, whichever is active.
  const KernelStudy& study = *(compares ? desk.bench.variants().front() : variant).study;
  std::string command = "tilescope export " + study.instance.id;
  for (const auto& [name, value] : study.instance.parameters) {
    command += " -p " + name + "=" + std::to_string(value);
  }
  command += " --size " + size_text(study.instance.extents);
  const Dim3& block = study.trace->block;
  command += beside + " --view " + std::string(name_of(desk.view)) + " --block-index " +
             std::to_string(block.x) + "," + std::to_string(block.y) + "," +
             std::to_string(block.z) + " --warp " + std::to_string(variant.selection.warp) +
             " --lane " + std::to_string(variant.selection.lane) + " --moment " +
             std::to_string(variant.selection.event) + " --line " +
             std::to_string(variant.selection.line);
  if (study.counters && study.counters->whole_grid) command += " --whole-grid";
  if (desk.view_settings.heat) command += " --heat";
  const PictureExport& picture = desk.picture_export;
  command += " --theme " + std::string(name_of(picture.theme));
  const bool is_png = std::filesystem::path(picture.file).extension() == ".png";
  const int scale = is_png ? picture.scale : 1;
  command += " --pixels " + std::to_string(kWidth * scale) + "x" + std::to_string(kHeight * scale);
  return command + " -o " + quoted(picture.file);
}

}  // namespace tilescope
