#pragma once
#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

namespace tilescope {

// Where frames are slow, a key and the end of its chord come in one: Ctrl would be up again when
// somebody looks at O. So what follows a pressed key in Dear ImGui's queue, from the first modifier
// on that is let go, waits for the next frame. Lives while ImGui::NewFrame() takes the queue.
class ChordOrder {
 public:
  ChordOrder();
  ~ChordOrder();
  ChordOrder(const ChordOrder&) = delete;
  ChordOrder& operator=(const ChordOrder&) = delete;

 private:
  std::vector<ImGuiInputEvent> later_;
};

}  // namespace tilescope
