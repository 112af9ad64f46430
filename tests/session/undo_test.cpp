#include "session/undo.h"

#include <gtest/gtest.h>

#include <functional>

#include "documents.h"

namespace tilescope {
namespace {

TEST(Undo, GoesBackEveryStepAndOnAgain) {
  UndoHistory history;
  Document document = full_document();
  const Document first = document;
  history.start(document);
  for (int i = 0; i < 150; ++i) {
    document.variants[0].extents["M"] = 100 + i;
    if (i % 3 == 0) document.theme = i % 2 == 0 ? Theme::kDark : Theme::kPaper;
    history.observe(document, i, false);
  }
  EXPECT_EQ(history.depth(), 150U);
  ASSERT_NE(history.undo_name(), nullptr);
  EXPECT_EQ(*history.undo_name(), "size M 249");
  std::optional<Document> back;
  for (int i = 0; i < 150; ++i) back = history.undo();
  EXPECT_EQ(history.undo_name(), nullptr);
  EXPECT_FALSE(history.undo().has_value());
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(*back == first);
  std::optional<Document> on;
  for (int i = 0; i < 150; ++i) on = history.redo();
  ASSERT_TRUE(on.has_value());
  EXPECT_TRUE(*on == document);
  EXPECT_FALSE(history.redo().has_value());
}

TEST(Undo, ADragIsOneStep) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  for (int i = 0; i < 20; ++i) {
    document.variants[0].extents["M"] = 500 + i;
    history.observe(document, i, true);
  }
  history.observe(document, 21, false);
  EXPECT_EQ(history.depth(), 1U);
  EXPECT_EQ(*history.undo_name(), "size M 519");
  document.variants[0].extents["M"] = 600;
  history.observe(document, 22, true);
  EXPECT_EQ(history.depth(), 2U) << "another press is another step";
}

TEST(Undo, AnotherGpuIsAStep) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  document.variants[0].gpu = "NVIDIA A100 80GB";
  history.observe(document, 0, false);
  EXPECT_EQ(*history.undo_name(), "A100 80GB");
  EXPECT_EQ(history.undo()->variants[0].gpu, full_document().variants[0].gpu);
}

TEST(Undo, AFactorIsAStepOfItsOwnName) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  document.variants[0].factors["beta"] = 0.5;
  history.observe(document, 0, false);
  EXPECT_EQ(*history.undo_name(), "beta 0.5");
  document.variants[0].factors.erase("alpha");
  history.observe(document, 1, false);
  EXPECT_EQ(*history.undo_name(), "alpha 1");
  EXPECT_EQ(history.depth(), 2U);
  EXPECT_EQ(history.undo()->variants[0].factors, (GemmFactors{{"alpha", 2}, {"beta", 0.5}}));
  EXPECT_TRUE(*history.undo() == full_document());
}

TEST(Undo, ADragThatComesBackIsNone) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  for (const std::int64_t value : {500, 600, 384}) {
    document.variants[0].extents["M"] = value;
    history.observe(document, 0, true);
  }
  EXPECT_EQ(history.depth(), 0U);
}

TEST(Undo, TimeMovingOnIsOneStepAndKeepsWhatCanBeRedone) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  for (int i = 0; i < 1000; ++i) {
    ++document.variants[0].selection.event;
    history.observe(document, i, false);
  }
  EXPECT_EQ(history.depth(), 1U);
  document.theme = Theme::kPaper;
  history.observe(document, 2000, false);
  document = *history.undo();
  ++document.variants[0].selection.event;
  history.observe(document, 2001, false);
  ASSERT_NE(history.redo_name(), nullptr);
  EXPECT_EQ(*history.redo_name(), "theme paper");
}

TEST(Undo, TypingIsOneStepUntilAPause) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  const auto type = [&](double seconds) {
    document.variants[1].edited = share_text(*document.variants[1].edited + "x");
    history.observe(document, seconds, false);
  };
  for (const double seconds : {0.0, 0.3, 0.6, 0.9, 1.2}) type(seconds);
  EXPECT_EQ(history.depth(), 1U);
  type(3);
  EXPECT_EQ(history.depth(), 2U);
  EXPECT_EQ(*history.undo_name(), "source of transpose/naive");
}

TEST(Undo, WhatChangedByItselfIsNoStep) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  document.variants[0].selection.event = 5;
  history.absorb(document);
  history.observe(document, 0, false);
  EXPECT_EQ(history.depth(), 0U);
}

TEST(Undo, IsBoundedInStepsAndBytes) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  for (int i = 0; i < 2000; ++i) {
    document.variants[0].extents["M"] = 1000 + i;
    history.observe(document, 10 * i, false);
  }
  EXPECT_EQ(history.depth(), kMostUndoSteps);
  history.start(document);
  for (int i = 0; i < 60; ++i) {
    document.variants[1].edited = share_text(std::string(2 << 20, static_cast<char>('a' + i % 26)));
    history.observe(document, 10 * i, false);
  }
  EXPECT_LT(history.depth(), 40U);
  EXPECT_GT(history.depth(), 20U);
}

TEST(Undo, TheOwnKernelsOfASessionAreSteps) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  const auto change = [&](double seconds, const std::function<void(OwnKernels&)>& body) {
    OwnKernels own = *document.own_kernels;
    body(own);
    document.own_kernels = std::make_shared<const OwnKernels>(std::move(own));
    history.observe(document, seconds, false);
    return *history.undo_name();
  };
  EXPECT_EQ(change(1, [](OwnKernels& own) { own[0].name = "sum"; }),
            "sum of a block \xc3\xa4 renamed to sum");
  EXPECT_EQ(change(1.1, [](OwnKernels& own) { own.erase(own.begin() + 2); }), "scale (2) removed");
  EXPECT_EQ(change(1.2, [](OwnKernels& own) { own.erase(own.begin()); }), "sum removed");
  EXPECT_EQ(history.depth(), 3U);
  EXPECT_EQ(history.undo()->own_kernels->size(), 2U);
  EXPECT_EQ(history.undo()->own_kernels->size(), 3U);
  EXPECT_TRUE(*history.undo() == full_document());
  EXPECT_EQ(history.redo()->own_kernels->front().name, "sum");
}

TEST(Undo, TheTextsOfOwnKernelsCountAmongItsBytes) {
  UndoHistory history;
  Document document = full_document();
  history.start(document);
  for (int i = 0; i < 60; ++i) {
    OwnKernels own = *document.own_kernels;
    own[0].edited = share_text(std::string(2 << 20, static_cast<char>('a' + i % 26)));
    document.own_kernels = std::make_shared<const OwnKernels>(std::move(own));
    history.observe(document, 10 * i, false);
  }
  EXPECT_LT(history.depth(), 40U);
  EXPECT_GT(history.depth(), 20U);
}

TEST(Undo, NamesEveryKindOfChange) {
  const Document before = full_document();
  const auto named = [&](const auto& change) {
    Document after = before;
    change(after);
    EXPECT_FALSE(same_content(before, after));
    return change_between(before, after).name;
  };
  EXPECT_EQ(named([](Document& d) { d.variants[0].parameters["STAGES"] = 2; }), "STAGES 2");
  EXPECT_EQ(named([](Document& d) { d.variants[0].kernel = "gemm/naive"; }), "kernel gemm/naive");
  EXPECT_EQ(named([](Document& d) { d.variants.push_back(d.variants[0]); }), "variant D added");
  EXPECT_EQ(named([](Document& d) { d.variants.erase(d.variants.begin() + 1); }),
            "variant B closed");
  EXPECT_EQ(named([](Document& d) { d.active = 0; }), "variant A");
  EXPECT_EQ(named([](Document& d) { d.variants[1].edited = nullptr; }),
            "source as it was, transpose/naive");
  EXPECT_EQ(named([](Document& d) { d.variants[2].launch.grid = "2"; }), "launch of mine.cu");
  EXPECT_EQ(named([](Document& d) { d.variants[0].selection.lane = 1; }), "lane 1");
  EXPECT_EQ(named([](Document& d) { d.variants[0].selection.block = 9; }), "block 9");
  EXPECT_EQ(named([](Document& d) { d.variants[0].marks.bookmarks[3] = 1; }), "bookmark 3");
  EXPECT_EQ(named([](Document& d) { d.variants[0].marks.loop_in = 1; }), "loop");
  EXPECT_EQ(named([](Document& d) { d.variants[0].camera.zoom = 8; }), "zoom");
  EXPECT_EQ(named([](Document& d) { d.view = View::kTiling; }), "view Tiling");
  EXPECT_EQ(named([](Document& d) { d.settings.heat = false; }), "heat hidden");
  EXPECT_EQ(named([](Document& d) { d.latencies.reset(); }), "latencies");
  EXPECT_EQ(named([](Document& d) { d.theme = Theme::kDark; }), "theme dark");
  EXPECT_EQ(named([](Document& d) { d.heat_column = HeatColumn::kWavefronts; }),
            "wavefronts beside the source");
  EXPECT_EQ(named([](Document& d) { d.cold_l2 = true; }), "cold L2");
  EXPECT_EQ(named([](Document& d) { d.panels["Counters"] = true; }), "Counters opened");
  EXPECT_EQ(named([](Document& d) { d.notes = nullptr; }), "notes");
}

}  // namespace
}  // namespace tilescope
