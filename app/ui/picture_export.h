#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "scene/palette.h"
#include "scene/view.h"

namespace tilescope {

struct Desk;

// Ctrl+E: the view in front as a file.
struct PictureExport {
  bool open = false;
  std::string file;  // as typed; its ending chooses the format
  Theme theme = Theme::kLight;
  int scale = 1;  // PNG: 1 to 4 device pixels in a px

  // Of the last one that was asked for, shared with the job that writes it.
  struct Outcome;
  std::shared_ptr<Outcome> outcome;
};

// Opens the dialog with a name in the person's home folder that no file has.
void open_picture_export(Desk& desk);
// Writes the view in front to `desk.picture_export.file` on a job; the dialog says how it went.
void export_picture(Desk& desk);
void draw_picture_export(Desk& desk);

// The command that writes the same file, byte for byte: `tilescope export …`. Empty for a kernel of
// one's own, whose text may stand in no file, and while nothing is traced.
[[nodiscard]] std::string export_command(const Desk& desk);

}  // namespace tilescope
