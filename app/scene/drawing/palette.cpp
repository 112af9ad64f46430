#include "scene/drawing/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tilescope {
namespace {

constexpr std::size_t kRoles = 16;
using RoleTable = std::array<std::uint32_t, kRoles>;  // 0xRRGGBB in the order of ColourRole

constexpr RoleTable kDark = {0x0E1116, 0x151A21, 0x1D242D, 0x27303B, 0x2A333E, 0xE9EDF2,
                             0xC3CCD6, 0x7F8C9A, 0x4A5562, 0x7A97FF, 0xFDB930, 0xB9F2DC,
                             0xEE8496, 0x35C8B4, 0xFF5B24, 0xFFFFFF};
constexpr RoleTable kLight = {0xF6F7F9, 0xFFFFFF, 0xEEF1F4, 0xE3E8ED, 0xD5DBE2, 0x14181D,
                              0x333D48, 0x66727F, 0xA9B3BE, 0x2B6FD6, 0xD9730D, 0x2C6E49,
                              0xA24E86, 0x0E8577, 0xC8340A, 0x000000};
constexpr RoleTable kPaper = {0xFFFFFF, 0xFFFFFF, 0xF2F2F2, 0xE6E6E6, 0xCCCCCC, 0x000000,
                              0x222222, 0x555555, 0x999999, 0x2B6FD6, 0xD9730D, 0x2C6E49,
                              0xA24E86, 0x0E8577, 0xC8340A, 0x000000};

Rgba from_hex(std::uint32_t hex) {
  const auto channel = [hex](int shift) {
    return static_cast<float>((hex >> shift) & 0xffU) / 255.0f;
  };
  return {channel(16), channel(8), channel(0), 1};
}

Rgba role_colour(ColourRole role, Theme theme) {
  const RoleTable& table = theme == Theme::kDark ? kDark : theme == Theme::kLight ? kLight : kPaper;
  return from_hex(table[static_cast<std::size_t>(role)]);
}

// Polynomials of degree six through matplotlib's tables of viridis and inferno (both CC0); the fit
// is Matt Zucker's (CC0, shadertoy.com/view/WlfXRN) and stays within 0.02 of the tables.
using Coefficients = std::array<std::array<float, 3>, 7>;
constexpr Coefficients kViridis = {{{0.27772733f, 0.00540734f, 0.33409981f},
                                    {0.10509304f, 1.40461353f, 1.38459016f},
                                    {-0.33086183f, 0.21484756f, 0.09509516f},
                                    {-4.63423050f, -5.79910097f, -19.33244096f},
                                    {6.22826994f, 14.17993337f, 56.69055260f},
                                    {4.77638500f, -13.74514538f, -65.35303263f},
                                    {-5.43545586f, 4.64585261f, 26.31243525f}}};
constexpr Coefficients kInferno = {{{0.00021894f, 0.00165100f, -0.01948090f},
                                    {0.10651342f, 0.56395644f, 3.93271239f},
                                    {11.60249308f, -3.97285397f, -15.94239411f},
                                    {-41.70399613f, 17.43639888f, 44.35414520f},
                                    {77.16293570f, -33.40235894f, -81.80730926f},
                                    {-71.31942824f, 32.62606426f, 73.20951986f},
                                    {25.13112623f, -12.24266895f, -23.07032500f}}};

float evaluate(const Coefficients& c, std::size_t channel, float t) {
  float value = 0;
  for (std::size_t power = c.size(); power-- > 0;) value = value * t + c[power][channel];
  return std::clamp(value, 0.0f, 1.0f);
}

Rgba scale_colour(const Coefficients& c, float t) {
  return {evaluate(c, 0, t), evaluate(c, 1, t), evaluate(c, 2, t), 1};
}

// WCAG 2.1, relative luminance.
float luminance(const Rgba& c) {
  const auto linear = [](float v) {
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
  };
  return 0.2126f * linear(c.r) + 0.7152f * linear(c.g) + 0.0722f * linear(c.b);
}

float contrast(float a, float b) { return (std::max(a, b) + 0.05f) / (std::min(a, b) + 0.05f); }

Rgba over(const Rgba& top, const Rgba& bottom) {
  const float a = top.a;
  return {top.r * a + bottom.r * (1 - a), top.g * a + bottom.g * (1 - a),
          top.b * a + bottom.b * (1 - a), 1};
}

}  // namespace

std::optional<Theme> parse_theme(std::string_view name) {
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPaper}) {
    if (name == name_of(theme)) return theme;
  }
  return std::nullopt;
}

std::string_view name_of(Theme theme) {
  switch (theme) {
    case Theme::kDark:
      return "dark";
    case Theme::kLight:
      return "light";
    case Theme::kPaper:
      return "paper";
  }
  return "";
}

Rgba colour(Paint paint, Theme theme) {
  Rgba result;
  switch (paint.scale) {
    case Paint::Scale::kRole:
      result = role_colour(paint.role, theme);
      break;
    case Paint::Scale::kLane:
      result = scale_colour(kViridis, std::clamp(paint.value, 0.0f, 1.0f));
      break;
    case Paint::Scale::kHeat:
      result = scale_colour(kInferno, std::clamp(paint.value, 0.0f, 1.0f));
      break;
  }
  result.a = std::clamp(paint.opacity, 0.0f, 1.0f);
  return result;
}

Paint cell_paint(std::uint8_t heat) {
  // The scale's ends, near black and near white, would vanish into one background or the other.
  return Paint::heat(0.30f + 0.58f * static_cast<float>(heat - 1) / 254.0f);
}

Rgba cell_colour(std::uint8_t heat, ColourRole tint, Theme theme) {
  if (heat == 0) return colour(Paint(tint, theme == Theme::kDark ? 0.12f : 0.14f), theme);
  return colour(cell_paint(heat), theme);
}

Paint text_on(Paint paint, Theme theme) {
  const Rgba background = role_colour(ColourRole::kBackground, theme);
  const float under = luminance(over(colour(paint, theme), background));
  const float strong = luminance(role_colour(ColourRole::kStrong, theme));
  const float reversed = luminance(background);
  return contrast(strong, under) >= contrast(reversed, under) ? Paint(ColourRole::kStrong)
                                                              : Paint(ColourRole::kBackground);
}

}  // namespace tilescope
