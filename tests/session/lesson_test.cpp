// Lessons as files: what is read, and what is refused with place and remedy.
#include "session/lesson.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "session/lesson_library.h"
#include "session/lesson_reader.h"
#include "session/lesson_text.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

const std::string kHead =
    "---\ntitle: A title\nunderstand: A thing.\nminutes: 5\nfirst: other, another\n"
    "launch one: copy/plain\nlaunch two: transpose/tiled with PAD = 0, ROWS = 64\n---\n";
const std::string kStep = "## A step\nshow: banks of two\nSome text.\n";

Result<Lesson> parse(const std::string& text) { return parse_lesson(text, "l/02_name.md"); }

TEST(Lesson, HasAHeadAndSteps) {
  const auto lesson = parse(kHead + kStep);
  ASSERT_TRUE(lesson.ok()) << to_string(lesson.error());
  EXPECT_EQ(lesson->name, "name") << "the number is its place";
  EXPECT_EQ(lesson->title, "A title");
  EXPECT_EQ(lesson->minutes, 5);
  EXPECT_EQ(lesson->first, (std::vector<std::string>{"other", "another"}));
  ASSERT_EQ(lesson->launches.size(), 2U);
  EXPECT_EQ(lesson->launch("two")->kernel, "transpose/tiled");
  EXPECT_EQ(lesson->launch("two")->values, (ParameterSet{{"PAD", 0}, {"ROWS", 64}}));
  ASSERT_EQ(lesson->steps.size(), 1U);
  EXPECT_EQ(lesson->steps[0].title, "A step");
  EXPECT_EQ(lesson->steps[0].scene->view, "banks");
  EXPECT_EQ(lesson->steps[0].scene->launch, "two");
}

TEST(Lesson, TextHasRunsThatStandTogether) {
  const auto lesson = parse(kHead +
                            "## S\nshow: banks of two\nA **strong** `code` and\n[bank]s with "
                            "{{ one.ROWS }}.\n\nNext.\n");
  ASSERT_TRUE(lesson.ok()) << to_string(lesson.error());
  ASSERT_EQ(lesson->steps[0].text.size(), 2U);
  using Kind = LessonRun::Kind;
  std::vector<std::pair<Kind, std::string>> runs;
  for (const LessonRun& run : lesson->steps[0].text[0]) runs.emplace_back(run.kind, run.text);
  EXPECT_EQ(runs, (std::vector<std::pair<Kind, std::string>>{{Kind::kPlain, "A "},
                                                             {Kind::kStrong, "strong"},
                                                             {Kind::kPlain, " "},
                                                             {Kind::kCode, "code"},
                                                             {Kind::kPlain, " and "},
                                                             {Kind::kTerm, "banks"},
                                                             {Kind::kPlain, " with "},
                                                             {Kind::kValue, "one.ROWS"},
                                                             {Kind::kPlain, "."}}));
  EXPECT_EQ(term_of(lesson->steps[0].text[0][5]), "bank");
}

TEST(Lesson, ALineThatGoesOnIsNoField) {
  const auto text = [](const char* step) {
    return parse(kHead + "## S\nshow: banks of two\n\n" + step);
  };
  for (const char* word : {"more", "time", "line"}) {
    const auto goes_on = text(fmt::format("It costs\n{}: twice.\n", word).c_str());
    ASSERT_TRUE(goes_on.ok()) << to_string(goes_on.error());
    EXPECT_EQ(goes_on->steps[0].text[0][0].text, fmt::format("It costs {}: twice.", word));
  }
  const auto field = text("It costs\nclaim: 1 < 2\n");
  ASSERT_TRUE(field.ok()) << to_string(field.error());
  EXPECT_EQ(field->steps[0].claims.size(), 1U);
  EXPECT_FALSE(text("ask: Is it {{two.PAD}}?\n- [ ] Yes\n- [x] No\n\nSo.\n").ok());
  EXPECT_FALSE(text("more: twice.\n").ok()) << "it begins one: a field that is misspelt";
}

TEST(Lesson, WhatStandsBelowTheQuestionComesAfterTheAnswer) {
  const auto lesson =
      parse(kHead +
            "## S\nshow: banks of two\nBefore.\n\n> A note\n> goes on.\n\nask: How many?\n- [ ] 1\n"
            "- [x] {{two.PAD}}\n\nshow: coalescing of one\nline: in[\nselect: warp 1, lane 7, "
            "block 2 3\ntime: 40 %\nzoom: 4 at 0.25 0.5\nset: heat = 1\ncontrol: BLOCK_X\n"
            "After.\nclaim: 1 < 2\n## T\nGoes on.\n");
  ASSERT_TRUE(lesson.ok()) << to_string(lesson.error());
  const LessonStep& step = lesson->steps[0];
  ASSERT_TRUE(step.question.has_value());
  ASSERT_EQ(step.question->words.size(), 1U);
  EXPECT_EQ(step.question->words[0].text, "How many?");
  ASSERT_EQ(step.question->choices.size(), 2U);
  EXPECT_FALSE(step.question->choices[0].right);
  EXPECT_TRUE(step.question->choices[1].right);
  EXPECT_EQ(step.text.size(), 1U);
  EXPECT_EQ(step.answer.size(), 1U);
  EXPECT_EQ(step.notes, (std::vector<std::string>{"A note goes on."}));
  EXPECT_EQ(step.claims.size(), 1U);
  ASSERT_TRUE(step.answer_scene.has_value());
  const LessonScene& scene = *step.answer_scene;
  EXPECT_EQ(scene.source_line, "in[");
  EXPECT_EQ(scene.warp, 1U);
  EXPECT_EQ(scene.lane, 7);
  EXPECT_EQ(scene.block, (std::pair<std::uint32_t, std::uint32_t>{2, 3}));
  EXPECT_EQ(scene.time.kind, SceneTime::Kind::kShare);
  EXPECT_EQ(scene.zoom, 4);
  EXPECT_EQ(scene.centre_x, 0.25F);
  EXPECT_EQ(scene.control, "BLOCK_X");
  EXPECT_EQ(scene_at(*lesson, 0, false), &*step.scene);
  EXPECT_EQ(scene_at(*lesson, 0, true), &scene);
  EXPECT_EQ(scene_at(*lesson, 1, false), &scene) << "a step without a scene stays in the last one";
}

struct Wrong {
  const char* what;
  std::string text;
  int line;
  const char* says;    // of the message
  const char* remedy;  // or a part of it
};

class WrongLesson : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongLesson, IsRefusedWithItsLineAndARemedy) {
  const auto lesson = parse(GetParam().text);
  ASSERT_FALSE(lesson.ok());
  EXPECT_EQ(lesson.error().code, ErrorCode::kUsage);
  EXPECT_EQ(lesson.error().place.file, "l/02_name.md");
  EXPECT_EQ(lesson.error().place.line, GetParam().line) << to_string(lesson.error());
  EXPECT_NE(lesson.error().message.find(GetParam().says), std::string::npos)
      << to_string(lesson.error());
  EXPECT_NE(lesson.error().remedy.find(GetParam().remedy), std::string::npos)
      << to_string(lesson.error());
}

std::string long_text() {
  std::string text = "## Long\nshow: banks of two\n";
  for (int i = 0; i < 121; ++i) text += "word ";
  return text + "\n";
}

std::string name_of_case(const ::testing::TestParamInfo<Wrong>& wrong) {
  std::string name;
  for (const char* c = wrong.param.what; *c != 0; ++c) name += *c == ' ' ? '_' : *c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongLesson,
    ::testing::Values(
        Wrong{"no head", "## Step\n", 1, "begins with a head", "title:"},
        Wrong{"unknown field", "---\ntitel: x\n---\n", 2, "no field 'titel'", "title"},
        Wrong{"no minutes", "---\ntitle: x\nunderstand: y\n---\n", 4, "no 'minutes:'", "above"},
        Wrong{"minutes", "---\nminutes: soon\n---\n", 2, "whole number", "10"},
        Wrong{"settings", "---\nlaunch a: copy/plain with PAD\n---\n", 2, "no settings", "PAD = 1"},
        Wrong{"launch twice", "---\nlaunch a: x\nlaunch a: y\n---\n", 3, "twice",
              "name of its own"},
        Wrong{"open head", "---\ntitle: x\n", 2, "does not end", "---"},
        Wrong{"no step", kHead, 8, "no step", "## Heading"},
        Wrong{"text first", kHead + "Words.\n", 9, "before the first step", "## Heading"},
        Wrong{"no scene", kHead + "## S\nText.\n", 9, "shows nothing", "show:"},
        Wrong{"no text", kHead + "## S\nshow: banks of two\n", 9, "no text", "sentence"},
        Wrong{"unknown launch", kHead + "## S\nshow: banks of tow\n", 10, "no launch 'tow'", "two"},
        Wrong{"field of a step", kHead + kStep + "\nshwo: x\n", 13, "no field 'shwo'", "show"},
        Wrong{"field without scene", kHead + "## S\ntime: 3 %\n", 10, "without a scene", "show:"},
        Wrong{"time", kHead + "## S\nshow: banks of two\ntime: late\n", 11, "no time", "40 %"},
        Wrong{"lane", kHead + "## S\nshow: banks of two\nselect: lane 32\n", 11, "selects nothing",
              "0 to 31"},
        Wrong{"value", kHead + kStep + "It is {{1 +}}.\n", 12, "{{1 +}}", "writing_a_lesson"},
        Wrong{"value in a heading", kHead + "## S {{two.PAD}}\n", 9, "a heading shows no values",
              "step's text"},
        Wrong{"value in a note", kHead + kStep + "> Say {{two.PAD}}.\n", 12,
              "a note shows no values", "step's text"},
        Wrong{"open value", kHead + kStep + "It is {{one.\n", 12, "no '}}'", "{{text}}"},
        Wrong{"nested", kHead + kStep + "It is **{{one.ROWS}}**.\n", 12, "marks inside",
              "without the stars"},
        Wrong{"claim", kHead + kStep + "claim: 1 + 1\n", 12, "compares two", ">="},
        Wrong{"choice", kHead + kStep + "- [x] yes\n", 12, "below 'ask:'", "question first"},
        Wrong{"no right", kHead + kStep + "ask: What?\n- [ ] a\n- [ ] b\n\nText.\n", 9,
              "no one right answer", "- [x]"},
        Wrong{"no explanation", kHead + kStep + "ask: What?\nanswer: 1\n", 9, "explains the answer",
              "below the question"},
        Wrong{"long", kHead + long_text(), 9, "121 words", "two steps"}),
    name_of_case);

const std::string kNumbers =
    "---\ntitle: T\nunderstand: U.\nminutes: 1\nlaunch one: copy/plain\n"
    "number n: 4, from 1 to 64\n---\n## S\n";

TEST(Lesson, HasNumbersOfItsOwnAndChartsOverThem) {
  const auto lesson = parse(kNumbers +
                            "show: chart of one\nover: n\nset: n = 8\ncurve: half = n / 2\n"
                            "dot: a at b = one.time at max(1, 2)\nText.\n");
  ASSERT_TRUE(lesson.ok()) << to_string(lesson.error());
  ASSERT_NE(lesson->number("n"), nullptr);
  EXPECT_TRUE(lesson->number("n")->whole);
  const LessonScene& scene = *lesson->steps[0].scene;
  EXPECT_TRUE(scene.is_chart());
  ASSERT_EQ(scene.dots.size(), 1U);
  EXPECT_EQ(scene.dots[0].name, "a at b");
  EXPECT_EQ(scene.dots[0].y.text(), "one.time");
  EXPECT_EQ(scene.dots[0].x.text(), "max(1, 2)");
  EXPECT_EQ(place_at(*lesson, 0, false).numbers.at("n"), 8);
}

TEST(Lesson, RefusesANumberOrAChartThatIsWrittenWrong) {
  const auto refused = [](const std::string& text) {
    const auto lesson = parse(text);
    return lesson ? std::string() : to_string(lesson.error());
  };
  std::string outside = kNumbers;
  outside.replace(outside.find("4, from"), 1, "99");
  EXPECT_NE(refused(outside).find("02_name.md:6: '99, from 1 to 64' is no number"),
            std::string::npos)
      << refused(outside);
  EXPECT_NE(refused(kNumbers + "show: chart of one\nText.\n").find("no curve over a number"),
            std::string::npos);
  EXPECT_NE(refused(kNumbers + "show: chart of one\nover: m\n").find("no number 'm'"),
            std::string::npos);
  EXPECT_NE(refused(kNumbers + "show: chart of one\nset: n = 65\n").find("sets no value"),
            std::string::npos);
  EXPECT_NE(refused(kNumbers + "show: tiling of one\nover: n\n").find("is of a chart"),
            std::string::npos);
  EXPECT_NE(refused(kNumbers + "show: chart of one\ncurve: n / 2\n").find("is no curve"),
            std::string::npos);
  EXPECT_NE(refused(kNumbers + "show: chart of one\ndot: here = n\n").find("is no dot"),
            std::string::npos);
}

TEST(LessonLibrary, TakesTheUsersOverTheProgramsAndNamesWhatIsBroken) {
  const testing::TemporaryFolder ours;
  const testing::TemporaryFolder own;
  ours.write("01_a.md", kHead + kStep);
  ours.write("02_b.md", kHead + kStep);
  ours.write("notes.txt", "no lesson");
  own.write("b.md", kHead + "## Mine\nshow: banks of two\nText.\n");
  own.write("c.md", "nothing");
  const LessonLibrary library = load_lessons({ours.path(), own.path(), own / "none"});
  ASSERT_EQ(library.lessons.size(), 2U);
  EXPECT_EQ(library.lessons[0].name, "a");
  EXPECT_EQ(library.find("b")->steps[0].title, "Mine");
  EXPECT_EQ(library.find("d"), nullptr);
  ASSERT_EQ(library.problems.size(), 1U);
  EXPECT_NE(to_string(library.problems[0]).find("c.md:1"), std::string::npos);
  EXPECT_NE(to_string(library.why_not("c")).find("c.md:1"), std::string::npos);
  EXPECT_NE(to_string(library.why_not("e")).find("there is no lesson e"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
