#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ui/panel.h"
#include "ui/sheet.h"
#include "ui/source_editor.h"

namespace tilescope {
namespace {

constexpr float kHeader = 40;
constexpr float kHeatWidth = 92;

bool tab(Sheet& sheet, const char* words, float* x, bool on) {
  const TextStyle style = styled(12, on ? ColourRole::kStrong : ColourRole::kText,
                                 on ? Weight::kSemibold : Weight::kMedium);
  const float width = sheet.canvas().text_width(words, style) + 18;
  const Rect rect{*x, kHeader / 2 - 11, width, 22};
  const Touch touch = sheet.control(words, rect);
  if (on || touch.hovered) {
    sheet.canvas().fill_rect(rect, on ? ColourRole::kHover : ColourRole::kRaised, 6);
  }
  sheet.text(rect.center().x, rect.center().y, words,
             styled(12, style.paint, style.weight, Align::kCenter));
  *x += width + 4;
  return touch.clicked;
}

}  // namespace

void draw_source_panel(Desk& desk) {
  Sheet sheet(desk);
  Variant& variant = desk.bench.active();
  const KernelStudy* study = variant.study.get();
  const std::string* cuda = variant.entry != nullptr ? &variant.entry->source
                            : variant.file           ? &variant.file->source
                                                     : nullptr;
  if (cuda == nullptr) {
    sheet.text(16, 24, "Choose a kernel to read its source.", styled(13, ColourRole::kDim));
    return;
  }
  std::string file = variant.entry != nullptr ? variant.entry->source_file.filename().string()
                                              : variant.file->file_name;
  file = file.substr(file.find_last_of('/') + 1);
  const bool ptx_known = study != nullptr && study->compiled != nullptr;
  float x = sheet.width() * 0.37F;
  sheet.fitted(16, x - 8, kHeader / 2, file, styled(13, ColourRole::kStrong, Weight::kSemibold));
  if (tab(sheet, "CUDA", &x, desk.source_tab == SourceLanguage::kCuda))
    desk.source_tab = SourceLanguage::kCuda;
  if (ptx_known && tab(sheet, "PTX", &x, desk.source_tab == SourceLanguage::kPtx)) {
    desk.source_tab = SourceLanguage::kPtx;
  }
  const bool machine_known = study != nullptr && study->issued != nullptr;
  if (machine_known && tab(sheet, "SASS", &x, desk.source_tab == SourceLanguage::kMachine)) {
    desk.source_tab = SourceLanguage::kMachine;
  }
  const char* heading = "sectors + wavefronts";
  const TextStyle heading_text = styled(11, ColourRole::kDim, Weight::kRegular, Align::kRight);
  if (study != nullptr && study->counters && sheet.width() - x > 130) {
    sheet.text(sheet.width() - 14, kHeader / 2, heading, heading_text);
    sheet.mark({sheet.width() - 24 - sheet.canvas().text_width(heading, heading_text), kHeader / 2},
               Source::kEmulated, ColourRole::kFaint);
  }

  SourceView view;
  if (desk.source_tab == SourceLanguage::kPtx && ptx_known) view.language = SourceLanguage::kPtx;
  if (desk.source_tab == SourceLanguage::kMachine && machine_known) {
    view.language = SourceLanguage::kMachine;
  }
  const bool is_cuda = view.language == SourceLanguage::kCuda;
  view.text = is_cuda                                 ? cuda
              : view.language == SourceLanguage::kPtx ? &study->compiled->ptx
                                                      : &study->issued->machine_code();
  view.heat_width = kHeatWidth;
  view.parameters = is_cuda ? &desk.legal.names : nullptr;
  if (study != nullptr && study->traced() && !study->trace->events.empty()) {
    const auto event =
        std::min<std::size_t>(variant.selection.event, study->trace->events.size() - 1);
    const StaticInstruction& now =
        study->program->instructions()[study->trace->events[event].instruction];
    if (view.language != SourceLanguage::kMachine) {
      view.executing_line = is_cuda ? now.outermost.line : now.ptx_line;
    }
  }
  if (is_cuda) view.chosen_line = variant.selection.line;
  if (study != nullptr && study->counters) {
    view.heat = is_cuda                                 ? &desk.digest.cuda_heat
                : view.language == SourceLanguage::kPtx ? &desk.digest.ptx_heat
                                                        : &desk.digest.machine_heat;
  }

  const Point corner = sheet.screen({0, kHeader});
  ImGui::SetCursorScreenPos({corner.x, corner.y});
  const std::uint32_t clicked = desk.editor.draw(view, desk.fonts, desk.theme(), desk.scale);
  if (clicked != 0 && is_cuda) {
    variant.selection.line = variant.selection.line == clicked ? 0 : clicked;
  }
}

}  // namespace tilescope
