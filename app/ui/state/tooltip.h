#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scene/drawing/canvas.h"

namespace tilescope {

[[nodiscard]] bool same_place(const Rect& a, const Rect& b);

// The one tip of the window. Whatever is drawn offers its words; at the end of the frame one offer
// is shown, inside the window: that of what the pointer is on, else that of what the keys reached.
// A click or a key press silences the pointer's tip until the pointer leaves what it is on, for the
// tip would cover what the person works on. Places are pixels of the screen. UI thread.
class Tooltip {
 public:
  void begin_frame();  // before anything is drawn

  // The pointer is on `place`. The last offer of a frame counts. `more` is written pale below.
  void offer(std::string_view words, const Rect& place, std::string_view more = {});
  // The same of Dear ImGui's last item, once the pointer rests on it.
  void offer_for_item(std::string_view words);
  // Tab or arrow keys went to `place`. Nothing is shown where another key or a click came since,
  // such as the Escape that closed a dialog and gave the focus back.
  void offer_to_keys(std::string_view words, const Rect& place);

  void show(float scale);  // after everything is drawn; pixels per unit

 private:
  struct Offer {
    std::string words;
    std::string more;
    Rect place;
  };
  [[nodiscard]] bool is_silent(const Offer& pointed);

  std::optional<Offer> pointed_;
  std::optional<Offer> keyed_;
  bool keys_lead_ = true;  // the last press was one that moves the focus
  std::optional<Point> pressed_at_;
  std::optional<Rect> silent_;
};

}  // namespace tilescope
