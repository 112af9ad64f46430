#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/file.h"
#include "core/number_text.h"
#include "core/text.h"
#include "scene/view/default_selection.h"
#include "scene/view_settings.h"

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

namespace {

struct LengthUnit {
  std::string_view name;
  double px = 1;
};
constexpr std::array kLengthUnits{LengthUnit{"mm", kPxPerMm}, LengthUnit{"cm", 10 * kPxPerMm},
                                  LengthUnit{"in", 96}, LengthUnit{"pt", 96 / 72.0}};

const LengthUnit* unit_at_end(std::string_view text) {
  const auto found = std::ranges::find_if(
      kLengthUnits, [text](const LengthUnit& unit) { return text.ends_with(unit.name); });
  return found == kLengthUnits.end() ? nullptr : &*found;
}

// "84mm" in px; nullopt: it is no length. `unit`: of one without.
std::optional<double> length_px(std::string_view text, const LengthUnit* unit) {
  if (const LengthUnit* own = unit_at_end(text)) {
    unit = own;
    text.remove_suffix(own->name.size());
  }
  const auto value = parse_number<double>(text);
  if (unit == nullptr || !value) return std::nullopt;
  return *value * unit->px;
}

}  // namespace

bool is_paper(const std::string& text) {
  return unit_at_end(text) != nullptr && text.find('x') != std::string::npos;
}

Result<PaperOption> parse_paper(const std::string& text) {
  const std::size_t middle = text.find('x');
  const LengthUnit* unit = unit_at_end(text);
  constexpr double kLeastPx = 60;
  if (middle != std::string::npos && unit != nullptr) {
    PaperSize words{text.substr(0, middle), text.substr(middle + 1)};
    const auto width = length_px(words.width, unit);
    const auto height = length_px(words.height, unit);
    const auto right = [](const std::optional<double>& px) {
      return px && *px >= kLeastPx && *px <= kMostPixelSide;
    };
    if (right(width) && right(height)) {
      if (unit_at_end(words.width) == nullptr) words.width += unit->name;
      return PaperOption{std::move(words), static_cast<float>(*width), static_cast<float>(*height)};
    }
  }
  return usage(fmt::format("{} is not a width and height on paper", text),
               "For example 84mmx60mm; each side at least 16 mm; mm, cm, in or pt");
}

Result<float> parse_text_size(const std::string& text) {
  constexpr std::string_view kUnit = "pt";
  const bool has_unit = text.ends_with(kUnit);
  const auto points = parse_number<double>(
      std::string_view(text).substr(0, has_unit ? text.size() - kUnit.size() : 0));
  const float scale = text_scale_of(points.value_or(0));
  if (points && scale >= kLeastTextScale && scale <= kMostTextScale) return scale;
  return usage(fmt::format("--text {} is not a size of text", text),
               "Give it in points, from 5pt to 39pt, for example 8pt");
}

Result<std::uint64_t> parse_block(const std::string& text, const Dim3& grid) {
  if (text.empty()) return default_block(grid);
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
        fmt::format("--block-index {} is outside the grid", text),
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
  return usage(fmt::format("--date {} is not a date", date), "Write it as 2026-11-30");
}

Result<std::uint32_t> parse_moment(const char* option, const std::string& text, bool last,
                                   const KernelStudy& study) {
  constexpr std::string_view kStep = "step:";
  const bool is_step = text.starts_with(kStep);
  const std::string_view digits =
      std::string_view(text).substr(is_step ? kStep.size() : std::size_t{0});
  const auto events = static_cast<std::uint32_t>(study.trace->events.size());
  const std::vector<std::uint32_t>& steps = study.timeline->step_begin;
  const auto whole = parse_number<std::uint32_t>(digits);
  const std::uint32_t number = whole.value_or(0);
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
    const bool is_set = equals != std::string::npos && equals > 0;
    const auto value = parse_number<decltype(Hit::value)>(
        is_set ? std::string_view(setting).substr(equals + 1) : "");
    if (!value) {
      return usage(fmt::format("--set {} is not NAME=NUMBER", setting),
                   "For example --set lane_window=256");
    }
    const Hit hit{.kind = HitKind::kSetting, .value = *value, .name = setting.substr(0, equals)};
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
                   "X and Y are from 0 to 1, for example 4,0.5,0.5");
    }
    at = parsed.ptr + 1;
  }
  return ok_status();
}

Result<int> find_named_device(const std::string& part, const std::vector<DeviceModel>& devices) {
  if (part.empty()) return -1;
  const auto is_named = [&part](const DeviceModel& device) {
    return device.name.find(part) != std::string::npos;
  };
  auto found = std::ranges::find_if(
      devices, [&](const DeviceModel& device) { return device.measured && is_named(device); });
  if (found == devices.end()) found = std::ranges::find_if(devices, is_named);
  if (found == devices.end()) {
    return usage(fmt::format("--device {} is not a known device", part),
                 "tilescope list --devices shows them");
  }
  return static_cast<int>(found - devices.begin());
}

}  // namespace tilescope
