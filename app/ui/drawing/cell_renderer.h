#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"

struct ImDrawCmd;
struct ImDrawList;

namespace tilescope {

// Owns one OpenGL program; the context that made it must be current when it dies.
class ShaderProgram {
 public:
  // Compiles shaders/<name>.vert.glsl and <name>.frag.glsl. Errors carry the file and the driver's
  // words.
  [[nodiscard]] static Result<ShaderProgram> load(const std::string& name);
  ~ShaderProgram();
  ShaderProgram(ShaderProgram&& other) noexcept;
  ShaderProgram& operator=(ShaderProgram&& other) noexcept;

  [[nodiscard]] unsigned id() const { return id_; }
  [[nodiscard]] int uniform(const char* name) const;

 private:
  explicit ShaderProgram(unsigned id) : id_(id) {}
  unsigned id_ = 0;
};

// Owns one OpenGL texture.
class Texture {
 public:
  Texture();
  ~Texture();
  Texture(Texture&& other) noexcept;
  Texture& operator=(Texture&& other) noexcept;
  [[nodiscard]] unsigned id() const { return id_; }

 private:
  unsigned id_ = 0;
};

// Draws matrices of cells with OpenGL inside an ImDrawList. The heat of a grid is uploaded once, in
// tiles of 1024 x 1024 and a few of them a frame, so that a 4096 x 4096 grid neither stalls a frame
// nor needs a large texture; what is not there yet is drawn untouched. UI thread.
class CellRenderer {
 public:
  [[nodiscard]] static Result<CellRenderer> create();
  ~CellRenderer();
  CellRenderer(CellRenderer&&) noexcept;
  CellRenderer& operator=(CellRenderer&&) noexcept;

  // At frame start, with the size of the screen. Forgets grids that nobody holds any more.
  void begin_frame(float display_width, float display_height, float framebuffer_scale);
  // True while a grid that was drawn waits to be uploaded: another frame is wanted.
  [[nodiscard]] bool uploading() const;

  // `rect`: px of the screen. What is drawn appears when the list is rendered in this frame.
  void draw(ImDrawList* list, const Rect& rect, const CellGrid& grid, const CellWindow& window,
            Theme theme, float opacity);

 private:
  struct State;
  struct Job;
  explicit CellRenderer(std::unique_ptr<State> state);
  static void execute(const ImDrawList* list, const ImDrawCmd* command);
  std::unique_ptr<State> state_;
};

}  // namespace tilescope
