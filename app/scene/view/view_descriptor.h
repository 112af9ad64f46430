#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "emulator/warp_access.h"
#include "scene/view/drawn_numbers.h"
#include "scene/view/empty_view.h"
#include "scene/view/view.h"

namespace tilescope {

// What a view or page is drawn from beside the traced study (session/view_queries.h).
struct ViewNeeds {
  bool registers = false;  // of a thread, and with them the blocks per SM
  bool issued = false;     // counts of the machine code: the view speaks of time, so of one GPU
  bool pipeline = false;   // the modelled course of each warp
  bool times = false;      // known times of the kernel
  bool family = false;     // those of its family, and what each of its kernels moves
  bool layouts = false;    // the same kernel with other paddings and swizzles
  bool stages = false;     // the same kernel with other numbers of stages
  bool phases = false;     // where the warps of the block were on a GPU
  bool variants = false;   // two variants or more
  bool hardware = false;   // what the hardware counts in the launch
  friend bool operator==(const ViewNeeds&, const ViewNeeds&) = default;
};

// A value that a click in the view, or `export --set`, changes. Its default is ViewSettings{}'s.
struct ViewSetting {
  std::string_view name;
  std::int64_t least = 0;
  std::int64_t most = 1;
  std::int64_t (*get)(const ViewSettings& settings) = nullptr;
  void (*set)(ViewSettings& settings, std::int64_t value) = nullptr;
  std::string_view option = "--set";  // of `tilescope export`
};
// One that is a member of ViewSettings: a flag, a number or an enumerator.
template <auto kMember>
[[nodiscard]] constexpr ViewSetting view_setting(std::string_view name, std::int64_t least = 0,
                                                 std::int64_t most = 1,
                                                 std::string_view option = "--set") {
  return {
      .name = name,
      .least = least,
      .most = most,
      .get =
          [](const ViewSettings& settings) { return static_cast<std::int64_t>(settings.*kMember); },
      .set =
          [](ViewSettings& settings, std::int64_t value) {
            using Value = std::remove_reference_t<decltype(settings.*kMember)>;
            settings.*kMember = static_cast<Value>(value);
          },
      .option = option};
}

// A part of a view that makes a picture alone, as `export --part` does.
struct ViewPart {
  std::string_view name;   // "grid"
  std::string_view words;  // "what each bank delivers in each wavefront"
  FigureSize least;        // what it needs, px at a text scale of 1
  void (*draw)(Canvas& canvas, const Rect& area, const ViewContext& context) = nullptr;
};

// What the wheel and the keys + - 0 zoom.
enum class ViewZoom : std::uint8_t { kNone, kMatrices, kTime };

// All that differs from view to view. NAME_view() makes one; view and name are those of its row in
// scene/view/views.inc.
struct ViewDescriptor {
  View view{};
  std::string_view name = {};  // "tiling": of commands and files
  std::string_view title;      // "Tiling": of its tab
  std::string_view purpose;    // one sentence for its tab
  FigureSize least;            // what it needs to be laid out right, its margins included
  ViewNeeds needs = {};
  ViewZoom zoom = ViewZoom::kNone;
  std::optional<MemorySpace> accesses = {};  // it looks at the warp's accesses of this space
  bool in_panes = false;                     // compare offers it for its panes
  std::span<const ViewSetting> settings = {};
  // Where to look while nobody has chosen; absent: at the middle of the block's time.
  void (*select)(const KernelStudy& study, const PreparedStudy& prepared,
                 Selection& selection) = nullptr;
  Sentence (*sentence)(const ViewContext& context) = nullptr;
  // `area` is all there is, `inside` what its margins leave.
  void (*draw)(Canvas& canvas, const Rect& area, const Rect& inside,
               const ViewContext& context) = nullptr;
  void (*add_numbers)(NumberList& list, const ViewContext& context) = nullptr;
  std::span<const ViewPart> parts = {};

  // nullptr: it has none of this name.
  [[nodiscard]] const ViewSetting* setting(std::string_view its_name) const {
    for (const ViewSetting& each : settings) {
      if (each.name == its_name) return &each;
    }
    return nullptr;
  }
  [[nodiscard]] const ViewPart* part(std::string_view its_name) const {  // likewise
    for (const ViewPart& each : parts) {
      if (each.name == its_name) return &each;
    }
    return nullptr;
  }
};

// ViewDescriptor::draw of a view that draws inside the margins.
template <void (*kDraw)(Canvas&, const Rect&, const ViewContext&)>
void draw_inside(Canvas& canvas, const Rect& /*area*/, const Rect& inside,
                 const ViewContext& context) {
  kDraw(canvas, inside, context);
}

}  // namespace tilescope
