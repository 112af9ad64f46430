#include "ui/panels/source_texts.h"

#include <algorithm>

#include "ui/desk/desk.h"

namespace tilescope {
namespace {

constexpr float kHeatWidth = 72;     // units
constexpr float kLeastColumn = 400;  // units of a text beside another one: some 40 letters and bars

const StaticInstruction* executing(const Variant& variant) {
  const KernelStudy* study = variant.study.get();
  if (study == nullptr || !study->traced() || study->trace->events.empty()) return nullptr;
  const auto event =
      std::min<std::size_t>(variant.selection.event, study->trace->events.size() - 1);
  return &study->program->instructions()[study->trace->events[event].instruction];
}

void show_source(SourceView& view, const Desk& desk, const Variant& variant) {
  const bool is_cuda = view.language == SourceLanguage::kCuda;
  view.text = &variant.shown_source();
  view.parameters = is_cuda ? &desk.legal.names : nullptr;
  view.lines = &desk.marks.lines;
  view.marks = &desk.marks.source;
  view.heat = &desk.digest.source_heat;
  view.editable = desk.editing;
  if (const StaticInstruction* now = executing(variant)) {
    view.executing_line = now->outermost.line;
  }
}

void show_made_of_it(SourceView& view, const Desk& desk, const Variant& variant) {
  const bool is_ptx = view.language == SourceLanguage::kPtx;
  const KernelStudy& study = *variant.study;
  view.text = is_ptx ? &study.compiled->ptx : &study.issued->machine_code();
  view.marks = is_ptx ? &desk.marks.ptx : nullptr;
  view.heat = is_ptx ? &desk.digest.ptx_heat : &desk.digest.machine_heat;
  view.origins = is_ptx ? &desk.digest.ptx_origin : &desk.digest.machine_origin;
  const StaticInstruction* now = executing(variant);
  if (now != nullptr && is_ptx) view.executing_line = now->ptx_line;
  if (now != nullptr && view.chosen_line == 0) view.chosen_line = now->outermost.line;
}

}  // namespace

std::vector<SourceText> source_texts(const Variant& variant) {
  const KernelStudy* study = variant.study.get();
  std::vector<SourceText> texts{{source_language(variant), true}};
  const bool is_ptx = texts.front().language == SourceLanguage::kPtx;
  if (!is_ptx && study != nullptr && study->compiled != nullptr) {
    texts.push_back({SourceLanguage::kPtx, false});
  }
  if (study != nullptr && study->issued != nullptr) {
    texts.push_back({SourceLanguage::kMachine, false});
  }
  return texts;
}

std::vector<SourceText> shown_texts(const Desk& desk, const Variant& variant, float width) {
  std::vector<SourceText> texts = source_texts(variant);
  auto front = std::ranges::find(texts, desk.source_tab, &SourceText::language);
  if (front == texts.end()) front = texts.begin();
  const std::size_t room =
      desk.source_beside ? std::max<std::size_t>(1, static_cast<std::size_t>(width / kLeastColumn))
                         : 1;
  if (room >= texts.size()) return texts;
  if (room == 1) return {*front};
  return {texts.front(), front != texts.begin() ? *front : texts[1]};
}

SourceView source_view(const Desk& desk, const Variant& variant, const SourceText& text) {
  SourceView view;
  view.language = text.language;
  view.heat_width = kHeatWidth;
  view.marks_version = desk.marks.version;
  view.hovered_line = desk.editing ? 0 : desk.hovered_line;
  view.chosen_line = variant.selection.line;
  if (text.is_source) {
    show_source(view, desk, variant);
  } else {
    show_made_of_it(view, desk, variant);
  }
  return view;
}

std::uint32_t studied_line(const SourceView& view, std::uint32_t line) {
  if (view.origins == nullptr) return view.lines->before(line);
  return line <= view.origins->size() ? (*view.origins)[line - 1] : 0;
}

}  // namespace tilescope
