// Translations: texts apart from scenes, held against the lesson.
#include "session/lesson_translation.h"

#include <gtest/gtest.h>

#include <string>

#include "session/lesson_library.h"
#include "session/lesson_reader.h"
#include "session/lesson_text.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

const std::string kLesson =
    "---\ntitle: T\nunderstand: U.\nminutes: 1\nlaunch one: copy/plain\n---\n"
    "## First\nshow: tiling of one\nIt has {{ROWS}} rows, a [warp].\n\n> Note.\n\n"
    "## Second\nText.\n\nask: Which of {{COLS}}?\n- [ ] none\n- [x] all\n\nAll {{COLS}}.\n"
    "claim: ROWS == 4096\n";
const std::string kHead = "---\ntitle: 题目\nunderstand: 明白。\n---\n";
const std::string kFirst = "## 第一\n有 {{ROWS}} 行，一个[线程束|warp]。\n\n> 备注。\n\n";
const std::string kSecond =
    "## 第二\n文字。\n\nask: {{COLS}} 中哪些？\n- [ ] 没有\n- [x] 全部\n\n全部 {{COLS}}。\n";

Result<Lesson> both(const std::string& texts) {
  const auto lesson = parse_lesson(kLesson, "l/01_a.md");
  EXPECT_TRUE(lesson.ok()) << to_string(lesson.error());
  auto parsed = parse_lesson_texts(texts, "l/01_a.zh.md");
  return parsed ? translated(*lesson, *parsed) : parsed;
}
std::string refused(const std::string& texts) {
  const auto lesson = both(texts);
  return lesson ? std::string() : to_string(lesson.error());
}
std::string changed(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(LessonTranslation, HasItsOwnTextsAndTheLessonsScenesAndClaims) {
  const auto lesson = both(kHead + kFirst + kSecond);
  ASSERT_TRUE(lesson.ok()) << to_string(lesson.error());
  EXPECT_EQ(lesson->name, "a");
  EXPECT_EQ(lesson->language, "zh");
  EXPECT_EQ(lesson->title, "题目");
  EXPECT_EQ(lesson->minutes, 1);
  EXPECT_EQ(lesson->steps[0].title, "第一");
  EXPECT_EQ(lesson->steps[0].scene->view, "tiling");
  EXPECT_EQ(lesson->steps[0].notes, std::vector<std::string>{"备注。"});
  const LessonRun& term = lesson->steps[0].text[0][3];
  EXPECT_EQ(term.text, "线程束");
  EXPECT_EQ(term_of(term), "warp");
  EXPECT_EQ(lesson->steps[1].claims.size(), 1U);
  EXPECT_TRUE(lesson->steps[1].question->choices[1].right);
}

TEST(LessonTranslation, IsRefusedWhereItIsNotTheSameLesson) {
  EXPECT_NE(refused(kHead + kFirst).find("01_a.zh.md:1: it has 1 steps, the lesson 2"),
            std::string::npos);
  EXPECT_NE(refused(kHead + changed(kFirst, "{{ROWS}} ", "4096 ") + kSecond)
                .find("01_a.zh.md:5: the text of '第一' lacks {{ROWS}}"),
            std::string::npos);
  EXPECT_NE(refused(kHead + changed(kFirst, "{{ROWS}}", "{{ROWS}} {{COLS}}") + kSecond)
                .find("has {{COLS}}, the lesson has not"),
            std::string::npos);
  EXPECT_NE(refused(kHead + kFirst + changed(kSecond, "全部 {{COLS}}", "全部"))
                .find("the answer of '第二' lacks {{COLS}}"),
            std::string::npos);
  EXPECT_NE(refused(kHead + kFirst + changed(kSecond, "- [ ] 没有\n", "- [ ] 没有\n- [ ] 一半\n"))
                .find("the question of '第二' is not the lesson's"),
            std::string::npos);
  EXPECT_NE(
      refused(kHead + kFirst + changed(kSecond, "- [ ] 没有\n- [x] 全部", "- [x] 全部\n- [ ] 没有"))
          .find("another choice"),
      std::string::npos);
}

TEST(LessonTranslation, HoldsTextsOnly) {
  EXPECT_NE(refused(kHead + changed(kFirst, "有", "show: tiling of one\n有") + kSecond)
                .find("01_a.zh.md:6: 'show:' in a translation"),
            std::string::npos);
  EXPECT_NE(refused(changed(kHead, "understand", "minutes: 3\nunderstand") + kFirst + kSecond)
                .find("head has no field 'minutes'"),
            std::string::npos);
}

TEST(LessonTranslation, TwoCharactersAreAWord) {
  std::string longer;
  for (int i = 0; i < 200; ++i) longer += "长";
  EXPECT_EQ(refused(kHead + changed(kFirst, "有", longer) + kSecond), "");
  EXPECT_NE(
      refused(kHead + changed(kFirst, "有", longer + longer) + kSecond).find("120 are the most"),
      std::string::npos);
}

TEST(LessonTranslation, IsFoundInItsLanguageAndElseTheLesson) {
  const testing::TemporaryFolder folder;
  folder.write("01_a.md", kLesson);
  folder.write("01_a.zh.md", kHead + kFirst + kSecond);
  folder.write("02_b.zh.md", kHead + kFirst + kSecond);
  const LessonLibrary library = load_lessons({folder.path()});
  ASSERT_EQ(library.lessons.size(), 1U);
  EXPECT_EQ(library.languages(), std::vector<std::string>{"zh"});
  EXPECT_EQ(library.find("a", "zh")->title, "题目");
  EXPECT_EQ(library.find("a", "de")->title, "T");
  EXPECT_EQ(library.find("a")->title, "T");
  ASSERT_EQ(library.problems.size(), 1U) << "a translation of nothing";
}

}  // namespace
}  // namespace tilescope
