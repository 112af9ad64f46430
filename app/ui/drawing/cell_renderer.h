#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "scene/drawing/canvas.h"
#include "scene/drawing/palette.h"
#include "ui/drawing/gl_objects.h"

struct ImDrawCmd;
struct ImDrawList;

namespace tilescope {

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
