#include "ui/state/layout.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/number_text.h"
#include "scene/views.h"
#include "ui/state/chart_data.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

// Heights of the charts, units.
constexpr float kWideRow = 308;
constexpr float kCompactRow = 176;

// Of a lesson, units.
constexpr float kWideColumn = 470;
constexpr float kColumn = 384;
constexpr float kLessonFoot = 62;
constexpr float kLectureFoot = 58;
constexpr float kLessonBand = 124;
// Of a lecture, units.
constexpr float kLectureTime = 72;
constexpr float kSceneBand = 52;
constexpr float kSceneStrip = 52;

using Nodes = std::map<Region, ImGuiID>;

// Cuts `units` off `node` on one side and returns the part cut off.
ImGuiID cut(ImGuiID* node, ImGuiDir side, float units, float of_units) {
  ImGuiID rest = 0;
  const ImGuiID part = ImGui::DockBuilderSplitNode(
      *node, side, std::clamp(units / of_units, 0.05F, 0.9F), nullptr, &rest);
  *node = rest;
  return part;
}

struct Extent {
  float width = 0;  // units
  float height = 0;
};

void cut_left_column(Nodes* nodes, ImGuiID left, float height) {
  ImGuiID rest = left;
  (*nodes)[Region::kLadder] = cut(&rest, ImGuiDir_Up, 280, height);
  (*nodes)[Region::kParameters] = cut(&rest, ImGuiDir_Up, 320, height - 280);
  (*nodes)[Region::kCosts] = rest;
}

Nodes wide_nodes(ImGuiID root, Extent size) {
  Nodes nodes;
  ImGuiID rest = root;
  cut_left_column(&nodes, cut(&rest, ImGuiDir_Left, 300, size.width), size.height);
  const float width = size.width - 300;
  ImGuiID bottom = cut(&rest, ImGuiDir_Down, kWideRow, size.height);
  nodes[Region::kResult] = cut(&bottom, ImGuiDir_Right, 444, width);
  nodes[Region::kThroughput] = bottom;
  const float height = size.height - kWideRow;
  ImGuiID right = cut(&rest, ImGuiDir_Right, 444, width);
  nodes[Region::kCounters] = cut(&right, ImGuiDir_Down, 236, height);
  nodes[Region::kSource] = right;
  nodes[Region::kTransport] = cut(&rest, ImGuiDir_Down, 68, height);
  nodes[Region::kCentre] = rest;
  return nodes;
}

// What stands beside the middle, units.
struct Sides {
  float left = 0;
  float bottom = 0;
  float result = 0;  // of the bottom
};
constexpr Sides kWideSides{300, kWideRow, 444};
constexpr Sides kCompactSides{240, kCompactRow, 340};

// Views, source and counters are tabs of one place.
Nodes tabbed_nodes(ImGuiID root, Extent size, const Sides& sides) {
  Nodes nodes;
  ImGuiID rest = root;
  cut_left_column(&nodes, cut(&rest, ImGuiDir_Left, sides.left, size.width), size.height);
  ImGuiID bottom = cut(&rest, ImGuiDir_Down, sides.bottom, size.height);
  nodes[Region::kResult] = cut(&bottom, ImGuiDir_Right, sides.result, size.width - sides.left);
  nodes[Region::kThroughput] = bottom;
  nodes[Region::kTransport] = cut(&rest, ImGuiDir_Down, 68, size.height - sides.bottom);
  nodes[Region::kCentre] = rest;
  nodes[Region::kSource] = rest;
  nodes[Region::kCounters] = rest;
  return nodes;
}

Nodes lecture_nodes(ImGuiID root, Extent size) {
  Nodes nodes;
  ImGuiID rest = root;
  nodes[Region::kParameters] =
      cut(&rest, ImGuiDir_Left, std::clamp(0.2F * size.width, 264.0F, 360.0F), size.width);
  nodes[Region::kTransport] = cut(&rest, ImGuiDir_Down, kLectureTime, size.height);
  nodes[Region::kCentre] = rest;
  return nodes;
}

// The view over its time. The column of the text stands beside the dock space.
Nodes lesson_nodes(const WindowState& state, ImGuiID root, Extent size) {
  Nodes nodes;
  ImGuiID rest = root;
  nodes[Region::kTransport] =
      cut(&rest, ImGuiDir_Down, (state.lecture ? 1.3F : 1.0F) * 68, size.height);
  nodes[Region::kCentre] = rest;
  return nodes;
}

// The source beside the view, or below where there is no room for both.
Nodes exercise_nodes(ImGuiID root, Extent size) {
  constexpr float kRoomForBoth = 1100;
  constexpr float kTransport = 68;
  constexpr float kView = 370;  // tabs, two lines of a sentence, and the 240 that pictures need
  const float below =
      std::min(0.4F * size.height, std::max(150.0F, size.height - kTransport - kView));
  Nodes nodes;
  ImGuiID rest = root;
  const bool beside = size.width >= kRoomForBoth;
  nodes[Region::kSource] = beside ? cut(&rest, ImGuiDir_Right, 0.46F * size.width, size.width)
                                  : cut(&rest, ImGuiDir_Down, below, size.height);
  const float height = size.height - (beside ? 0 : below);
  nodes[Region::kTransport] = cut(&rest, ImGuiDir_Down, kTransport, height);
  nodes[Region::kCentre] = rest;
  return nodes;
}

ImGuiDockNode* node_of(const char* title) {
  const ImGuiWindow* window = ImGui::FindWindowByName(title);
  return window != nullptr ? window->DockNode : nullptr;
}

// True while the three stand one above the other, each alone, as the layout put them.
bool is_stack(const ImGuiDockNode* top, const ImGuiDockNode* middle, const ImGuiDockNode* bottom) {
  return top != nullptr && middle != nullptr && bottom != nullptr && top != middle &&
         middle != bottom && top->ParentNode != nullptr && middle->ParentNode != nullptr &&
         middle->ParentNode == bottom->ParentNode &&
         top->ParentNode == middle->ParentNode->ParentNode &&
         top->ParentNode->SplitAxis == ImGuiAxis_Y && middle->ParentNode->SplitAxis == ImGuiAxis_Y;
}

// Charts and result side by side below all views: the node of both; nullptr: they stand elsewhere.
ImGuiDockNode* bottom_row() {
  const ImGuiDockNode* charts = node_of("Throughput");
  const ImGuiDockNode* result = node_of("Result");
  if (charts == nullptr || result == nullptr || charts == result) return nullptr;
  ImGuiDockNode* row = charts->ParentNode;
  const bool beside = row != nullptr && row == result->ParentNode && row->SplitAxis == ImGuiAxis_X;
  const bool below = beside && row->ParentNode != nullptr &&
                     row->ParentNode->SplitAxis == ImGuiAxis_Y &&
                     row->ParentNode->ChildNodes[1] == row;
  return below ? row : nullptr;
}

}  // namespace

std::string_view name_of(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::kWide:
      return "wide";
    case LayoutKind::kCompact:
      return "compact";
    case LayoutKind::kLecture:
      return "lecture";
    case LayoutKind::kWideSource:
      return "wide source";
    case LayoutKind::kCompactSource:
      return "compact source";
    case LayoutKind::kLesson:
      return "lesson";
    case LayoutKind::kExercise:
      return "exercise";
    case LayoutKind::kScenes:
      return "scenes";
  }
  return "";
}

bool is_roomy(float width, float height) { return width >= 1560 && height >= 860; }

float lecture_magnification(float width, float height) {
  return std::max(1.0F, std::min(width / 1280, height / 720));
}

LayoutKind layout_for(const WindowState& state, float width, float height) {
  if (state.learn.lesson() != nullptr) return LayoutKind::kLesson;
  if (state.practice.exercise() != nullptr) return LayoutKind::kExercise;
  if (state.presentation.presents()) return LayoutKind::kScenes;
  if (state.lecture) return LayoutKind::kLecture;
  if (!is_roomy(width, height)) {
    return state.source_beside ? LayoutKind::kCompactSource : LayoutKind::kCompact;
  }
  return state.source_beside ? LayoutKind::kWideSource : LayoutKind::kWide;
}

PanelInsets panel_insets(const WindowState& state, float width) {
  const bool wide = width / state.scale >= 1560;
  const float column = state.px(wide ? kWideColumn : kColumn);
  if (state.layout == name_of(LayoutKind::kExercise)) return {.left = column};
  if (state.layout == name_of(LayoutKind::kLecture)) return {.bottom = state.px(kLectureLine)};
  if (state.layout == name_of(LayoutKind::kScenes)) {
    return {.top = state.px(kSceneBand), .bottom = state.px(kLectureLine + kSceneStrip)};
  }
  if (state.layout != name_of(LayoutKind::kLesson)) return {};
  if (state.lecture) return {.top = state.px(kLessonBand), .bottom = state.px(kLectureFoot)};
  return {.left = column, .bottom = state.px(kLessonFoot)};
}

bool has_one_view(const WindowState& state) {
  return state.learn.lesson() != nullptr || state.presentation.presents();
}

bool is_with_one_view(const WindowState& state, const Panel& panel) {
  if (panel.region == Region::kTransport) return !state.lecture;  // the view needs the height
  return panel.view.has_value() && *panel.view == state.raise.value_or(state.view);
}

bool is_in_exercise(const Panel& panel) {
  if (panel.view) return !descriptor_of(*panel.view).needs.variants;
  return panel.region == Region::kTransport || panel.region == Region::kSource;
}

float magnification(const WindowState& state, float width, float height) {
  constexpr float kMost = 1.4F;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  return std::clamp(std::min(room.x / state.px(width), room.y / state.px(height)), 1.0F, kMost);
}

void build_layout(const WindowState& state, LayoutKind kind, unsigned dock_space, float width,
                  float height) {
  ImGui::DockBuilderRemoveNode(dock_space);
  ImGui::DockBuilderAddNode(dock_space, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dock_space, {width, height});
  const Extent size{width / state.scale, height / state.scale};
  const Sides& sides = state.compact ? kCompactSides : kWideSides;
  const Nodes nodes = kind == LayoutKind::kWide      ? wide_nodes(dock_space, size)
                      : kind == LayoutKind::kLecture ? lecture_nodes(dock_space, size)
                      : kind == LayoutKind::kLesson || kind == LayoutKind::kScenes
                          ? lesson_nodes(state, dock_space, size)
                      : kind == LayoutKind::kExercise ? exercise_nodes(dock_space, size)
                                                      : tabbed_nodes(dock_space, size, sides);
  for (const Panel& panel : state.panels) {
    const auto node = nodes.find(panel.region);
    if (node != nodes.end()) ImGui::DockBuilderDockWindow(panel.title, node->second);
  }
  for (const auto& [region, id] : nodes) {
    ImGuiDockNode* node = ImGui::DockBuilderGetNode(id);
    const bool has_tabs = kind != LayoutKind::kLesson && kind != LayoutKind::kScenes &&
                          id == nodes.at(Region::kCentre);
    if (node == nullptr || has_tabs || region == Region::kCounters) continue;
    node->SetLocalFlags(node->LocalFlags | ImGuiDockNodeFlags_HiddenTabBar);
  }
  // What is left over by the cuts is ImGui's central node: it takes what a growing window gives.
  ImGui::DockBuilderFinish(dock_space);
}

void fit_left_column(WindowState& state) {
  ImGuiDockNode* top = node_of("Kernels");
  ImGuiDockNode* middle = node_of("Parameters");
  ImGuiDockNode* bottom = node_of("Costs");
  if (!is_stack(top, middle, bottom)) return;
  const float total = top->ParentNode->Size.y;
  const float gap = ImGui::GetStyle().DockingSeparatorSize;
  // Parameters come first when there is too little room: they are what a person works with.
  const float costs = std::round(state.px(state.panel_used["Costs"]));
  const float wanted_parameters = std::round(state.px(state.panel_used["Parameters"]));
  const float wanted_ladder = std::round(state.px(state.panel_used["Kernels"]));
  if (costs <= 0 || wanted_parameters <= 0 || wanted_ladder <= 0) return;
  const float room = std::max(total - costs - 2 * gap, state.px(200));
  float ladder =
      std::clamp(room - wanted_parameters, std::min(wanted_ladder, state.px(150)), wanted_ladder);
  if (ladder < wanted_ladder) {
    ladder = std::round(std::floor(ladder / state.px(kLadderRow)) * state.px(kLadderRow));
  }
  const float parameters = std::min(wanted_parameters, room - ladder);
  const float key = ladder * 8192 + parameters + total;
  if (state.left_column_fit == key) return;
  state.left_column_fit = key;
  const float width = top->Size.x;
  ImGui::DockBuilderSetNodeSize(top->ID, {width, ladder});
  ImGui::DockBuilderSetNodeSize(middle->ParentNode->ID, {width, total - ladder - gap});
  ImGui::DockBuilderSetNodeSize(middle->ID, {width, parameters});
  ImGui::DockBuilderSetNodeSize(bottom->ID, {width, total - ladder - parameters - 2 * gap});
  state.frame_wanted = true;
}

void fit_bottom_row(WindowState& state) {
  ImGuiDockNode* row = bottom_row();
  const Variant& active = state.workbench.active();
  const std::string kernel = active.entry != nullptr ? active.entry->id : active.file_name();
  // Values of one kernel without a chart leave their place empty: nothing jumps.
  const bool is_unfolded = state.charts.folded == false && state.charts.row_of == kernel;
  const bool fold = !is_unfolded && nothing_to_chart(state);
  // Nothing moves away under a pointer that is dragging.
  if (row == nullptr || state.charts.folded == fold || ImGui::IsAnyMouseDown()) return;
  const float height = row->Size.y / state.scale;
  const bool is_folded = height < kFoldedRow + 8;
  state.charts.folded = fold;
  state.charts.row_of = kernel;
  if (is_folded == fold) return;
  if (fold) state.charts.row_height = height;
  const float usual = state.compact ? kCompactRow : kWideRow;
  const float wanted = fold                          ? kFoldedRow
                       : state.charts.row_height > 0 ? state.charts.row_height
                                                     : usual;
  const float all = row->ParentNode->Size.y;
  const float rest = all - state.px(wanted) - ImGui::GetStyle().DockingSeparatorSize;
  if (rest < state.px(kFoldedRow)) return;
  ImGui::DockBuilderSetNodeSize(row->ID, {row->Size.x, std::round(state.px(wanted))});
  ImGui::DockBuilderSetNodeSize(row->ParentNode->ChildNodes[0]->ID,
                                {row->Size.x, std::round(rest)});
  state.frame_wanted = true;
}

namespace {

constexpr int kMostPixels = 32767;

std::optional<std::uint32_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  const auto value = parse_hexadecimal<std::uint32_t>(text.substr(2));
  return value == 0u ? std::nullopt : value;
}

bool is_number(std::string_view text) {
  const auto value = parse_number<int>(text);
  return value && *value >= -kMostPixels && *value <= kMostPixels;
}

bool is_pair(std::string_view text) {
  const std::size_t comma = text.find(',');
  return comma != std::string_view::npos && is_number(text.substr(0, comma)) &&
         is_number(text.substr(comma + 1));
}

// "20261130"
bool is_date(std::string_view text) {
  return text.size() == 8 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

struct Node {
  int children = 0;
  bool splits = false;
};

// Reads the text line by line.
class LayoutCheck {
 public:
  bool line(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) return true;
    if (words.front().starts_with('[')) {
      const bool window = text.starts_with("[Window][") && text.ends_with(']');
      docking_ = text == "[Docking][Data]";
      return window || docking_;
    }
    return docking_ ? node(words) : words.size() == 1 && window_field(words.front());
  }

  [[nodiscard]] bool holds() const {
    for (const auto& [id, node] : nodes_) {
      if (node.children != (node.splits ? 2 : 0)) return false;
    }
    for (const std::uint32_t id : docked_) {
      const auto node = nodes_.find(id);
      if (node == nodes_.end() || node->second.splits) return false;
    }
    return !nodes_.empty();
  }

 private:
  bool window_field(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (name == "DockId") {
      const auto id = hexadecimal(value.substr(0, value.find(',')));
      if (id) docked_.insert(*id);
      const std::size_t comma = value.find(',');
      return id && (comma == std::string_view::npos || is_number(value.substr(comma + 1)));
    }
    if (name == "Collapsed" || name == "IsChild") return value == "0" || value == "1";
    if (name == "LastUsed") return is_date(value);
    if (name == "ViewportId" || name == "ClassId") return hexadecimal(value).has_value();
    return (name == "Pos" || name == "Size" || name == "ViewportPos") && is_pair(value);
  }

  bool node(const std::vector<std::string>& words) {
    const bool root = words.front() == "DockSpace";
    if (!root && words.front() != "DockNode") return false;
    if (root && !nodes_.empty()) return false;
    Node node;
    std::optional<std::uint32_t> id;
    std::optional<std::uint32_t> parent;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string::npos) return false;
      const std::string name = words[i].substr(0, equals);
      const std::string value = words[i].substr(equals + 1);
      if (name == "ID") {
        id = hexadecimal(value);
      } else if (name == "Parent") {
        parent = hexadecimal(value);
        if (!parent) return false;
      } else if (name == "Split") {
        if (value != "X" && value != "Y") return false;
        node.splits = true;
      } else if (name == "Window" || name == "Selected") {
        if (!hexadecimal(value)) return false;
      } else if (name == "Pos" || name == "Size" || name == "SizeRef") {
        if (!is_pair(value)) return false;
      } else if (value != "1") {  // CentralNode, HiddenTabBar and their like
        return false;
      }
    }
    if (!id || root == parent.has_value()) return false;
    if (parent) {
      const auto above = nodes_.find(*parent);
      if (above == nodes_.end() || !above->second.splits || ++above->second.children > 2) {
        return false;
      }
    }
    return nodes_.emplace(*id, node).second;
  }

  bool docking_ = false;
  std::map<std::uint32_t, Node> nodes_;
  std::set<std::uint32_t> docked_;  // nodes that windows say they are in
};

}  // namespace

bool is_sound_layout(std::string_view text) {
  std::istringstream lines{std::string(text)};
  LayoutCheck check;
  for (std::string line; std::getline(lines, line);) {
    if (!check.line(line)) return false;
  }
  return check.holds();
}

}  // namespace tilescope
