#include "cli/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>

#include "cli/command.h"
#include "core/write_file.h"
#include "scene/setting_check.h"
#include "scene/telling_selection.h"

namespace tilescope {

Result<std::pair<int, int>> parse_pixels(const std::string& text) {
  int width = 0;
  int height = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, width);
  if (first.ec == std::errc() && first.ptr != end && (*first.ptr == 'x' || *first.ptr == 'X')) {
    const auto second = std::from_chars(first.ptr + 1, end, height);
    if (second.ec == std::errc() && second.ptr == end && width >= kLeastPixelWidth &&
        height >= kLeastPixelHeight && width <= kMostPixelSide && height <= kMostPixelSide) {
      return std::pair{width, height};
    }
  }
  return usage(fmt::format("--pixels {} is not WIDTHxHEIGHT", text),
               fmt::format("Give both from {}x{} to {}x{}, for example 1920x1080", kLeastPixelWidth,
                           kLeastPixelHeight, kMostPixelSide, kMostPixelSide));
}

Result<std::uint64_t> parse_block(const std::string& text, const Dim3& grid) {
  if (text.empty()) return telling_block(grid);
  Dim3 block{0, 0, 0};
  std::uint32_t* axes[] = {&block.x, &block.y, &block.z};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::uint32_t* axis : axes) {
    const auto parsed = std::from_chars(at, end, *axis);
    if (parsed.ec != std::errc()) {
      return usage(fmt::format("--block-index {} is not X[,Y[,Z]]", text), "For example 3,2");
    }
    at = parsed.ptr;
    if (at == end) break;
    ++at;
  }
  if (block.x >= grid.x || block.y >= grid.y || block.z >= grid.z) {
    return usage(
        fmt::format("--block-index {} lies outside the grid", text),
        fmt::format("The grid has {} x {} x {} blocks, counted from 0", grid.x, grid.y, grid.z));
  }
  return flatten(block, grid);
}

Status check_date(const std::string& date) {
  constexpr std::string_view kShape = "0000-00-00";
  const bool shaped = std::ranges::equal(date, kShape, [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  });
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    std::from_chars(date.data() + at, date.data() + at + digits, value);
    return value;
  };
  using std::chrono::day, std::chrono::month, std::chrono::year;
  if (date.empty()) return ok_status();
  if (shaped && (year(number(0, 4)) / month(static_cast<unsigned>(number(5, 2))) /
                 day(static_cast<unsigned>(number(8, 2))))
                    .ok()) {
    return ok_status();
  }
  return usage(fmt::format("--date {} is no date", date), "Write it as 2026-11-30");
}

Result<std::uint32_t> parse_moment(const char* option, const std::string& text, bool last,
                                   const KernelStudy& study) {
  constexpr std::string_view kStep = "step:";
  const bool is_step = text.starts_with(kStep);
  const std::string_view digits =
      std::string_view(text).substr(is_step ? kStep.size() : std::size_t{0});
  const auto events = static_cast<std::uint32_t>(study.trace->events.size());
  const std::vector<std::uint32_t>& steps = study.timeline->step_begin;
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = failure == std::errc() && end == digits.data() + digits.size();
  if (whole && is_step && number >= 1 && number <= steps.size()) {
    if (!last) return steps[number - 1];
    return (number < steps.size() ? steps[number] : events) - 1;
  }
  if (whole && !is_step && number < events) return number;
  return usage(fmt::format("{} {} does not exist", option, text),
               fmt::format("The block has moments 0 to {} and steps step:1 to step:{}", events - 1,
                           steps.size()));
}

Status apply_settings(const std::vector<std::string>& settings, ViewSettings* changed) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    Hit hit{.kind = HitKind::kSetting, .name = setting.substr(0, equals)};
    const char* end = setting.data() + setting.size();
    const bool number = equals != std::string::npos && equals > 0 &&
                        std::from_chars(setting.data() + equals + 1, end, hit.value).ptr == end &&
                        equals + 1 < setting.size();
    if (!number) {
      return usage(fmt::format("--set {} is not NAME=NUMBER", setting),
                   "For example --set lane_window=256");
    }
    if (Status known = check_setting(hit.name, hit.value); !known) {
      Error error = std::move(known).error();
      error.message = fmt::format("--set {}: {}", setting, error.message);
      return error;
    }
    change_setting(*changed, hit);
  }
  return ok_status();
}

Status check_folder_of(const std::filesystem::path& file) {
  std::error_code unknown;
  const std::filesystem::path folder = file.parent_path();
  const bool missing = !folder.empty() && !std::filesystem::exists(folder, unknown) && !unknown;
  return missing ? Status(cannot_write(file, ENOENT)) : ok_status();
}

Status apply_camera(const std::string& text, MatrixCamera* camera) {
  if (text.empty()) return ok_status();
  std::array<float*, 3> values = {&camera->zoom, &camera->center_x, &camera->center_y};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto parsed = std::from_chars(at, end, *values.at(i));
    const bool last = i + 1 == values.size();
    if (parsed.ec != std::errc() || (last ? parsed.ptr != end : parsed.ptr == end)) {
      return usage(fmt::format("--camera {} is not ZOOM,X,Y", text),
                   "X and Y are 0 to 1 across the view, for example 4,0.5,0.5");
    }
    at = parsed.ptr + 1;
  }
  return ok_status();
}

Result<int> find_named_device(const std::string& part, const std::vector<DeviceModel>& devices) {
  if (part.empty()) return -1;
  const auto found = std::ranges::find_if(devices, [&part](const DeviceModel& device) {
    return device.name.find(part) != std::string::npos;
  });
  if (found == devices.end()) {
    return usage(fmt::format("--device {} is no device that is known", part),
                 "tilescope list --devices names them");
  }
  return static_cast<int>(found - devices.begin());
}

}  // namespace tilescope
