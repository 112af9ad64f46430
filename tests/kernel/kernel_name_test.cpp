#include "kernel/source/kernel_name.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(KernelName, EndsWhereItsParametersBegin) {
  EXPECT_EQ(name_without_parameters("void ns::scale<4>(float*)"), "ns::scale<4>");
  EXPECT_EQ(name_without_parameters("(anonymous namespace)::scale(float*)"),
            "(anonymous namespace)::scale");
  EXPECT_EQ(name_without_parameters("void map<f(int)::{lambda(float)#1}, 2>(int, float*)"),
            "map<f(int)::{lambda(float)#1}, 2>");
}

TEST(KernelName, IsShortForPeople) {
  EXPECT_EQ(short_name("scale(float*)"), "scale");
  EXPECT_EQ(short_name("void ns::scale<4>(float*)"), "scale<4>");
  EXPECT_EQ(short_name("void at::reduce_kernel<512, 1, at::ReduceOp<float, at::Sum> >(at::Args)"),
            "reduce_kernel<512, 1, ReduceOp<float, Sum>>");
  EXPECT_EQ(short_name("void cub::Sweep<cub::policy_hub<long, int>::Policy1000, long>(long*)"),
            "Sweep<Policy1000, long>");
  EXPECT_EQ(short_name("void map<run(int)::{lambda(float)#1}, 2>(int, float*)"), "map<lambda, 2>");
  EXPECT_EQ(short_name("void (anonymous namespace)::map<std::array<char*, 3ul>, false>(int)"),
            "map<array<char*, 3ul>, false>");
  EXPECT_EQ(short_name("void k<one_argument_of_some_length, another_of_some_length, 7>(int)", 40),
            "k<one_argument_of_some_length, …>");
  EXPECT_EQ(short_name("void k<1, 2>(int)", 0), "k<…>");
  EXPECT_EQ(short_name("k<a<b"), "k<a<b>>") << "cut off";
}

}  // namespace
}  // namespace tilescope
