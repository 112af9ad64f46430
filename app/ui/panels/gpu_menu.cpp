#include "ui/panels/gpu_menu.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/conditions.h"
#include "core/quantity.h"
#include "ui/drawing/style.h"
#include "ui/state/window_state.h"

namespace tilescope {
namespace {

constexpr double kNewsSeconds = 8;  // how long the bar shows what happened

// Of the GPU that is there.
std::string library_words(const DeviceInfo& info) {
  return info.name + ", driver " + info.driver + ", CUDA " + info.cuda_driver + ". " +
         (info.cublas.empty() ? "No cuBLAS: " + info.cublas_problem : "cuBLAS " + info.cublas) +
         ".";
}

struct Chip {
  std::vector<std::string> words;  // the longest first
  std::string more;                // for the tooltip
  Paint light = ColourRole::kFaint;
};

// Where its times come from: "2 workers", "recorded times", "time model".
std::string times_words(const WindowState& state, const DeviceModel& model) {
  for (const GpuKind& gpu : state.workbench.gpu().gpus()) {
    if (gpu.info.name != model.name) continue;
    return gpu.workers == 0   ? "worker lost"
           : gpu.workers == 1 ? "measured"
                              : fmt::format("{} workers", gpu.workers);
  }
  return state.recorded.machine().gpu == model.name ? "recorded times" : "time model";
}

Chip usual_chip(const WindowState& state) {
  const auto device = state.workbench.gpu().device();
  if (!device) return {{"looking for a GPU"}, "", ColourRole::kFaint};
  if (!device->ok()) {
    return {
        {"No NVIDIA GPU here: everything except measuring works", "No NVIDIA GPU here", "No GPU"},
        to_string(device->error()) + " Everything except measuring works without a GPU."};
  }
  const DeviceInfo& info = **device;
  const std::size_t gpus = state.workbench.gpu().workers();
  return {{(gpus > 1 ? fmt::format("{} × ", gpus) : "") + info.name + " · " +
           format(info.max_clock_hz, Unit::kHertz)},
          library_words(info),
          ColourRole::kIdeal};
}

Chip chip_of(const WindowState& state) {
  const Workbench& workbench = state.workbench;
  if (news_end(state)) {
    const std::string& news = workbench.worker_news().back().words;
    return {{news}, news + ".", ColourRole::kSecond};
  }
  const Variant& active = workbench.active();
  if (active.gpu.empty()) return usual_chip(state);
  const DeviceModel& model = workbench.device_model(active);
  const std::string words = short_gpu(model.name) + " · " + times_words(state, model);
  return {{words},
          fmt::format("This variant is computed for an {}.", model.name),
          workbench.runs().kind_of(active) ? ColourRole::kIdeal : ColourRole::kFaint};
}

void draw_menu(WindowState& state) {
  Workbench& workbench = state.workbench;
  const char letter = static_cast<char>('A' + workbench.active_index());
  ImGui::SeparatorText(workbench.variants().size() > 1
                           ? fmt::format("Compute variant {} for", letter).c_str()
                           : "Compute for");
  const std::string chosen = workbench.device_model(workbench.active()).name;
  for (const DeviceModel* model : workbench.gpus().choices()) {
    const std::string name = model->name;  // a choice may change the list
    if (ImGui::MenuItem(name.c_str(), times_words(state, *model).c_str(), name == chosen)) {
      workbench.set_gpu(name);
    }
  }
  if (workbench.worker_news().empty()) return;
  ImGui::SeparatorText("Workers");
  ImGui::PushTextWrapPos(state.px(420));
  for (const Workbench::WorkerNews& news : workbench.worker_news()) {
    const auto ago = static_cast<int>(std::max(0.0, state.now - news.at_seconds));
    ImGui::TextDisabled("%s (%d s ago)", news.words.c_str(), ago);
  }
  ImGui::PopTextWrapPos();
}

}  // namespace

std::optional<double> news_end(const WindowState& state) {
  const auto& news = state.workbench.worker_news();
  if (news.empty()) return std::nullopt;
  const double end = news.back().at_seconds + kNewsSeconds;
  return state.now < end ? std::optional(end) : std::nullopt;
}

void draw_gpu_menu(PanelSurface& surface, const Rect& place) {
  WindowState& state = surface.state();
  const Chip chip = chip_of(state);
  const Touch touch = surface.control(
      "gpu", place,
      chip.more + (chip.more.empty() ? "" : " ") + "Click: compute this variant for another GPU.");
  if (touch.hovered) surface.canvas().fill_rect(place, ColourRole::kHover, 6);
  const float middle = place.center().y;
  const float left = place.x + 6;
  const TextStyle style = styled(12.5F, ColourRole::kText, Weight::kMedium);
  const float room = place.right() - 20 - (left + 14);
  const auto fits = std::ranges::find_if(chip.words, [&](const std::string& words) {
    return surface.canvas().text_width(words, style) <= room;
  });
  const std::string& words = fits == chip.words.end() ? chip.words.back() : *fits;
  surface.canvas().fill_circle({left + 4, middle}, 4, chip.light);
  surface.fitted(left + 14, place.right() - 20, middle, words, style);
  const float caret =
      std::min(left + 14 + surface.canvas().text_width(words, style), place.right() - 20) + 9;
  surface.canvas().polyline(
      std::array<Point, 3>{Point{caret - 3, middle - 1.5F}, Point{caret, middle + 1.5F},
                           Point{caret + 3, middle - 1.5F}},
      ColourRole::kDim, 1.4F);
  if (touch.clicked) ImGui::OpenPopup("gpus");
  const Point below = surface.screen({place.x, place.bottom() + 6});
  ImGui::SetNextWindowPos({below.x, below.y});
  if (!ImGui::BeginPopup("gpus")) return;
  draw_menu(state);
  ImGui::EndPopup();
}

}  // namespace tilescope
