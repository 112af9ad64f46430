#include "ptx/link.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "ptx/parser.h"

namespace tilescope {
namespace {

constexpr std::string_view kFirst = R"(.version 9.0
.target sm_90
.address_size 64
.extern .global .align 4 .u32 shared_by_both;
.extern .func (.param .b32 result) helper (.param .b32 value);
.global .align 1 .b8 $str[2] = {97, 0};
.weak .func (.param .b32 result) both (.param .b32 value) { ret; }
.visible .entry first() {
  .reg .b32 %r<2>;
  .loc 1 10 3
  ld.global.u32 %r1, [shared_by_both];
  mov.u32 %r1, $str;
  ret;
}
.file 1 "first.cu"
)";
constexpr std::string_view kSecond = R"(.version 9.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 shared_by_both = 7;
.global .align 1 .b8 $str[3] = {98, 99, 0};
.weak .func (.param .b32 result) both (.param .b32 value) { trap; }
.visible .func (.param .b32 result) helper (.param .b32 value) {
  .loc 1 20 3
  ret;
}
.visible .func (.param .b32 result) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 b) { ret; }
.file 1 "second.cu"
)";

PtxModule linked() {
  const std::array units{kFirst, kSecond};
  auto module = parse_ptx(link_ptx(units));
  EXPECT_TRUE(module) << to_string(module.error());
  return module ? *std::move(module) : PtxModule{};
}

TEST(LinkPtx, LeavesOneUnitAsItIs) { EXPECT_EQ(link_ptx(std::array{kFirst}), kFirst); }

TEST(LinkPtx, TakesEachDefinitionOnce) {
  const PtxModule module = linked();
  int both = 0;
  for (const PtxFunction& function : module.functions) both += function.name == "both" ? 1 : 0;
  EXPECT_EQ(both, 1);
  const auto variable = module.find_variable("shared_by_both");
  ASSERT_TRUE(variable);
  EXPECT_FALSE(module.variables[*variable].is_extern);
  EXPECT_EQ(module.variables[*variable].bytes, 4u);
  const auto helper = module.find_function("helper");
  ASSERT_TRUE(helper);
  EXPECT_TRUE(module.functions[*helper].has_body);
}

TEST(LinkPtx, KeepsNamesOfAUnitApart) {
  const PtxModule module = linked();
  const auto first = module.find_variable("$str$u1");
  const auto second = module.find_variable("$str$u2");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(module.variables[*first].bytes, 2u);
  EXPECT_EQ(module.variables[*second].bytes, 3u);
}

TEST(LinkPtx, KeepsTheFilesOfPlacesInTheSource) {
  const PtxModule module = linked();
  ASSERT_GE(module.files.size(), 2u);
  EXPECT_EQ(module.locations.size(), 2u);
  for (const PtxLocation& location : module.locations) {
    const std::string& file = module.files[location.line.file];
    EXPECT_EQ(file, location.line.line == 10 ? "first.cu" : "second.cu");
  }
}

// Who executes the PTX answers its calls.
TEST(LinkPtx, LeavesTheDeviceRuntimeOut) {
  const auto function = linked().find_function("__cudaCDP2LaunchDeviceV2");
  EXPECT_FALSE(function);
}

}  // namespace
}  // namespace tilescope
