#pragma once
#include <string>
#include <vector>

#include "scene/drawing/canvas.h"

namespace tilescope {

// Every text that a frame drew and where: a test looks through it for words that are cut or that
// lie on one another. Filled only when a test hangs one on the desk.
struct TextAudit {
  struct Text {
    std::string words;
    Rect screen;       // of the letters, px
    bool cut = false;  // its clip rectangle lets only a part of it through
  };
  std::vector<Text> texts;
};

}  // namespace tilescope
