#include "session/lesson_chart.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "session/lesson_launch.h"

namespace tilescope {
namespace {

constexpr int kPoints = 120;  // of a curve

class ChartMaker {
 public:
  ChartMaker(const Lesson& lesson, const LessonScene& scene, const LessonPlace& place,
             const LessonLookup& lookup)
      : lesson_(lesson), scene_(scene), place_(place), lookup_(lookup) {}

  Result<CurveChart> make() && {
    const LessonNumber& over = *lesson_.number(scene_.over);
    chart_.x = {.name = over.name, .from = over.from, .to = over.to, .words = [](double x) {
                  return LessonExpression().written({.number = x});
                }};
    chart_.at = place_.numbers.at(over.name);
    for (const LessonCurve& curve : scene_.curves) {
      if (Status drawn = add_curve(curve); !drawn) return std::move(drawn).error();
    }
    for (const LessonDot& dot : scene_.dots) {
      if (Status drawn = add_dot(dot); !drawn) return std::move(drawn).error();
    }
    const LessonExpression& first = scene_.curves.front().value;
    chart_.y.words = [first, unit = unit_](double y) {
      return first.written({.number = y, .unit = *unit});
    };
    fit_y_axis({&chart_, 1});
    return std::move(chart_);
  }

 private:
  // With the number that the chart is over at x. What needs it not is asked for once.
  Result<LessonValue> value(const LessonExpression& expression, double x) {
    return expression.evaluate([&](const LessonQuantity& asked) -> Result<LessonValue> {
      if (asked.launch.empty() && asked.name == scene_.over) return LessonValue{.number = x};
      const std::string key = asked.launch + "." + asked.name + "(" + asked.source_line;
      const auto known = known_.find(key);
      if (known != known_.end()) return known->second;
      auto found = lookup_(asked);
      if (found) known_.emplace(key, *found);
      return found;
    });
  }

  [[nodiscard]] Error wrong(int line, const std::string& name, const Error& error) const {
    if (LessonFigures::is_under_way(error)) return error;
    Error here = error;
    here.message = fmt::format("{}: {}", name, error.message);
    return at_line(lesson_, line, std::move(here));
  }

  Status take_unit(Unit unit) {
    if (!unit_) unit_ = unit;
    if (*unit_ == unit) return ok_status();
    return Error{ErrorCode::kUsage,
                 "its values have another unit than the first curve's",
                 "Draw values of one unit",
                 {}};
  }

  Status add_curve(const LessonCurve& curve) {
    CurveChart::Curve drawn{.name = curve.name, .points = {}, .now = 0};
    for (int i = 0; i <= kPoints; ++i) {
      const double x = chart_.x.value_at(static_cast<double>(i) / kPoints);
      const auto y = value(curve.value, x);
      if (!y) return wrong(curve.line, curve.name, y.error());
      if (Status same = take_unit(y->unit); !same)
        return wrong(curve.line, curve.name, same.error());
      drawn.points.emplace_back(x, y->number);
    }
    const auto now = value(curve.value, chart_.at);
    if (!now) return wrong(curve.line, curve.name, now.error());
    drawn.now = now->number;
    chart_.curves.push_back(std::move(drawn));
    return ok_status();
  }

  Status add_dot(const LessonDot& dot) {
    const auto x = value(dot.x, chart_.at);
    if (!x) return wrong(dot.line, dot.name, x.error());
    const auto y = value(dot.y, chart_.at);
    if (!y) return wrong(dot.line, dot.name, y.error());
    if (Status same = take_unit(y->unit); !same) return wrong(dot.line, dot.name, same.error());
    if (x->number < chart_.x.from || x->number > chart_.x.to) {
      return wrong(dot.line, dot.name,
                   {ErrorCode::kUsage,
                    fmt::format("{} is outside of the range of {}", x->number, scene_.over),
                    "Widen the number's range",
                    {}});
    }
    chart_.dots.push_back({dot.name, x->number, y->number, y->source.value_or(Source::kModelled)});
    return ok_status();
  }

  const Lesson& lesson_;
  const LessonScene& scene_;
  const LessonPlace& place_;
  const LessonLookup& lookup_;
  std::map<std::string, LessonValue> known_;
  std::optional<Unit> unit_;
  CurveChart chart_;
};

}  // namespace

Result<std::optional<CurveChart>> lesson_chart(const Lesson& lesson, const LessonScene& scene,
                                               const LessonPlace& place, LessonFigures& figures,
                                               const KnownMeasurements& known) {
  const LessonLookup lookup = figures.lookup(lesson, place, known);
  auto chart = ChartMaker(lesson, scene, place, lookup).make();
  if (chart) return std::optional(*std::move(chart));
  if (LessonFigures::is_under_way(chart.error())) return std::optional<CurveChart>();
  return std::move(chart).error();
}

}  // namespace tilescope
