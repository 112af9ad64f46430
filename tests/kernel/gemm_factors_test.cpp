#include "kernel/launch/gemm_factors.h"

#include <gtest/gtest.h>

#include "core/device_table.h"
#include "kernel/catalogue/parameter_values.h"
#include "test_catalogue.h"

namespace tilescope {
namespace {

TEST(GemmFactors, AreThoseThatAreNotOneAndZeroAsFloats) {
  GemmFactors factors = with_factor({}, "alpha", 1);
  EXPECT_TRUE(factors.empty());
  factors = with_factor(factors, "beta", 0.1);
  EXPECT_EQ(factors, (GemmFactors{{"beta", 0.1}}));
  EXPECT_EQ(with_factor(factors, "beta", 0.1 + 1e-12), factors) << "the same float";
  EXPECT_EQ(factor_of(factors, "alpha"), 1);
  EXPECT_EQ(with_factors_text("TILE 32", factors), "TILE 32, beta 0.1");
  EXPECT_TRUE(with_factor(factors, "beta", 0).empty());
}

TEST(GemmFactors, ALaunchHasThemAndReadsCWhereBetaIsNotZero) {
  const CatalogueEntry& entry = testing::entry("gemm/naive");
  EXPECT_EQ(factor_names(entry), (std::vector<std::string>{"alpha", "beta"}));
  const ParameterSet size{{"M", 32}, {"N", 64}, {"K", 16}};
  const auto launched = [&](const GemmFactors& factors) {
    return instantiate(entry, default_parameters(entry), size, factors, testing::device(90));
  };
  const auto plain = launched({});
  const auto reads = launched({{"alpha", 2}, {"beta", -0.5}});
  ASSERT_TRUE(plain.ok());
  ASSERT_TRUE(reads.ok());
  EXPECT_TRUE(factors_of(*plain).empty());
  EXPECT_EQ(factors_of(*reads), (GemmFactors{{"alpha", 2}, {"beta", -0.5}}));
  EXPECT_EQ(problem_cost(*reads).bytes - problem_cost(*plain).bytes, 32 * 64 * 4);
  EXPECT_EQ(problem_cost(*reads).flop, problem_cost(*plain).flop);
}

TEST(GemmFactors, OfAnotherProblemThereAreNone) {
  const CatalogueEntry& entry = testing::entry("transpose/naive");
  EXPECT_TRUE(factor_names(entry).empty());
  const auto wrong = instantiate(entry, default_parameters(entry), {{"ROWS", 64}, {"COLS", 64}},
                                 {{"beta", 1}}, testing::device(90));
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("no factor beta"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
