#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/word_search.h"

namespace tilescope {

struct WindowState;

// What the palette offers: its name as it is called now, its keys, "" for none.
struct PaletteRow {
  std::string name;
  std::string keys;
  std::function<void()> act;
  SearchedText searched;  // what it is found by
};

// Every command in the table's order, but for those that would do nothing, then recent files, then
// the terms of the glossary.
[[nodiscard]] std::vector<PaletteRow> palette_rows(WindowState& state);
// The rows that match all words (core/word_search.h), the best first. Where none does, those whose
// names have the letters of `words` in their order, the nearest first. Rows that are equally near,
// and all without words, are in the order of `rows`.
[[nodiscard]] std::vector<std::size_t> rows_found(const std::vector<PaletteRow>& rows,
                                                  std::string_view words);

// Ctrl+Shift+P: every kernel, view, panel, command and term by a few words.
class CommandPalette {
 public:
  void draw(WindowState& state);

 private:
  void draw_rows(WindowState& state, const std::vector<std::size_t>& found, float width);
  void run(std::size_t row);

  bool open_ = false;
  bool opened_now_ = false;
  std::array<char, 128> words_{};
  std::vector<PaletteRow> rows_;
  std::size_t chosen_ = 0;  // of those found
};

}  // namespace tilescope
