#pragma once

#include "ui/platform/platform.h"

struct ImDrawData;

namespace tilescope {

// A picture beside the window's own, drawn into a texture of OpenGL; contexts that share with the
// one that made it can show it. That one must be current whenever this is called.
class SecondPicture {
 public:
  SecondPicture() = default;
  ~SecondPicture();
  SecondPicture(const SecondPicture&) = delete;
  SecondPicture& operator=(const SecondPicture&) = delete;

  void draw(ImDrawData* page);
  [[nodiscard]] unsigned texture() const { return texture_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] Screenshot read() const;  // precondition: it was drawn

 private:
  unsigned framebuffer_ = 0;
  unsigned texture_ = 0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace tilescope
