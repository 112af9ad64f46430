#include "kernel/compile/precompiled_headers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "kernel/compile/virtual_headers.h"
#include "temporary_folder.h"

namespace tilescope::testing {
namespace {

using std::chrono::milliseconds;

const std::string kHeader = "#include <cuda_fp16.h>\n";

NvrtcLibrary::Input input_of(std::string source, const NvrtcLibrary& library) {
  NvrtcLibrary::Input input{
      .name = "test.cu",
      .source = std::move(source),
      .headers = {},
      .options = {"--gpu-architecture=sm_90", "--generate-line-info", "--no-cache"},
      .kernel = {},
      .is_closed = true};
  for (const std::string& folder : cuda_include_directories(library.facts().file)) {
    input.options.push_back("--include-path=" + folder);
  }
  return input;
}

// A kernel that stores a value, behind directives.
std::string storing(const std::string& value, const std::string& directives = kHeader) {
  return directives + "__global__ void k(int* p) {\n  p[0] = " + value + ";\n}\n";
}

class PrecompiledHeadersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto library = NvrtcLibrary::load();
    if (!library) GTEST_SKIP() << to_string(library.error());
    library_ = *std::move(library);
    if (!library_->facts().precompiles_headers()) GTEST_SKIP() << "NVRTC is older than 12.8";
    constexpr std::uintmax_t kRoom = std::uintmax_t{256} << 20;
    if (std::filesystem::space(std::filesystem::temp_directory_path()).available < kRoom) {
      GTEST_SKIP() << "the temporary folder has no room for precompiled headers";
    }
    headers_ = std::make_unique<PrecompiledHeaders>(*library_, milliseconds(0));
  }

  [[nodiscard]] NvrtcLibrary::Input input(std::string source) const {
    return input_of(std::move(source), *library_);
  }
  NvrtcLibrary::Output compile(const NvrtcLibrary::Input& source) {
    const auto output = headers_->compile(source, {});
    EXPECT_TRUE(output.ok()) << to_string(output.error());
    return output.ok() ? *output : NvrtcLibrary::Output{};
  }
  NvrtcLibrary::Output compile_alone(const NvrtcLibrary::Input& source) {
    const auto output = library_->compile(source, {});
    EXPECT_TRUE(output.ok()) << to_string(output.error());
    return output.ok() ? *output : NvrtcLibrary::Output{};
  }

  std::shared_ptr<const NvrtcLibrary> library_;
  std::unique_ptr<PrecompiledHeaders> headers_;
};

TEST(LeadingDirectives, EndAtTheFirstDeclaration) {
  EXPECT_EQ(leading_directives("#include <a.h>\nint a;\n#include <b.h>\n"), "#include <a.h>\n");
  EXPECT_EQ(leading_directives("// a\n/* b\n c */ #define A \\\n  1\n\n#include <a.h>\n\nint a;"),
            "// a\n/* b\n c */ #define A \\\n  1\n\n#include <a.h>\n");
  EXPECT_EQ(leading_directives("int a;"), "");
  EXPECT_EQ(leading_directives("#include <a.h>"), "#include <a.h>");
  EXPECT_EQ(leading_directives("/* without end"), "");
  EXPECT_EQ(leading_directives("#define A \\"), "#define A \\");
  EXPECT_EQ(leading_directives(""), "");
}

TEST_F(PrecompiledHeadersTest, GiveTheSameCode) {
  for (const char* value : {"1", "2", "3"}) {
    const NvrtcLibrary::Input source = input(storing(value));
    const NvrtcLibrary::Output output = compile(source);
    const NvrtcLibrary::Output alone = compile_alone(source);
    ASSERT_TRUE(output.compiled) << output.log;
    EXPECT_EQ(output.ptx, alone.ptx);
    EXPECT_EQ(output.cubin, alone.cubin);
    EXPECT_EQ(output.log, alone.log);
  }
  EXPECT_EQ(headers_->made(), 1u);
}

TEST_F(PrecompiledHeadersTest, AreMadeOnlyWhereTheyAreWorthIt) {
  for (const char* value : {"1", "2", "3"}) {
    EXPECT_TRUE(compile(input(storing(value, ""))).compiled);
  }
  EXPECT_EQ(headers_->made(), 0u);  // there are none
  headers_ = std::make_unique<PrecompiledHeaders>(*library_, milliseconds(100'000));
  for (const char* value : {"1", "2", "3"}) EXPECT_TRUE(compile(input(storing(value))).compiled);
  EXPECT_EQ(headers_->made(), 0u);  // they are quick
}

TEST_F(PrecompiledHeadersTest, AnErrorHasItsLine) {
  for (const char* value : {"1", "2", "nothing"}) {
    const NvrtcLibrary::Input source = input(storing(value));
    EXPECT_EQ(compile(source).log, compile_alone(source).log);
  }
  EXPECT_EQ(headers_->made(), 1u);
}

TEST_F(PrecompiledHeadersTest, AreOfTheseOptionsAndHeadersAlone) {
  NvrtcLibrary::Input source = input(storing("VALUE", kHeader + "#include \"value.h\"\n"));
  for (const char* value : {"11", "11", "11", "22"}) {
    source.headers = {{"value.h", std::string("#define VALUE ") + value + "\n"}};
    EXPECT_EQ(compile(source).ptx, compile_alone(source).ptx) << value;
  }
  source.options.emplace_back("--define-macro=OTHER");
  EXPECT_EQ(compile(source).ptx, compile_alone(source).ptx);
  EXPECT_EQ(headers_->made(), 1u);
}

TEST_F(PrecompiledHeadersTest, AHeaderThatNvrtcReadsMayChange) {
  const TemporaryFolder folder;
  NvrtcLibrary::Input source = input(storing("VALUE", kHeader + "#include \"value.h\"\n"));
  source.options.push_back("--include-path=" + folder.path().string());
  source.is_closed = false;
  for (const char* value : {"11", "22", "33"}) {
    folder.write("value.h", std::string("#define VALUE ") + value + "\n");
    EXPECT_EQ(compile(source).ptx, compile_alone(source).ptx);
  }
  EXPECT_EQ(headers_->made(), 0u);
}

TEST_F(PrecompiledHeadersTest, FilesOfOtherNamesShareThem) {
  for (const char* name : {"a.cu", "b.cu", "c.cu"}) {
    NvrtcLibrary::Input source = input(storing("__LINE__"));
    source.name = name;
    const NvrtcLibrary::Output output = compile(source);
    const NvrtcLibrary::Output alone = compile_alone(source);
    EXPECT_EQ(output.ptx, alone.ptx);
    EXPECT_EQ(output.cubin, alone.cubin);
  }
  EXPECT_EQ(headers_->made(), 1u);
}

TEST_F(PrecompiledHeadersTest, LeaveNothingBehind) {
  const TemporaryFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  for (const char* value : {"1", "2", "3"}) EXPECT_TRUE(compile(input(storing(value))).compiled);
  EXPECT_EQ(headers_->made(), 1u);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  ::unsetenv("TMPDIR");
}

TEST_F(PrecompiledHeadersTest, WithoutAFolderEachSourceIsCompiledAsAWhole) {
  ::setenv("TMPDIR", "/nowhere", 1);
  for (const char* value : {"1", "2", "3"}) EXPECT_TRUE(compile(input(storing(value))).compiled);
  EXPECT_EQ(headers_->made(), 0u);
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace tilescope::testing
