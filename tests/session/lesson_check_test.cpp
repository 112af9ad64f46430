// What a lesson says is evaluated over real kernels: figures, claims, scenes; every lesson that
// ships.
#include "session/lesson_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/paths.h"
#include "kernel/compile/compile.h"
#include "kernel/test_catalogue.h"
#include "session/document.h"
#include "session/lesson_chart.h"
#include "session/lesson_launch.h"
#include "session/lesson_library.h"
#include "session/lesson_reader.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

const std::string kHead =
    "---\ntitle: T\nunderstand: U.\nminutes: 5\n"
    "launch tiled: transpose/tiled with PAD = 0, ROWS = 256, COLS = 256\n"
    "launch padded: transpose/tiled with PAD = 1, ROWS = 1024, COLS = 1024\n---\n";

const RecordedLibrary& recorded() {
  static const RecordedLibrary library = *RecordedLibrary::load_shipped(testing::catalogue());
  return library;
}
const Glossary& glossary() {
  static const Glossary glossary = *Glossary::load_shipped();
  return glossary;
}
// Of all tests: a launch is studied once.
LessonFigures& figures() {
  static LessonFigures all(testing::catalogue(), testing::device(90), run_now, 2);
  return all;
}

class LessonChecks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!compiler_info()) GTEST_SKIP() << "no NVRTC";
  }
  static Lesson lesson(const std::string& steps, const std::string& head = kHead) {
    auto parsed = parse_lesson(head + steps, "l.md");
    EXPECT_TRUE(parsed.ok()) << to_string(parsed.error());
    return parsed ? *parsed : Lesson{};
  }
  static std::vector<std::string> problems(const Lesson& lesson) {
    const KnownMeasurements known{recorded()};
    std::vector<std::string> words;
    for (const Error& error : check_lesson(lesson, {figures(), known, glossary(), {}})) {
      words.push_back(to_string(error));
    }
    return words;
  }
  // The text of one value, with its mark.
  static std::string value(const std::string& expression, const std::string& shown = "tiled") {
    const Lesson one = lesson("## S\nshow: banks of tiled\nIs {{" + expression + "}}.\n");
    const KnownMeasurements known{recorded()};
    return text_of(one, one.steps[0].text[0], {shown, {}}, figures(), known);
  }
};

const char* const kChart =
    "---\ntitle: T\nunderstand: U.\nminutes: 1\nlaunch tiled: transpose/tiled\n"
    "number share: 0.5, from 0 to 1.0\nnumber n: 4, from 1 to 256\n---\n"
    "## S\nshow: chart of tiled\nover: n\ncurve: Amdahl = 1 / (1 - share + share / n) as times\n"
    "control: share\nWith {{n}}: {{1 / (1 - share + share / n) as times}}.\n"
    "claim: 1 / (1 - share + share / n) == 1.6\n\n## T\nshow: chart of tiled\nset: share = 1\n"
    "over: n\ncurve: Amdahl = 1 / (1 - share + share / n) as times\n"
    "dot: here = tiled.BLOCK_ROWS as times at tiled.PAD\nIs {{share}}.\nclaim: share == 1\n";

TEST_F(LessonChecks, AChartIsOfANumberOfTheLesson) {
  const Lesson one = lesson("", kChart);
  EXPECT_EQ(problems(one), std::vector<std::string>{});
  const KnownMeasurements known{recorded()};
  LessonPlace place = place_at(one, 0, false);
  EXPECT_EQ(place.numbers, (LessonNumbers{{"n", 4}, {"share", 0.5}}));
  const auto chart = lesson_chart(one, *one.steps[0].scene, place, figures(), known);
  ASSERT_TRUE(chart.ok() && chart->has_value()) << to_string(chart.error());
  ASSERT_EQ((*chart)->curves.size(), 1U);
  EXPECT_TRUE((*chart)->x.is_logarithmic());
  EXPECT_NEAR((*chart)->curves[0].points.back().second, 1 / (0.5 + 0.5 / 256), 1e-9);
  EXPECT_NEAR((*chart)->curves[0].now, 1.6, 1e-9);
  EXPECT_EQ((*chart)->y.words(2), "2 ×");
  place.numbers["n"] = 1;
  EXPECT_EQ(text_of(one, one.steps[0].text[0], place, figures(), known), "With 1: 1 ×.");
  const auto second =
      lesson_chart(one, *one.steps[1].scene, place_at(one, 1, false), figures(), known);
  ASSERT_TRUE(second.ok() && second->has_value()) << to_string(second.error());
  ASSERT_EQ((*second)->dots.size(), 1U);
  EXPECT_EQ((*second)->dots[0].y, 8);
}

TEST_F(LessonChecks, AChartThatCannotBeDrawnIsNamedWithItsLine) {
  std::string nowhere = kChart;
  const std::string at = "tiled.BLOCK_ROWS as times at tiled.PAD";
  nowhere.replace(nowhere.find(at), at.size(), "1 as times at 1000");
  ASSERT_EQ(problems(lesson("", nowhere)).size(), 1U);
  EXPECT_NE(
      problems(lesson("", nowhere))[0].find("l.md:22: here: 1000 is outside of the range of n"),
      std::string::npos)
      << problems(lesson("", nowhere))[0];
  std::string mixed = kChart;
  mixed.replace(mixed.find(at), at.size(), "tiled.shared_bytes at 4");
  ASSERT_EQ(problems(lesson("", mixed)).size(), 1U);
  EXPECT_NE(problems(lesson("", mixed))[0].find("another unit"), std::string::npos);
}

TEST_F(LessonChecks, ValuesAreTheProgramsOwn) {
  EXPECT_EQ(value("wavefronts_per_load(\"tile[tx][ty + step]\")"), "Is 32 ◆.");
  EXPECT_EQ(value("padded.wavefronts_per_load"), "Is 1 ◆.");
  EXPECT_EQ(value("tiled.sectors_per_load + tiled.sectors_per_store"), "Is 8 ◆.");
  EXPECT_EQ(value("load_efficiency"), "Is 100 % ◆.");
  EXPECT_EQ(value("PAD + padded.PAD"), "Is 1.") << "what is set has no mark";
  EXPECT_EQ(value("ROWS * COLS / (blocks * TILE * TILE)"), "Is 1.");
  EXPECT_EQ(value("load_requests * 32"), "Is 65,536 ◆.");
  EXPECT_EQ(value("padded.time"), "Is 6.14 µs ○.");
  EXPECT_EQ(value("padded.problem_bytes / padded.time"), value("padded.bandwidth"));
  EXPECT_EQ(value("shared_bytes"), "Is 4.00 KiB ◆.");
  EXPECT_EQ(value("time"), "Is –.") << "nobody recorded this size";
}

TEST_F(LessonChecks, EveryFigureHasAValueOrSaysWhyNot) {
  // A counter that was recorded of `padded`, and a stall that the model has of it.
  const std::map<std::string_view, std::string> names = {
      {"stalled", "barrier"}, {"counted", "smsp__inst_executed.sum"}, {"waits", "barrier"}};
  const std::string head =
      "---\ntitle: T\nunderstand: U.\nminutes: 5\nlaunch padded: transpose/tiled\n"
      "launch published: transpose/tiled with ROWS = 4000, COLS = 4000\n---\n";
  const Lesson one =
      lesson("## S\nshow: banks of padded\n{{instructions}} {{waits(\"barrier\")}}\n", head);
  const KnownMeasurements known{recorded()};
  for (const LessonFigure& figure : lesson_figures()) {
    const auto expression = LessonExpression::parse(
        std::string(figure.name) +
        (figure.of == LessonFigure::Of::kName ? "(\"" + names.at(figure.name) + "\")" : ""));
    ASSERT_TRUE(expression.ok()) << figure.name;
    const LessonPlace place{figure.name.starts_with("published") ? "published" : "padded", {}};
    const auto there = figures().value(one, place, *expression, known);
    ASSERT_TRUE(there.ok()) << figure.name << ": " << to_string(there.error());
    ASSERT_TRUE(there->has_value()) << figure.name;
    EXPECT_TRUE((*there)->word.empty() ? (*there)->number >= 0 : true) << figure.name;
  }
}

// Of the ladder of the GEMM: intensity, what the hardware waited for, what the model waits for.
TEST_F(LessonChecks, CountersAndModelsAreQuantitiesWithAName) {
  const Lesson one = lesson(
      "## S\nshow: pipeline of one\n{{one.flop / one.moved_bytes}}, "
      "{{one.stalled(\"long scoreboard\")}} and {{two.stalled(\"long scoreboard\")}}; "
      "{{one.waits(\"long scoreboard\")}}\n\n"
      "claim: one.stalled(\"long scoreboard\") > 5 * two.stalled(\"long scoreboard\")\n"
      "claim: one.waits(\"long scoreboard\") > 5 * two.waits(\"long scoreboard\")\n"
      "claim: one.roof_name == \"arithmetic\"\nclaim: one.unit_peak == one.peak_rate\n",
      "---\ntitle: T\nunderstand: U.\nminutes: 5\nlaunch one: gemm/register_tile with STAGES = 1\n"
      "launch two: gemm/register_tile with STAGES = 2\n---\n");
  EXPECT_EQ(problems(one), std::vector<std::string>());
  const Lesson old = lesson(
      "## S\nshow: banks of one\n{{published_rate}} {{published_time}}\n\n"
      "claim: published_rate == 93400000000\nclaim: published_rate * published_time == "
      "problem_bytes\n",
      "---\ntitle: T\nunderstand: U.\nminutes: 5\n"
      "launch one: transpose/tiled with ROWS = 4000, COLS = 4000\n---\n");
  EXPECT_EQ(problems(old), std::vector<std::string>());
  const auto only = [&](const std::string& expression) {
    const auto found = problems(lesson("## S\nshow: banks of tiled\nIs {{" + expression + "}}.\n"));
    return found.size() == 1 ? found.front() : std::string();
  };
  EXPECT_NE(only("stalled").find("stalled(\"name\")"), std::string::npos);
  EXPECT_NE(only("waits(\"long scorebord\")").find("long scoreboard"), std::string::npos);
  EXPECT_NE(only("stalled(\"barrier\")").find("no counters of"), std::string::npos);
}

TEST_F(LessonChecks, PublishedFiguresHaveTheGpuTheyAreOf) {
  const Lesson old = lesson("## S\nshow: tiling of even\nIs {{published_rate}}.\n",
                            "---\ntitle: T\nunderstand: U.\nminutes: 1\n"
                            "launch even: transpose/tiled with ROWS = 4000, COLS = 4000\n---\n");
  const KnownMeasurements known{recorded()};
  const auto expression = LessonExpression::parse("published_rate");
  const auto value = figures().value(old, place_at(old, 0, false), *expression, known);
  ASSERT_TRUE(value.ok() && value->has_value()) << to_string(value.error());
  EXPECT_EQ((*value)->gpu, "NVIDIA GeForce GTX 280");
  EXPECT_DOUBLE_EQ((*value)->number, 93.4e9);
}

TEST_F(LessonChecks, ALessonThatIsRightHasNoProblem) {
  const Lesson right = lesson(
      "## S\nshow: banks of tiled\nline: tile[tx][ty + step]\nA [bank].\n"
      "claim: wavefronts_per_load >= 8 * padded.wavefronts_per_load\n");
  EXPECT_EQ(problems(right), std::vector<std::string>());
}

TEST_F(LessonChecks, WhatIsWrongHasItsLine) {
  const auto only = [](const Lesson& wrong) {
    const std::vector<std::string> found = problems(wrong);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? std::string() : found.front();
  };
  const std::string scene = "## S\nshow: banks of tiled\n";
  const auto expect = [&](const std::string& steps, const char* place, const char* says) {
    const std::string found = only(lesson(steps));
    EXPECT_EQ(found.find(place), 0U) << found;
    EXPECT_NE(found.find(says), std::string::npos) << found;
  };
  expect(scene + "Text.\nclaim: wavefronts_per_load == 1\n",
         "l.md:11:", "does not hold: 32 against 1");
  expect(scene + "A [bonk].\n", "l.md:10:", "no term 'bonk'");
  expect(scene + "{{sectors_per_lode}}\n", "l.md:10:", "sectors_per_load");
  expect(scene + "{{other.time}}\n", "l.md:10:", "no launch 'other'");
  expect(scene + "{{time}}\n", "l.md:10:", "no time of");
  expect(scene + "{{blocks(\"tile[tx]\")}}\n", "l.md:10:", "of a whole launch");
  expect(scene + "{{wavefronts_per_load(\"tile\")}}\n", "l.md:10:", "Write more of the line");
  expect("## S\nshow: bonks of tiled\nText.\n", "l.md:9:", "no view bonks");
  expect("## S\nshow: compare of tiled\nText.\n", "l.md:9:", "cannot show compare");
  expect(scene + "line: nowhere\nText.\n", "l.md:9:", "no line of the kernel");
  expect(scene + "line: static_assert\nText.\n", "l.md:9:", "never executes");
  expect(scene + "select: block 99 0\nText.\n", "l.md:9:", "no block 99 0");
  expect(scene + "select: warp 8\nText.\n", "l.md:9:", "no warp 8");
  expect(scene + "control: STAGES\nText.\n", "l.md:9:", "no parameter STAGES");
  expect(scene + "set: hat = 1\nText.\n", "l.md:9:", "hat");
}

TEST_F(LessonChecks, LaunchesThatCannotBeAreNamed) {
  const auto head = [](const std::string& launch) {
    return "---\ntitle: T\nunderstand: U.\nminutes: 5\nfirst: nowhere\nlaunch a: " + launch +
           "\n---\n";
  };
  const auto found = [&](const std::string& launch) {
    const auto all = problems(lesson("## S\nshow: banks of a\nText.\n", head(launch)));
    EXPECT_EQ(all.size(), 2U);
    return all.size() == 2 ? all[0] + all[1] : std::string();
  };
  EXPECT_NE(found("copy/plane").find("l.md:6: there is no kernel or file copy/plane"),
            std::string::npos);
  EXPECT_NE(found("copy/plain with PAD = 1").find("PAD"), std::string::npos);
  EXPECT_NE(found("copy/plain with BLOCK_X = 3").find("BLOCK_X"), std::string::npos);
  EXPECT_NE(found("copy/plain with ROWS = 0").find("1 or more"), std::string::npos);
  const auto only = problems(lesson("## S\nshow: banks of a\nText.\n", head("copy/plain")));
  ASSERT_EQ(only.size(), 1U);
  EXPECT_NE(only[0].find("no lesson 'nowhere'"), std::string::npos);
}

TEST_F(LessonChecks, ALaunchMayBeAFileBesideTheLesson) {
  const testing::TemporaryFolder folder;
  folder.write("twice.cu",
               "__global__ void twice(float* x, int n) {\n"
               "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  if (i < n) x[i] = 2 * x[i];\n}\n");
  const auto file = folder.write("own.md",
                                 "---\ntitle: T\nunderstand: U.\nminutes: 5\n"
                                 "launch mine: twice.cu\n---\n"
                                 "## S\nshow: coalescing of mine\nline: x[i] = 2\n"
                                 "{{sectors_per_load}}\nclaim: sectors_per_store == 4\n");
  const auto own = read_lesson(file);
  ASSERT_TRUE(own.ok()) << to_string(own.error());
  EXPECT_EQ(problems(*own), std::vector<std::string>());
}

class LaterFigures : public LessonChecks {
 protected:
  LessonFigures::Value value(const LessonExpression& expression) {
    return later_.value(one_, LessonPlace{"tiled", {}}, expression, KnownMeasurements{recorded()});
  }
  void run_jobs() {
    for (const JobPool::Work& job : std::exchange(jobs_, {})) job({});
  }

  std::vector<JobPool::Work> jobs_;
  LessonFigures later_{testing::catalogue(), testing::device(90),
                       [this](const std::string&, JobPool::Work work) { jobs_.push_back(work); },
                       1};
  const Lesson one_ = lesson(
      "## S\nshow: banks of tiled\n{{wavefronts_per_load}} {{padded.load_sectors}}\n"
      "## T\n{{blocks}} {{registers}}\n");
  const LessonExpression& wavefronts_ = one_.steps[0].text[0][0].value;
  const LessonExpression& blocks_ = one_.steps[1].text[0][0].value;
  const LessonExpression& registers_ = one_.steps[1].text[0][2].value;
};

// A second program's start: what the first has computed is there, and no job is asked for.
TEST_F(LaterFigures, AreThereAtTheNextStart) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "lesson_figures";
  const auto start = [&](const std::string& program) {
    return LessonFigures(
        testing::catalogue(), testing::device(90),
        [this](const std::string&, JobPool::Work work) { jobs_.push_back(work); }, 1,
        KeptFigures(file, [program] { return program; }));
  };
  const LessonPlace place{"tiled", {}};
  const KnownMeasurements known{recorded()};
  LessonFigures first = start("1");
  EXPECT_FALSE(first.prepare(one_, 0));
  run_jobs();
  const auto computed = first.value(one_, place, wavefronts_, known);
  ASSERT_TRUE(computed && *computed);
  std::ofstream(file, std::ios::app) << R"({"of": "cut)";  // by a crash

  LessonFigures second = start("1");
  const auto kept = second.value(one_, place, wavefronts_, known);
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->number, (*computed)->number);
  EXPECT_EQ((*kept)->source, (*computed)->source);
  EXPECT_TRUE(jobs_.empty());
  EXPECT_FALSE(second.prepare(one_, 0)) << "the other launch was not asked";
  EXPECT_EQ(jobs_.size(), 1U);
  jobs_.clear();

  // Another kernel, another size, another program.
  const Lesson other = lesson("## S\nshow: banks of padded\n{{wavefronts_per_load}}\n");
  const auto unknown = second.value(other, {"padded", {}}, other.steps[0].text[0][0].value, known);
  ASSERT_TRUE(unknown.ok());
  EXPECT_FALSE(unknown->has_value());
  LessonFigures third = start("2");
  const auto anew = third.value(one_, place, wavefronts_, known);
  ASSERT_TRUE(anew.ok());
  EXPECT_FALSE(anew->has_value());
  jobs_.clear();
}

TEST_F(LaterFigures, ComeWhenTheirJobIsDone) {
  EXPECT_FALSE(later_.prepare(one_, 0));
  EXPECT_EQ(jobs_.size(), 2U) << "one for each launch";
  auto there = value(wavefronts_);
  ASSERT_TRUE(there.ok());
  EXPECT_FALSE(there->has_value());
  EXPECT_EQ(jobs_.size(), 2U) << "it is under way";
  run_jobs();
  EXPECT_TRUE(later_.prepare(one_, 0));
  there = value(wavefronts_);
  ASSERT_TRUE(there.ok() && there->has_value());
  EXPECT_EQ((*there)->number, 32);
}

TEST_F(LaterFigures, OfTheLaunchItselfAreThereAtOnce) {
  const auto there = value(blocks_);
  ASSERT_TRUE(there.ok() && there->has_value());
  EXPECT_EQ((*there)->number, 64);
  EXPECT_EQ(jobs_.size(), 0U);
}

TEST_F(LaterFigures, DeeperStudyAnswersWhatAsksLess) {
  EXPECT_FALSE(later_.prepare(one_, 1));
  EXPECT_EQ(jobs_.size(), 1U) << "registers; blocks need none";
  ASSERT_TRUE(value(wavefronts_).ok());
  EXPECT_EQ(jobs_.size(), 1U) << "what is under way will know";
  run_jobs();
  const auto registers = value(registers_);
  ASSERT_TRUE(registers.ok() && registers->has_value());
  EXPECT_GT((*registers)->number, 0);
  const auto there = value(wavefronts_);
  ASSERT_TRUE(there.ok() && there->has_value());
  EXPECT_EQ((*there)->number, 32);
  EXPECT_EQ(jobs_.size(), 0U);
}

// A scene stands where it says.
TEST_F(LessonChecks, AScenesMomentIsTheFirstAccessOfItsLine) {
  const Lesson one =
      lesson("## S\nshow: banks of tiled\nline: tile[tx][ty + step]\nselect: warp 2\nText.\n");
  const LessonScene& scene = *one.steps[0].scene;
  const auto variant = variant_of(one, scene, testing::catalogue(), testing::device(90));
  ASSERT_TRUE(variant.ok()) << to_string(variant.error());
  EXPECT_EQ(variant->selection.warp, 2U);
  StudyRequest request;
  request.instance = *instance_of(*variant, testing::catalogue(), testing::device(90));
  request.block = variant->selection.block;
  const auto study = study_block(request, {});
  ASSERT_TRUE(study.ok());
  const Selection selection = selection_of(scene, variant->selection, **study, *prepare(**study));
  const TraceEvent event = (*study)->trace->events[selection.event];
  const StaticInstruction& instruction = (*study)->program->instructions()[event.instruction];
  EXPECT_EQ(event.warp, 2);
  EXPECT_EQ(instruction.outermost.line, variant->selection.line);
  EXPECT_NE(instruction.access, AccessKind::kNone);
}

const LessonLibrary& shipped() {
  static const LessonLibrary library = load_lessons({resource_directory() / "assets" / "lessons"});
  return library;
}
// The lessons, then their translations.
std::vector<const Lesson*> all_lessons() {
  std::vector<const Lesson*> all;
  for (const Lesson& lesson : shipped().lessons) all.push_back(&lesson);
  for (const Lesson& lesson : shipped().translations) all.push_back(&lesson);
  return all;
}

TEST(ShippedLessons, CanAllBeRead) {
  for (const Error& problem : shipped().problems) ADD_FAILURE() << to_string(problem);
  EXPECT_FALSE(shipped().lessons.empty());
}

class ShippedLesson : public ::testing::TestWithParam<const Lesson*> {};

TEST_P(ShippedLesson, IsTrue) {
  if (!compiler_info()) GTEST_SKIP() << "no NVRTC";
  const KnownMeasurements known{recorded()};
  for (const Error& problem :
       check_lesson(*GetParam(), {figures(), known, glossary(), shipped()})) {
    ADD_FAILURE() << to_string(problem);
  }
}

INSTANTIATE_TEST_SUITE_P(Lessons, ShippedLesson, ::testing::ValuesIn(all_lessons()),
                         [](const auto& tested) {
                           const Lesson& lesson = *tested.param;
                           return lesson.name +
                                  (lesson.language.empty() ? "" : "_" + lesson.language);
                         });

// The author's page names every quantity, with what it is.
TEST(LessonPage, HasAllQuantities) {
  const std::string page =
      read_file(resource_directory() / "docs" / "writing_a_lesson.md", 1U << 20).value_or("");
  constexpr std::array kBetween{"", "a line", "its name"};
  std::string rows;
  for (const LessonFigure& figure : lesson_figures()) {
    rows += "| `" + std::string(figure.name) + "` | " +
            kBetween[static_cast<std::size_t>(figure.of)] + " | " + std::string(figure.meaning) +
            " |\n";
  }
  EXPECT_NE(page.find(rows + "<!-- figures:end -->"), std::string::npos)
      << "docs/writing_a_lesson.md needs these rows:\n"
      << rows;
}

}  // namespace
}  // namespace tilescope
