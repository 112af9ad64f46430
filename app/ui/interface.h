#pragma once
#include <memory>
#include <string>

#include "core/result.h"
#include "ui/state/layout.h"
#include "ui/state/window_state.h"

struct ImDrawData;

namespace tilescope {

struct InterfaceOptions {
  bool remember = false;  // read and keep preferences and the layout in data_directory()
  std::optional<Theme> theme = std::nullopt;
  std::optional<View> view = std::nullopt;
  bool lecture = false;
  bool keep = false;     // the document outlives a crash and the end (ui/state/session.h)
  bool recover = false;  // begin with what was left
  bool greet = false;    // a first start shows its three doors
  // What is recorded and shipped; nullptr: is read. Of the workbench's catalogue.
  std::shared_ptr<const RecordedLibrary> recorded = nullptr;
  float scale = 1;  // of the display; the user's text size comes on top
};

// The whole interface over one workbench: everything between ImGui::NewFrame() and ImGui::Render().
// The same on both platforms and under test. UI thread; needs ImGui and OpenGL.
class Interface {
 public:
  // Makes the ImGui context; do so before opening a platform.
  class Contexts {
   public:
    Contexts();
    ~Contexts();
    Contexts(const Contexts&) = delete;
    Contexts& operator=(const Contexts&) = delete;
  };

  [[nodiscard]] static Result<std::unique_ptr<Interface>> create(Workbench& workbench,
                                                                 const InterfaceOptions& options);
  ~Interface();
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  // Before ImGui::NewFrame(): fonts and style at the present scale, the layout that fits.
  void prepare_frame();
  void frame();

  // Opens a session. On an error what stands is kept.
  Status open_session(const std::string& file);
  // Of the window: "lesson.tilescope * – Tilescope".
  [[nodiscard]] std::string title() const;
  // When a frame is wanted without any input, on Workbench::now_seconds()'s clock; nullopt: never.
  [[nodiscard]] std::optional<double> due_seconds() const;
  // True while something moves: another frame is wanted without any input.
  [[nodiscard]] bool animating() const;
  [[nodiscard]] WindowState& state();
  void open_dropped(const std::string& path);
  // The speaker's page of the frame that was made last, while it is wanted; else nullptr.
  [[nodiscard]] ImDrawData* presenter_page();

 private:
  struct Parts;
  explicit Interface(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace tilescope
