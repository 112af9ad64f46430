#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>

#include "compile_fixture.h"
#include "kernel/source/device_source.h"

namespace tilescope {
namespace {

const std::string kOdd[] = {
    "q\"x.cu",        "a\nb.cu", "back\\slash.cu", "end\\.cu", "tab\tx.cu",
    "lat\xff\xfe.cu", "100%.cu", "дом/haus é.cu",  "%41.cu",   "a\"\n.file 9 \"x.cu"};

TEST(SourceName, APlainOneIsItself) {
  EXPECT_EQ(plain_name("/home/a b/it's (1).cu"), "/home/a b/it's (1).cu");
}

TEST(SourceName, IsPlainAsciiAndOneForEachFile) {
  std::set<std::string> plain;
  for (const std::string& name : kOdd) {
    plain.insert(plain_name(name));
    for (const char c : plain_name(name)) {
      EXPECT_TRUE(c >= ' ' && c <= '~' && c != '"' && c != '\\') << name;
    }
  }
  plain.insert(plain_name("A.cu"));  // what %41.cu would say if per cents stayed
  EXPECT_EQ(plain.size(), std::size(kOdd) + 1);
}

TEST(SourceName, ComesBackFromAPtxString) {
  for (const std::string& name : kOdd) EXPECT_EQ(unescaped_name(escaped_name(name)), name);
  EXPECT_EQ(unescaped_name(R"(\320\264.cu)"), "д.cu") << "as nvcc writes it";
  EXPECT_EQ(unescaped_name("end\\"), "end\\");
}

class OddNames : public testing::CompileTest {};

TEST_F(OddNames, StandInThePtxAndInErrors) {
  for (const std::string& name : kOdd) {
    KernelInstance instance;
    instance.file_name = name;
    instance.source = "__global__ void f(float* x) {\n  x[threadIdx.x] = 1;\n}\n";
    const auto compiled = compile({instance, 90, true}, {});
    ASSERT_TRUE(compiled.ok()) << name << to_string(compiled.error());
    EXPECT_NE(compiled->ptx.find("\"" + escaped_name(name) + "\""), std::string::npos) << name;
    EXPECT_FALSE(compiled->cubin.empty());
    instance.source = "__global__ void f(float* x) {\n  x[threadIdx.x] = y;\n}\n";
    const auto wrong = compile({instance, 90, false}, {});
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().place.file, name);
    EXPECT_EQ(wrong.error().place.line, 2);
  }
}

}  // namespace
}  // namespace tilescope
