#include "session/lesson_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/time/pipeline.h"
#include "analysis/time/study_depth.h"
#include "analysis/time/verdicts.h"
#include "core/text.h"
#include "scene/model/prepared.h"
#include "scene/occupancy/occupancy_scene.h"
#include "scene/view/default_selection.h"
#include "session/document.h"
#include "session/lesson_launch.h"
#include "session/lesson_text.h"

namespace tilescope {
namespace {

constexpr std::size_t kMostLaunches = 128;

Error absent(std::string message, std::string remedy = {}) {
  return {ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

const LessonFigure* find_figure(std::string_view name) {
  const std::span<const LessonFigure> all = lesson_figures();
  const auto found = std::ranges::find(all, name, &LessonFigure::name);
  return found != all.end() ? &*found : nullptr;
}

void add_uses(const LessonParagraph& paragraph, const LessonPlace& place,
              std::vector<LessonUse>* uses) {
  for (const LessonRun& run : paragraph) {
    if (run.kind == LessonRun::Kind::kValue) uses->push_back({&run.value, place, run.line});
  }
}

void add_uses(const std::optional<LessonScene>& scene, const LessonPlace& place,
              std::vector<LessonUse>* uses) {
  if (!scene) return;
  for (const LessonCurve& curve : scene->curves) uses->push_back({&curve.value, place, curve.line});
  for (const LessonDot& dot : scene->dots) {
    uses->push_back({&dot.y, place, dot.line});
    uses->push_back({&dot.x, place, dot.line});
  }
}

// Of a parameter or a size, and of what there is not, as little as can be.
FactsDepth depth_of(const LessonQuantity& quantity) {
  const LessonFigure* figure = find_figure(quantity.name);
  return figure != nullptr ? figure->depth : FactsDepth::kInstance;
}

// What an expression of a lesson asks of a launch; nullptr: of the lesson's own numbers.
struct AskedOf {
  const LessonLaunch* launch = nullptr;
  FactsDepth depth = FactsDepth::kInstance;
};
AskedOf asked_of(const Lesson& lesson, const LessonUse& use, const LessonQuantity& quantity) {
  if (quantity.launch.empty() && lesson.number(quantity.name) != nullptr) return {};
  return {lesson.launch(quantity.launch.empty() ? use.place.launch : quantity.launch),
          depth_of(quantity)};
}

// As deep as one of the lesson's expressions asks for this launch.
FactsDepth depth_of(const Lesson& lesson, const LessonLaunch& launch) {
  FactsDepth depth = FactsDepth::kInstance;
  for (const LessonUse& use : expressions_of(lesson)) {
    for (const LessonQuantity& quantity : use.expression->quantities()) {
      const AskedOf asked = asked_of(lesson, use, quantity);
      if (asked.launch == &launch) depth = std::max(depth, asked.depth);
    }
  }
  return depth;
}

// The same launch of two lessons is studied once.
std::string key_of(const Lesson& lesson, const LessonLaunch& launch) {
  std::string key = fmt::format("{} {}", launch.kernel, lesson.file.parent_path().string());
  for (const auto& [name, value] : launch.values) key += fmt::format(" {}={}", name, value);
  return key;
}

PipelineFigure pipeline_figure(const Pipeline& pipeline) {
  PipelineFigure figure{static_cast<double>(pipeline.copies.copy_cycles()),
                        static_cast<double>(pipeline.copies.use_cycles()),
                        pipeline.copies.in_flight(),
                        {}};
  const WarpTiming& timing = pipeline.timing;
  auto all = static_cast<double>(timing.issued);
  for (const std::uint64_t cycles : timing.stalled) all += static_cast<double>(cycles);
  for (std::size_t i = 0; all > 0 && i < kStallCount; ++i) {
    figure.waits[i] = 100 * static_cast<double>(timing.stalled[i]) / all;
  }
  return figure;
}

// Without the trace, which is large and was used.
LaunchFacts to_be_kept(LaunchFacts facts) {
  auto kept = std::make_shared<KernelStudy>(*facts.study);
  kept->trace = nullptr;
  kept->timeline = nullptr;
  kept->pipeline = nullptr;
  kept->memory = nullptr;
  facts.study = std::move(kept);
  return facts;
}

Result<LaunchFacts> study_launch(const VariantDocument& variant, const Catalogue& catalogue,
                                 const DeviceModel& device, FactsDepth depth, unsigned workers,
                                 const std::stop_token& stop) {
  auto instance = instance_of(variant, catalogue, device);
  if (!instance) return std::move(instance).error();
  auto facts = launch_facts(*std::move(instance), device, depth, workers, stop);
  if (!facts) return facts;
  facts->entry = catalogue.find(variant.kernel);
  return to_be_kept(*std::move(facts));
}

Result<LaunchFacts> plain_launch(const VariantDocument& variant, const Catalogue& catalogue,
                                 const DeviceModel& device) {
  auto instance = instance_of(variant, catalogue, device);
  if (!instance) return std::move(instance).error();
  KernelStudy study;
  study.instance = *std::move(instance);
  LaunchFacts facts;
  facts.entry = catalogue.find(variant.kernel);
  facts.device = std::make_shared<const DeviceModel>(device);
  facts.study = std::make_shared<const KernelStudy>(std::move(study));
  return facts;
}

std::string with_depth_in(const std::string& key, FactsDepth depth) {
  return fmt::format("{} {}", static_cast<int>(depth), key);
}

constexpr std::string_view kNotYet = "it is being computed";

}  // namespace

Result<LaunchFacts> launch_facts(KernelInstance instance, const DeviceModel& device,
                                 FactsDepth depth, unsigned workers, const std::stop_token& stop) {
  StudyRequest request;
  request.block = default_block(instance.grid);
  request.instance = std::move(instance);
  request.compute_capability = device.compute_capability;
  request.workers = workers;
  auto study = study_block(request, stop);
  if (study && depth >= FactsDepth::kResources) study = with_resources(*study, device, stop);
  if (study && depth >= FactsDepth::kIssued) {
    study = with_depth(*study, {.issued = true, .workers = workers}, stop);
  }
  if (!study) return std::move(study).error();
  LaunchFacts facts;
  facts.device = std::make_shared<const DeviceModel>(device);
  facts.study = *study;
  const auto prepared = prepare(**study);
  facts.accesses = line_accesses(**study, *prepared);
  if (depth >= FactsDepth::kResources) {
    ViewContext context;
    context.study = study->get();
    context.prepared = prepared;
    const auto picture = occupancy_picture(context);
    if (picture && picture->flight.possible > 0) facts.flight = picture->flight;
  }
  if (depth >= FactsDepth::kIssued) {
    if (const auto diagnosis = diagnose(**study)) {
      facts.roofline = roofline_figure((*study)->instance, device, *diagnosis, nullptr);
    }
  }
  if (depth >= FactsDepth::kPipelined) {
    const auto pipelined = with_pipeline(*study, std::nullopt, stop);
    if (pipelined) facts.pipeline = pipeline_figure(*(*pipelined)->pipeline);
  }
  return facts;
}

Result<LessonValue> figure_value(const LessonQuantity& quantity, const LaunchFacts& facts,
                                 const KnownMeasurements& known) {
  const KernelInstance& instance = facts.study->instance;
  for (const ParameterSet* set : {&instance.parameters, &instance.extents}) {
    const auto found = set->find(quantity.name);
    if (found != set->end()) return LessonValue{.number = static_cast<double>(found->second)};
  }
  const LessonFigure* figure = find_figure(quantity.name);
  if (figure == nullptr) {
    std::vector<std::string> names;
    for (const LessonFigure& each : lesson_figures()) names.emplace_back(each.name);
    return absent(fmt::format("there is no quantity {}", quantity.name),
                  did_you_mean(quantity.name, names));
  }
  LessonFigure::Asked asked{facts, 0, known, {}};
  if (figure->of == LessonFigure::Of::kName) {
    if (quantity.source_line.empty()) {
      return absent(fmt::format("{} has no name", quantity.name),
                    fmt::format("Write {}(\"name\")", quantity.name));
    }
    asked.word = quantity.source_line;
  } else if (!quantity.source_line.empty()) {
    if (figure->of != LessonFigure::Of::kLine) {
      return absent(fmt::format("{} is of a whole launch", quantity.name), "Leave out the line");
    }
    const auto line = find_source_line(instance.source, quantity.source_line);
    if (!line) return line.error();
    asked.line = *line;
  }
  return figure->value(asked);
}

FactsDepth depth_of(const LessonExpression& expression) {
  FactsDepth depth = FactsDepth::kInstance;
  for (const LessonQuantity& quantity : expression.quantities()) {
    depth = std::max(depth, depth_of(quantity));
  }
  return depth;
}

std::vector<LessonUse> expressions_of(const Lesson& lesson) {
  std::vector<LessonUse> uses;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const LessonStep& step = lesson.steps[i];
    const LessonPlace before = place_at(lesson, i, false);
    const LessonPlace after = place_at(lesson, i, true);
    const std::size_t first = uses.size();
    add_uses(step.scene, before, &uses);
    for (const LessonParagraph& each : step.text) add_uses(each, before, &uses);
    add_uses(step.answer_scene, after, &uses);
    if (step.question) {
      add_uses(step.question->words, before, &uses);
      for (const LessonQuestion::Choice& choice : step.question->choices) {
        add_uses(choice.words, after, &uses);
      }
      if (step.question->number) {
        uses.push_back({&*step.question->number, after, step.question->line});
      }
    }
    for (const LessonParagraph& each : step.answer) add_uses(each, after, &uses);
    for (const LessonClaim& claim : step.claims) {
      uses.push_back({&claim.condition, after, claim.line});
    }
    for (std::size_t use = first; use < uses.size(); ++use) uses[use].step = i;
  }
  return uses;
}

LessonFigures::LessonFigures(const Catalogue& catalogue, DeviceModel device, RunJob run,
                             unsigned workers, std::optional<KeptFigures> kept)
    : catalogue_(catalogue),
      device_(std::move(device)),
      workers_(workers),
      plain_(run_now, kMostLaunches),
      facts_(std::move(run), kMostLaunches),
      kept_(std::move(kept)) {}

const std::string& LessonFigures::kept_key(const Lesson& lesson, const LessonLaunch& launch) {
  static const std::string kNone;
  if (!kept_) return kNone;
  const auto [at, is_new] = kept_keys_.try_emplace(key_of(lesson, launch));
  if (is_new) {
    const Facts plain = begin(lesson, launch, FactsDepth::kInstance);
    if (plain && *plain) at->second = KeptFigures::key_of((*plain)->study->instance, device_);
  }
  return at->second;
}

LessonFigures::Facts LessonFigures::begin(const Lesson& lesson, const LessonLaunch& launch,
                                          FactsDepth depth) {
  const std::string key = key_of(lesson, launch);
  const std::string deep = with_depth_in(key, depth);
  auto& there = depth == FactsDepth::kInstance ? plain_ : facts_;
  if (auto known = there.find(deep)) return known;
  auto variant = variant_of(lesson, launch, catalogue_, device_);
  if (!variant) return std::move(variant).error();
  return there.get(deep, "lesson " + deep, [&] {
    return [variant = *variant, this_catalogue = &catalogue_, device = device_, depth,
            workers = workers_](const std::stop_token& stop) {
      if (depth == FactsDepth::kInstance) return plain_launch(variant, *this_catalogue, device);
      return study_launch(variant, *this_catalogue, device, depth, workers, stop);
    };
  });
}

LessonFigures::Facts LessonFigures::facts(const Lesson& lesson, const LessonLaunch& launch,
                                          FactsDepth wanted) {
  if (wanted == FactsDepth::kInstance) return begin(lesson, launch, wanted);
  const std::string key = key_of(lesson, launch);
  bool is_begun = false;
  for (FactsDepth depth = wanted; depth <= FactsDepth::kPipelined;
       depth = static_cast<FactsDepth>(static_cast<int>(depth) + 1)) {
    const std::string deep = with_depth_in(key, depth);
    if (auto known = facts_.find(deep)) return known;
    is_begun = is_begun || facts_.is_under_way(deep);
  }
  if (is_begun) return Facts(nullptr);
  return begin(lesson, launch, depth_of(lesson, launch));
}

LessonLookup LessonFigures::lookup(const Lesson& lesson, const LessonPlace& place,
                                   const KnownMeasurements& known) {
  return [this, &lesson, &place, &known](const LessonQuantity& quantity) -> Result<LessonValue> {
    if (quantity.launch.empty()) {
      const auto own = place.numbers.find(quantity.name);
      if (own != place.numbers.end()) return LessonValue{.number = own->second};
    }
    const std::string& name = quantity.launch.empty() ? place.launch : quantity.launch;
    const LessonLaunch* launch = lesson.launch(name);
    if (launch == nullptr) {
      std::vector<std::string> names;
      for (const LessonLaunch& each : lesson.launches) names.push_back(each.name);
      return absent(fmt::format("the head names no launch '{}'", name), did_you_mean(name, names));
    }
    const FactsDepth depth = depth_of(quantity);
    const bool computes = depth > FactsDepth::kInstance;
    const std::string kept_as = computes ? kept_key(lesson, *launch) : std::string();
    if (kept_) {
      if (const LessonValue* kept = kept_->find(kept_as, quantity)) return *kept;
    }
    const auto there = facts(lesson, *launch, depth);
    if (!there) return there.error();
    if (*there == nullptr) return Error{ErrorCode::kCancelled, std::string(kNotYet), "", {}};
    auto value = figure_value(quantity, **there, known);
    if (kept_ && value) kept_->keep(kept_as, quantity, *value);
    return value;
  };
}

bool LessonFigures::is_under_way(const Error& error) {
  return error.code == ErrorCode::kCancelled && error.message == kNotYet;
}

LessonFigures::Value LessonFigures::value(const Lesson& lesson, const LessonPlace& place,
                                          const LessonExpression& expression,
                                          const KnownMeasurements& known) {
  auto value = expression.evaluate(lookup(lesson, place, known));
  if (value) return std::optional(*std::move(value));
  if (is_under_way(value.error())) return std::optional<LessonValue>();
  return std::move(value).error();
}

LessonFigures::Compared LessonFigures::compare(const Lesson& lesson, const LessonPlace& place,
                                               const LessonExpression& condition,
                                               const KnownMeasurements& known) {
  auto compared = condition.compare(lookup(lesson, place, known));
  if (compared) return std::optional(*std::move(compared));
  if (is_under_way(compared.error())) return std::optional<LessonExpression::Compared>();
  return std::move(compared).error();
}

bool LessonFigures::prepare(const Lesson& lesson, std::size_t step) {
  std::set<std::pair<FactsDepth, const LessonLaunch*>> asked;
  for (const LessonUse& use : expressions_of(lesson)) {
    if (use.step != step) continue;
    for (const LessonQuantity& quantity : use.expression->quantities()) {
      const auto [launch, depth] = asked_of(lesson, use, quantity);
      if (launch == nullptr || depth == FactsDepth::kInstance) continue;
      if (kept_ && kept_->find(kept_key(lesson, *launch), quantity) != nullptr) continue;
      asked.emplace(depth, launch);
    }
  }
  bool all_known = true;
  for (const auto& [depth, launch] : asked) {
    const Facts there = begin(lesson, *launch, depth);
    all_known = all_known && (!there || *there != nullptr);  // an error is said where it is shown
  }
  return all_known;
}

}  // namespace tilescope
