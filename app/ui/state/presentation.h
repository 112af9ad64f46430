#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scene/drawing/canvas.h"
#include "session/scene.h"
#include "ui/state/scene_motion.h"

namespace tilescope {

struct WindowState;

// The scenes of the session: their list, and presenting them, one after the other. While they are
// presented, what the person had is put aside (Session::hold()). UI thread.
class Presentation {
 public:
  // --- the list
  [[nodiscard]] const Scenes& scenes() const;
  [[nodiscard]] const SharedScenes& shared() const { return scenes_; }
  void take(SharedScenes scenes);  // a document's
  // The row that is selected; 0 where there is none.
  [[nodiscard]] std::size_t chosen() const { return chosen_; }
  void choose(std::size_t index);
  // What is on screen, behind the selected scene; selects it.
  void add(WindowState& state);
  // One for each kernel of the active one's family that can be launched at its size, in the view in
  // front, where that shows most; behind the selected scene, the first of them is selected.
  void add_family(WindowState& state);
  // The selected scene becomes what is on screen, with its name and note.
  void replace(const WindowState& state);
  void rename(std::string name);
  void set_note(std::string note);
  void move(int by);  // up by -1
  void remove();
  // Selects it and brings it on screen, as any change of the document.
  void show(WindowState& state, std::size_t index);

  // --- presenting
  [[nodiscard]] bool presents() const { return began_.has_value(); }
  // From the selected scene on. Precondition: there are scenes.
  void begin(WindowState& state);
  void go_to(WindowState& state, std::size_t index);
  void turn(WindowState& state, int by);  // stops at the first and the last
  // Gives the person's own state back.
  void leave(WindowState& state);
  // What is shown becomes the person's own; undo gives back what was.
  void stay(WindowState& state);
  // Without either: another document takes the window.
  void drop();
  [[nodiscard]] double seconds(const WindowState& state) const;  // since it began
  // When its clock shows another second; nullopt: it does not present.
  [[nodiscard]] std::optional<double> due_seconds(double now) const;
  [[nodiscard]] const NamedScene& present() const { return scenes()[chosen_]; }
  [[nodiscard]] const NamedScene* next() const;  // nullptr: this is the last
  // Once a frame.
  void update(WindowState& state) { motion_.update(state); }

 private:
  [[nodiscard]] Scenes copy() const { return scenes(); }
  void put(Scenes scenes);
  // Behind the selected scene, unless there would be too many; selects the first of them.
  void insert(WindowState& state, Scenes added);
  void look_ahead(WindowState& state) const;
  void end(WindowState& state);

  SharedScenes scenes_;  // nullptr: none
  std::size_t chosen_ = 0;
  SceneMotion motion_;
  std::optional<double> began_;  // WindowState::now
  bool was_lecture_ = false;     // WindowState::lecture before
  Scene own_;                    // of the person, while it presents
};

// What a lecturer draws and hides over the window; nothing of it is kept.
struct LectureAids {
  bool blank = false;
  bool spotlight = false;  // all but what is around the pointer is dimmed
  bool pen = false;        // dragging draws
  // Each is one movement of the pen, in shares of the window's width and height.
  std::vector<std::vector<Point>> strokes;
  bool drawing = false;  // the last stroke goes on

  // Over the view in lecture mode, one at a time.
  enum class Overlay : std::uint8_t { kNone, kKernels, kCharts };
  Overlay overlay = Overlay::kNone;

  [[nodiscard]] bool covers() const {
    return blank || spotlight || pen || !strokes.empty() || overlay != Overlay::kNone;
  }
};

}  // namespace tilescope
