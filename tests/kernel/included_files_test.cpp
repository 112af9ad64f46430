// Which of a person's headers a compiled kernel says it was made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compile_fixture.h"
#include "kernel/compile/device_program.h"

namespace tilescope {
namespace {

class Included : public testing::CompileTest {
 protected:
  static constexpr const char* kKernel = "__global__ void k(int* p) { *p = VALUE; }\n";

  // As a file that was opened: its folder's headers may stand in angle brackets too.
  [[nodiscard]] Result<CompiledKernel> compiled(const std::string& source) {
    CompileRequest request;
    request.instance.file_name = folder_.write("main.cu", source).string();
    request.instance.source = source;
    request.instance.include_directories = {folder_.path().string()};
    return compile(request, {});
  }
  [[nodiscard]] std::shared_ptr<const IncludedFiles> of(const std::string& source) {
    const Result<CompiledKernel> kernel = compiled(source);
    EXPECT_TRUE(kernel.ok()) << source << to_string(kernel.error());
    return kernel.ok() ? kernel->included : nullptr;
  }
  // "a.h b.h", "a.h and more"
  [[nodiscard]] std::string names(const std::string& source) {
    const auto included = of(source);
    if (included == nullptr) return "";
    std::string words;
    for (const IncludedFiles::File& file : included->files) words += file.name + " ";
    return words + (included->complete ? "" : "and more");
  }
};

TEST_F(Included, AFileByItselfHasNone) {
  EXPECT_EQ(of("#define VALUE 1\n" + std::string(kKernel)), nullptr);
  EXPECT_EQ(of("#include <cstdint>\n#define VALUE 1  // include\n" + std::string(kKernel)),
            nullptr);
}

TEST_F(Included, HeadersInQuotesAndInAngleBracketsAndTheirOwn) {
  folder_.write("value.h", "#include \"deep/more.h\"\n");
  folder_.write("deep/more.h", "#define VALUE 7\n");
  const auto quoted = of("#include \"value.h\"\n" + std::string(kKernel));
  ASSERT_NE(quoted, nullptr);
  ASSERT_EQ(quoted->files.size(), 2U);
  EXPECT_EQ(quoted->files[0].name, "value.h");
  EXPECT_EQ(quoted->files[0].text, "#include \"deep/more.h\"\n");
  EXPECT_EQ(quoted->files[1].name, "deep/more.h");
  EXPECT_TRUE(quoted->complete);
  EXPECT_EQ(names("#include <value.h>\n" + std::string(kKernel)), "value.h deep/more.h ");
}

TEST_F(Included, TheCompileCacheKnowsThemToo) {
  folder_.write("value.h", "#define VALUE 7\n");
  const std::string source = "#include \"value.h\"\n" + std::string(kKernel);
  EXPECT_EQ(names(source), "value.h ");
  EXPECT_EQ(names(source), "value.h ");
  folder_.write("value.h", "#define VALUE 8\n");
  const auto changed = of(source);
  ASSERT_NE(changed, nullptr);
  EXPECT_EQ(changed->files.front().text, "#define VALUE 8\n");
}

// What cannot be followed is not said to be known.
TEST_F(Included, WhatHidesItsNameIsNotComplete) {
  const std::string path = folder_.write("value.h", "#define VALUE 7\n").string();
  for (const std::string& line :
       {"#define NAME \"" + path + "\"\n#include NAME\n",
        "#inc\\\nlude \"" + path + "\"\n#ifndef VALUE\n#define VALUE 1\n#endif\n",
        "#/**/include \"" + path + "\"\n#ifndef VALUE\n#define VALUE 1\n#endif\n",
        "%:include \"" + path + "\"\n#ifndef VALUE\n#define VALUE 1\n#endif\n"}) {
    const Result<CompiledKernel> kernel = compiled(line + kKernel);
    if (!kernel.ok()) continue;  // nothing runs, then
    ASSERT_NE(kernel->included, nullptr) << line;
    EXPECT_FALSE(kernel->included->complete) << line;
  }
}

}  // namespace
}  // namespace tilescope
