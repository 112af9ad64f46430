#include "ui/chord_order.h"

namespace tilescope {
namespace {

bool is_modifier(ImGuiKey key) {
  return (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper) || (key & ImGuiMod_Mask_) != 0;
}

// The first event that has to wait; the queue's size: none.
int end_of_chord(const ImVector<ImGuiInputEvent>& queue) {
  bool pressed = false;
  for (int i = 0; i < queue.Size; ++i) {
    if (queue[i].Type != ImGuiInputEventType_Key) continue;
    const ImGuiInputEventKey& key = queue[i].Key;
    if (is_modifier(key.Key)) {
      if (pressed && !key.Down) return i;
    } else {
      pressed |= key.Down;
    }
  }
  return queue.Size;
}

}  // namespace

ChordOrder::ChordOrder() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  const int end = end_of_chord(queue);
  later_.assign(queue.begin() + end, queue.end());
  queue.resize(end);
}

ChordOrder::~ChordOrder() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  for (const ImGuiInputEvent& event : later_) queue.push_back(event);
}

}  // namespace tilescope
