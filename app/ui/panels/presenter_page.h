#pragma once

#include <memory>

struct ImDrawData;

namespace tilescope {

struct WindowState;

// What the speaker alone sees, on a second screen: the scene that is shown and the next one, small,
// the note, and how long the lecture has gone on. As large as the window.
class PresenterPage {
 public:
  PresenterPage();
  ~PresenterPage();
  PresenterPage(const PresenterPage&) = delete;
  PresenterPage& operator=(const PresenterPage&) = delete;

  // In a frame, behind its panels.
  void draw(WindowState& state);
  // Nothing to show: data() is nullptr from now on.
  void clear() { drawn_ = false; }
  // Of the last draw(), until the next; nullptr: there is nothing.
  [[nodiscard]] ImDrawData* data();

 private:
  struct Lists;
  std::unique_ptr<Lists> lists_;
  bool drawn_ = false;
};

}  // namespace tilescope
