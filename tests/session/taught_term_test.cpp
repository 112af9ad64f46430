// Terms of the glossary and the lessons that teach them.
#include "session/taught_term.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "core/paths.h"
#include "core/result.h"
#include "session/lesson_library.h"
#include "session/lesson_reader.h"

namespace tilescope {
namespace {

Lesson lesson(const std::string& name, const std::string& steps) {
  auto parsed =
      parse_lesson("---\ntitle: Title of " + name +
                       "\nunderstand: U.\nminutes: 1\nlaunch one: copy/plain\n---\n" + steps,
                   name + ".md");
  if (!parsed) throw std::runtime_error(to_string(parsed.error()));
  return *std::move(parsed);
}

Glossary glossary(const std::string& field) {
  return *Glossary::read("# G\n## Warp\nAlso: warps\n" + field + "32 threads.\n", "g.md");
}

const std::string kPlain = "## One\nshow: tiling of one\nNothing.\n";
const std::string kWithTerm = kPlain + "## Two\nA [warps] stands here.\n";

TEST(TaughtTerm, IsTheFirstStepOfTheFirstLessonThatHasIt) {
  const LessonLibrary library{
      {lesson("a", kPlain), lesson("b", kWithTerm), lesson("c", kWithTerm)}, {}, {}};
  const Glossary terms = glossary("");
  const auto taught = taught_term(terms.entries()[0], terms, library);
  ASSERT_TRUE(taught.has_value());
  EXPECT_EQ(taught->lesson->name, "b");
  EXPECT_EQ(taught->step, 1U);
  EXPECT_EQ(words_of(*taught), "Title of b, step 2");
}

TEST(TaughtTerm, IsInTheLessonThatTheEntryNames) {
  const LessonLibrary library{
      {lesson("a", kPlain), lesson("b", kWithTerm), lesson("c", kWithTerm)}, {}, {}};
  const Glossary named = glossary("Lesson: c\n");
  EXPECT_EQ(taught_term(named.entries()[0], named, library)->lesson->name, "c");
  const Glossary without = glossary("Lesson: a\n");
  EXPECT_FALSE(taught_term(without.entries()[0], without, library)) << "a lesson without the term";
  const Glossary none = glossary("Lesson: d\n");
  EXPECT_FALSE(taught_term(none.entries()[0], none, library)) << "no such lesson";
}

TEST(TaughtTerm, EachLessonThatShipsTeachesOneAndEachThatIsNamedIsThere) {
  const LessonLibrary library = load_lessons({resource_directory() / "assets" / "lessons"});
  ASSERT_TRUE(library.problems.empty()) << to_string(library.problems.front());
  const auto terms = Glossary::load_shipped();
  ASSERT_TRUE(terms.ok());
  std::set<std::string> teach;
  for (const GlossaryEntry& entry : terms->entries()) {
    const auto taught = taught_term(entry, *terms, library);
    EXPECT_TRUE(taught || entry.lesson.empty())
        << entry.term << ": no step of the lesson '" << entry.lesson << "' has it in brackets";
    if (taught) teach.insert(taught->lesson->name);
  }
  for (const Lesson& each : library.lessons) {
    EXPECT_TRUE(teach.contains(each.name))
        << "no term leads to the lesson " << each.name << ": write 'Lesson: " << each.name
        << "' at a term that it teaches, in glossary.md";
  }
}

}  // namespace
}  // namespace tilescope
