#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scene/palette.h"
#include "ui/study_digest.h"

namespace tilescope {

class Fonts;
enum class SourceLanguage : std::uint8_t { kCuda, kPtx, kMachine };

struct SourceView {
  const std::string* text = nullptr;  // must stay as it is while the editor shows it
  SourceLanguage language{};
  const std::vector<std::string>* parameters =
      nullptr;                       // macros to be told apart; nullptr: as before
  std::uint32_t executing_line = 0;  // 1-based; 0: none
  std::uint32_t chosen_line = 0;
  const std::vector<LineHeat>* heat = nullptr;  // by line - 1; may be shorter
  float heat_width = 0;                         // units
};

// Read-only text with syntax colours, line numbers and a heat column, over ImGuiColorTextEdit.
class SourceEditor {
 public:
  SourceEditor();
  ~SourceEditor();
  SourceEditor(const SourceEditor&) = delete;
  SourceEditor& operator=(const SourceEditor&) = delete;

  // Fills the rest of the window. Returns the line that was clicked, 0: none.
  std::uint32_t draw(const SourceView& view, const Fonts& fonts, Theme theme, float scale);
  void forget_colours();  // the theme changed

 private:
  struct Page;
  std::unique_ptr<Page> cuda_;
  std::unique_ptr<Page> ptx_;
  std::unique_ptr<Page> machine_;
};

}  // namespace tilescope
