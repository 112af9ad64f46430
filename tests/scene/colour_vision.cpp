#include "colour_vision.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace tilescope {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& m, const Vector& v) {
  Vector result{};
  for (std::size_t row = 0; row < 3; ++row) {
    result[row] = m[row][0] * v[0] + m[row][1] * v[1] + m[row][2] * v[2];
  }
  return result;
}

// IEC 61966-2-1.
double linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double encoded(double v) {
  return v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

Vector linear(const Rgba& c) { return {linear(c.r), linear(c.g), linear(c.b)}; }

constexpr Matrix kToXyz{{{0.4124564, 0.3575761, 0.1804375},
                         {0.2126729, 0.7151522, 0.0721750},
                         {0.0193339, 0.1191920, 0.9503041}}};

constexpr Matrix kProtanopia{{{0.152286, 1.052583, -0.204868},
                              {0.114503, 0.786281, 0.099216},
                              {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia{{{0.367322, 0.860646, -0.227968},
                                {0.280085, 0.672501, 0.047413},
                                {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritanopia{{{1.255528, -0.076749, -0.178779},
                              {-0.078411, 0.930809, 0.147602},
                              {0.004733, 0.691367, 0.303900}}};

// CIECAM02 (CIE 159:2004): CAT02, its inverse, and Hunt-Pointer-Estevez.
constexpr Matrix kCat{
    {{0.7328, 0.4296, -0.1624}, {-0.7036, 1.6975, 0.0061}, {0.0030, 0.0136, 0.9834}}};
constexpr Matrix kCatBack{{{1.096124, -0.278869, 0.182745},
                           {0.454369, 0.473533, 0.072098},
                           {-0.009628, -0.005698, 1.015326}}};
constexpr Matrix kHunt{{{0.38971, 0.68898, -0.07868}, {-0.22981, 1.18340, 0.04641}, {0, 0, 1}}};

constexpr double kAdapting = 64 / std::numbers::pi / 5;  // cd/m2
constexpr double kBackground = 0.2;                      // of white

// F_L: how strongly this much light makes colours show.
double level() {
  const double k = 1 / (5 * kAdapting + 1);
  return 0.2 * std::pow(k, 4) * 5 * kAdapting +
         0.1 * std::pow(1 - std::pow(k, 4), 2) * std::cbrt(5 * kAdapting);
}

// N_bb and N_cb: what the background adds.
double induction() { return 0.725 * std::pow(1 / kBackground, 0.2); }

// The three responses after adaptation to white and compression.
Vector responses(const Vector& linear_rgb) {
  const Vector white = times(kCat, times(kToXyz, {100, 100, 100}));
  Vector cone = times(kCat, times(kToXyz, linear_rgb));
  const double adapted = 1 - std::exp((-kAdapting - 42) / 92) / 3.6;
  for (std::size_t i = 0; i < 3; ++i) {
    cone[i] *= 100 * (adapted * 100 / white[i] + 1 - adapted);
  }
  Vector result = times(kHunt, times(kCatBack, cone));
  for (double& v : result) {
    const double power = std::pow(level() * std::abs(v) / 100, 0.42);
    v = std::copysign(400 * power / (power + 27.13), v) + 0.1;
  }
  return result;
}

Vector uniform(const Rgba& colour) {
  const auto achromatic = [](const Vector& v) {
    return (2 * v[0] + v[1] + v[2] / 20 - 0.305) * induction();
  };
  const Vector v = responses(linear(colour));
  const double a = v[0] - 12 * v[1] / 11 + v[2] / 11;
  const double b = (v[0] + v[1] - 2 * v[2]) / 9;
  const double hue = std::atan2(b, a);
  const double eccentricity = (std::cos(hue + 2) + 3.8) / 4;
  const double light = 100 * std::pow(achromatic(v) / achromatic(responses({1, 1, 1})),
                                      0.69 * (1.48 + std::sqrt(kBackground)));
  const double t =
      50000.0 / 13 * induction() * eccentricity * std::hypot(a, b) / (v[0] + v[1] + 21 * v[2] / 20);
  const double colourful = std::pow(t, 0.9) * std::sqrt(light / 100) *
                           std::pow(1.64 - std::pow(0.29, kBackground), 0.73) *
                           std::pow(level(), 0.25);
  const double radius = std::log(1 + 0.0228 * colourful) / 0.0228;
  return {1.7 * light / (1 + 0.007 * light), radius * std::cos(hue), radius * std::sin(hue)};
}

}  // namespace

const char* name_of(Vision vision) {
  switch (vision) {
    case Vision::kFull:
      return "full colour vision";
    case Vision::kProtanopia:
      return "protanopia";
    case Vision::kDeuteranopia:
      return "deuteranopia";
    case Vision::kTritanopia:
      return "tritanopia";
  }
  return "";
}

Rgba as_seen(const Rgba& colour, Vision vision) {
  if (vision == Vision::kFull) return colour;
  const Matrix& matrix = vision == Vision::kProtanopia     ? kProtanopia
                         : vision == Vision::kDeuteranopia ? kDeuteranopia
                                                           : kTritanopia;
  const Vector seen = times(matrix, linear(colour));
  const auto channel = [](double v) {
    return static_cast<float>(encoded(std::clamp(v, 0.0, 1.0)));
  };
  return {channel(seen[0]), channel(seen[1]), channel(seen[2]), 1};
}

double difference(const Rgba& a, const Rgba& b) {
  const Vector x = uniform(a);
  const Vector y = uniform(b);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double lightness(const Rgba& colour) {
  const double y = times(kToXyz, linear(colour))[1];
  return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : y * 24389 / 27;
}

}  // namespace tilescope
