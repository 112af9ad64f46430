#include <gtest/gtest.h>

#include "scene/compare/compare_words.h"
#include "scene/compared_study.h"
#include "scene/views.h"

namespace tilescope {
namespace {

using Against = CompareFacts::Against;

Against against(std::string letter, double speedup) {
  Against other;
  other.letter = std::move(letter);
  other.speedup = speedup;
  return other;
}

CompareFacts padded() {
  CompareFacts facts;
  facts.letter = "C";
  facts.name = "tiled, PAD 1";
  Against b = against("B", 1.5);
  b.change = "PAD 1 instead of 0";
  b.facts = {"1/32 of the shared wavefronts", "29 % of the waiting", "more that is not said"};
  b.same = {"store sectors"};
  facts.against = {b, against("A", 3.4)};
  return facts;
}

TEST(CompareSentence, FasterThanTwoByOneParameter) {
  EXPECT_EQ(plain(compare_sentence(padded())),
            "PAD 1 instead of 0 makes C 1.5 × faster than B and 3.4 × faster than A. Against B it "
            "has the same store sectors, but 1/32 of the shared wavefronts and 29 % of the "
            "waiting.");
}
TEST(CompareSentence, TheRatiosAreStrong) {
  const Sentence sentence = compare_sentence(padded());
  ASSERT_GE(sentence.size(), 2U);
  EXPECT_TRUE(sentence[1].strong);
  EXPECT_EQ(sentence[1].text, "1.5 × faster than B and 3.4 × faster than A");
}
TEST(CompareSentence, SlowerThanAnotherKernel) {
  CompareFacts facts;
  facts.letter = "B";
  facts.name = "naive";
  facts.against = {against("A", 0.25)};
  facts.against[0].facts = {"8 × the store sectors"};
  EXPECT_EQ(plain(compare_sentence(facts)),
            "B (naive) is 4 × slower than A: 8 × the store sectors.");
}
TEST(CompareSentence, FasterThanOneAndSlowerThanAnother) {
  CompareFacts facts = padded();
  facts.against[0].change.clear();
  facts.against[1].speedup = 0.8;
  EXPECT_EQ(plain(compare_sentence(facts)),
            "C (tiled, PAD 1) is 1.5 × faster than B and 1.2 × slower than A. Against B it has the "
            "same store sectors, but 1/32 of the shared wavefronts and 29 % of the waiting.");
}
TEST(CompareSentence, ALeadBelowATenthIsInPerCent) {
  CompareFacts facts;
  facts.letter = "B";
  facts.name = "swizzled";
  facts.against = {against("A", 1.04), against("C", 1 / 1.06)};
  EXPECT_EQ(plain(compare_sentence(facts)),
            "B (swizzled) is 4 % faster than A and 6 % slower than C.");
}
TEST(CompareSentence, AsFast) {
  CompareFacts facts;
  facts.letter = "B";
  facts.name = "swizzled";
  facts.against = {against("A", 1.01)};
  EXPECT_EQ(plain(compare_sentence(facts)), "B (swizzled) is as fast as A.");
  facts.against[0].change = "PAD 2 instead of 1";
  EXPECT_EQ(plain(compare_sentence(facts)), "PAD 2 instead of 1 leaves B as fast as A.");
  facts.against[0].facts = {"2 × the instructions"};
  EXPECT_EQ(plain(compare_sentence(facts)),
            "PAD 2 instead of 1 leaves B as fast as A: 2 × the instructions.");
}
TEST(CompareSentence, OnlyModelledSaysSo) {
  CompareFacts facts = padded();
  facts.modelled = true;
  facts.against.pop_back();
  facts.against[0].facts.resize(1);
  EXPECT_EQ(plain(compare_sentence(facts)),
            "By the model PAD 1 instead of 0 makes C 1.5 × faster than B: the same store sectors, "
            "but 1/32 of the shared wavefronts.");
}
TEST(CompareSentence, OtherSizesCompareByRate) {
  CompareFacts facts;
  facts.letter = "B";
  facts.name = "tiled, ROWS 8192, COLS 8192";
  facts.against = {against("A", 1.2)};
  facts.against[0].comparable = Comparable::kOtherSize;
  EXPECT_EQ(
      plain(compare_sentence(facts)),
      "B (tiled, ROWS 8192, COLS 8192) is 1.2 × faster than A, by rate (their sizes differ).");
}
TEST(CompareSentence, DifferentProblemsDoNotCompare) {
  CompareFacts facts;
  facts.letter = "B";
  facts.name = "naive";
  facts.against = {against("A", 0)};
  facts.against[0].comparable = Comparable::kOtherProblem;
  EXPECT_EQ(plain(compare_sentence(facts)),
            "B and A solve different problems: their times cannot be compared, only the cost of a "
            "request.");
}
TEST(CompareSentence, AnUnknownTimeIsNamed) {
  CompareFacts facts;
  facts.letter = "B";
  facts.name = "naive";
  facts.against = {against("A", 0), against("C", 0)};
  for (Against& other : facts.against) other.comparable = Comparable::kUnknown;
  EXPECT_EQ(plain(compare_sentence(facts)), "No time of A or C is known yet to compare with B.");
}
TEST(CompareSentence, WhatIsNotThereYetIsNamed) {
  CompareFacts facts = padded();
  facts.against.resize(1);
  facts.against[0].facts.clear();
  facts.against[0].same.clear();
  facts.pending = "A and D";
  EXPECT_EQ(plain(compare_sentence(facts)),
            "PAD 1 instead of 0 makes C 1.5 × faster than B. A and D are still being computed.");
  facts.against.clear();
  facts.pending = "B";
  EXPECT_EQ(plain(compare_sentence(facts)), "B is still being computed.");
}
TEST(CompareSentence, OneVariantAlone) {
  EXPECT_EQ(plain(compare_sentence(CompareFacts{})),
            "Add a second variant to see what differs and how much of the time it explains.");
}
TEST(CompareSentence, OfRealKernels) {
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  const auto set = compared_cases({{"transpose/tiled", {{"PAD", 0}}, square, 3e-4},
                                   {"transpose/tiled", {{"PAD", 1}}, square, 2e-4}});
  if (set->variants[0].study == nullptr) GTEST_SKIP() << set->variants[0].missing;
  const std::string words = plain(sentence_of(View::kCompare, compared_context(set)));
  EXPECT_TRUE(words.starts_with(
      "PAD 1 instead of 0 makes B 1.5 × faster than A: the same store "
      "sectors and global load wavefronts, but 1/32 of the shared load wavefronts"))
      << words;
}

// One launch on two GPUs: each time is of its own GPU, on purpose, so they form a ratio.
TEST(CompareSentence, TheSameLaunchOnTwoGpus) {
  const ParameterSet square = {{"ROWS", 256}, {"COLS", 256}};
  const auto one = compared_cases({{"transpose/tiled", {}, square, 2e-4}});
  if (one->variants[0].study == nullptr) GTEST_SKIP() << one->variants[0].missing;
  std::vector<ComparedVariant> variants{one->variants[0], one->variants[0]};
  auto study = std::make_shared<KernelStudy>(*variants[0].study);
  auto slower = std::make_shared<DeviceModel>(*study->device);
  slower->name = "NVIDIA H100 SXM5";
  slower->memory_bytes_per_second = study->device->memory_bytes_per_second / 2;
  study->device = slower;
  variants[1].study = study;
  variants[0].known->under = {.gpu = "NVIDIA H200", .driver = "1"};
  variants[1].known->under = {.gpu = "NVIDIA H100 SXM5", .driver = "2"};
  variants[1].known->seconds = 3e-4;
  EXPECT_TRUE(gpus_differ(variants));
  const auto set = compared_set(variants, 1);
  EXPECT_EQ(label_of(*set, 0), "Tiled, H200");
  EXPECT_EQ(label_of(*set, 1), "Tiled, H100 SXM5");
  EXPECT_FALSE(set->comparison.modelled);
  EXPECT_EQ(plain(sentence_of(View::kCompare, compared_context(set))),
            "H100 SXM5 instead of H200 makes B 1.5 × slower than A: 2,400 GB/s of DRAM bandwidth "
            "instead of 4,800 GB/s.");
  // Times that are of unlike GPUs by accident form none.
  variants[1].study = variants[0].study;
  EXPECT_TRUE(compared_set(variants, 1)->comparison.modelled);
}

}  // namespace
}  // namespace tilescope
