#pragma once
#include <memory>

namespace tilescope {

struct Desk;

// Ctrl+Shift+P: every kernel, view, panel and command by a few letters of its name.
class CommandPalette {
 public:
  CommandPalette();
  ~CommandPalette();
  CommandPalette(const CommandPalette&) = delete;
  CommandPalette& operator=(const CommandPalette&) = delete;

  void draw(Desk& desk);

 private:
  void fill(Desk& desk);
  bool open_ = false;
};

// F1: the keys, and what the four marks mean.
void draw_help(Desk& desk);

}  // namespace tilescope
