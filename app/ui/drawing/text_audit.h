#pragma once
#include <string>
#include <vector>

#include "scene/drawing/canvas.h"

namespace tilescope {

// Every text that a frame drew and where, and its controls: a test looks through them for words
// that are cut or that lie on one another, and for controls that explain nothing. Filled only when
// a test hangs one on the desk.
struct TextAudit {
  struct Text {
    std::string words;
    Rect screen;       // of the letters, px
    bool cut = false;  // its clip rectangle lets only a part of it through
  };
  std::vector<Text> texts;
  // Every control, and whether it says what it does.
  struct Control {
    std::string id;
    Rect screen;  // px
    bool explained = false;
  };
  std::vector<Control> controls;
};

}  // namespace tilescope
