// The scenes of a lecture: in the file, in undo, and how they are named.
#include "session/scene.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "documents.h"
#include "session/undo.h"

namespace tilescope {
namespace {

NamedScene scene_named(const char* name) {
  NamedScene scene{name, "", scene_of(full_document()), nullptr};
  scene.scene.control = "PAD";
  return scene;
}

Document with_scenes(Scenes scenes) {
  Document document = full_document();
  document.scenes = std::make_shared<const Scenes>(std::move(scenes));
  return document;
}

Result<LoadedSession> again(const Document& document) {
  return parse_session(session_text(document, known_names().names()), "lecture.tilescope",
                       known_names().names());
}

TEST(Scenes, ComeBackFromTheFile) {
  Scenes scenes{scene_named("column"), scene_named("row")};
  scenes[0].note = "Ask first:\nhow many wavefronts?";
  scenes[1].scene.view = View::kTiling;
  scenes[1].scene.variants.resize(1);
  scenes[1].scene.active = 0;
  scenes[1].scene.variants[0].selection.lane = 7;
  const Document document = with_scenes(scenes);
  const auto loaded = again(document);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  ASSERT_NE(loaded->document.scenes, nullptr);
  ASSERT_EQ(loaded->document.scenes->size(), 2U);
  EXPECT_EQ((*loaded->document.scenes)[0].note, scenes[0].note);
  EXPECT_TRUE(same_content(loaded->document, document));
}

TEST(Scenes, ADamagedOneIsNamed) {
  const std::string text =
      session_text(with_scenes({scene_named("column")}), known_names().names());
  std::string damaged = text;
  const std::size_t scenes = damaged.find("\"scenes\"");
  const std::size_t lane = damaged.find("\"lane\": ", scenes) + 8;
  damaged.replace(lane, damaged.find_first_of(",\n", lane) - lane, "99");
  const auto loaded = parse_session(damaged, "lecture.tilescope", known_names().names());
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("scenes[0].variants[0].selection.lane"), std::string::npos)
      << loaded.error().message;
}

TEST(Scenes, KeepWhatAnotherVersionWrote) {
  std::string text = session_text(with_scenes({scene_named("column")}), known_names().names());
  const std::string name = "\"name\": \"column\"";
  text.replace(text.find(name), name.size(), name + ", \"seconds\": 90");
  const auto loaded = parse_session(text, "lecture.tilescope", known_names().names());
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  const std::string written = session_text(loaded->document, known_names().names());
  const std::size_t first = written.find("\"seconds\": 90");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(written.find("\"seconds\": 90", first + 1), std::string::npos);
}

TEST(Scenes, OneWhoseKernelIsMissingStaysInTheFileAndTheRestOpens) {
  const Document whole =
      with_scenes({scene_named("first"), scene_named("other"), scene_named("last")});
  std::string text = session_text(whole, known_names().names());
  const std::size_t other = text.find("\"name\": \"other\"");
  ASSERT_NE(other, std::string::npos);
  const std::string kernel = "\"kernel\": \"";
  const std::size_t at = text.find(kernel, other) + kernel.size();
  text.replace(at, text.find('"', at) - at, "transpose/of_tomorrow");

  const auto loaded = parse_session(text, "lecture.tilescope", known_names().names());
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  ASSERT_NE(loaded->document.scenes, nullptr);
  ASSERT_EQ(loaded->document.scenes->size(), 2U);
  EXPECT_EQ((*loaded->document.scenes)[0].name, "first");
  EXPECT_EQ((*loaded->document.scenes)[1].name, "last");
  ASSERT_EQ(loaded->remarks.size(), 1U);
  EXPECT_EQ(loaded->remarks[0],
            "Scene 2 is not shown: this version has no kernel transpose/of_tomorrow. It stays in "
            "the file.");

  const std::string written = session_text(loaded->document, known_names().names());
  const std::size_t kept = written.find("transpose/of_tomorrow");
  EXPECT_NE(kept, std::string::npos);
  EXPECT_LT(written.find("\"name\": \"first\""), kept);
  EXPECT_LT(kept, written.find("\"name\": \"last\"")) << "in its place";
  EXPECT_EQ(written.find("lost_scenes"), std::string::npos);
  const auto later = parse_session(written, "lecture.tilescope", known_names().names());
  ASSERT_TRUE(later) << to_string(later.error());
  EXPECT_EQ(session_text(later->document, known_names().names()), written);
}

// What undo calls it when `after` follows `before`.
std::string step_of(const Scenes& before, const Scenes& after) {
  UndoHistory history;
  history.start(with_scenes(before));
  history.observe(with_scenes(after), 0, false);
  return history.undo_name() != nullptr ? *history.undo_name() : "none";
}

TEST(Scenes, EachChangeIsAStepOfUndo) {
  const NamedScene a = scene_named("a");
  NamedScene b = scene_named("b");
  b.scene.view = View::kTiling;
  NamedScene noted = b;
  noted.note = "slowly";
  NamedScene renamed = b;
  renamed.name = "c";
  NamedScene replaced = b;
  replaced.scene.control = "TILE";
  EXPECT_EQ(step_of({a}, {a, b}), "scene b added");
  EXPECT_EQ(step_of({a, b}, {b}), "scene a removed");
  EXPECT_EQ(step_of({a, b}, {b, a}), "scene b moved");
  EXPECT_EQ(step_of({a, b}, {a, renamed}), "scene renamed to c");
  EXPECT_EQ(step_of({a, b}, {a, noted}), "note of scene b");
  EXPECT_EQ(step_of({a, b}, {a, replaced}), "scene b replaced");
  EXPECT_EQ(step_of({a, b}, {a, b}), "none");
}

TEST(Scenes, AreNamedAfterWhatTheyShow) {
  const Catalogue& catalogue = known_names().catalogue;
  const CatalogueEntry* entry = catalogue.find("transpose/tiled");
  ASSERT_NE(entry, nullptr);
  Scene scene;
  scene.variants.resize(1);
  scene.variants[0].kernel = entry->id;
  for (const ParameterSpec& spec : entry->parameters) {
    scene.variants[0].parameters[spec.name] = spec.default_value;
  }
  scene.view = View::kBanks;
  EXPECT_EQ(name_for(scene, catalogue), "Banks: transpose/tiled");
  scene.variants[0].parameters["PAD"] = 5;
  EXPECT_EQ(name_for(scene, catalogue), "Banks: transpose/tiled, PAD 5");
  scene.variants.resize(3, scene.variants[0]);
  scene.view = View::kCompare;
  scene.variants[1].kernel = "transpose/naive";
  scene.variants[2].parameters["PAD"] = 1;
  EXPECT_EQ(name_for(scene, catalogue),
            "Compare: transpose/tiled, PAD 5; transpose/naive and transpose/tiled");
}

TEST(Scenes, BringTheirOwnKernelsAsTheyWere) {
  VariantDocument variant;
  variant.file = "sum";
  variant.original = share_text("a");
  variant.edited = share_text("b");
  OwnKernels listed(2);
  listed[0].file = "sum";
  listed[0].name = "mine";
  listed[0].original = share_text("a");
  listed[1].file = listed[1].name = "other";
  listed[1].original = share_text("x");
  const SharedOwnKernels all =
      with_kernels_of(std::make_shared<const OwnKernels>(listed), {variant});
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].name, "mine");
  EXPECT_EQ(*(*all)[0].text(), "b");
  EXPECT_EQ(*(*all)[1].text(), "x");
}

}  // namespace
}  // namespace tilescope
