#pragma once

#include <memory>
#include <optional>

struct ImDrawData;

namespace tilescope {

struct WindowState;

// What the speaker alone sees, on a second screen: the scene, or the step of a lesson, that is
// shown and the next one, small, the notes, and how long the lecture has gone on; of a lesson, how
// long the page has been shown. As large as the window.
class PresenterPage {
 public:
  PresenterPage();
  ~PresenterPage();
  PresenterPage(const PresenterPage&) = delete;
  PresenterPage& operator=(const PresenterPage&) = delete;

  // In a frame, behind its panels.
  void draw(WindowState& state);
  // Nothing to show: data() is nullptr from now on.
  void clear();
  // When its clock shows another second, in the clock of `now`; nullopt: nothing is shown.
  [[nodiscard]] std::optional<double> due_seconds(double now) const;
  // Of the last draw(), until the next; nullptr: there is nothing.
  [[nodiscard]] ImDrawData* data();

 private:
  struct Lists;
  std::unique_ptr<Lists> lists_;
  bool drawn_ = false;
  double began_ = -1;  // WindowState::now of the first draw(); negative: not yet
};

}  // namespace tilescope
