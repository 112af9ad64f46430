#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "program.h"
#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class ExportComparison : public ::testing::Test {
 protected:
  [[nodiscard]] ProgramRun run(const std::string& arguments) const {
    return run_tilescope("export " + arguments + " --view compare -o " +
                         (folder_ / "a.svg").string());
  }
  [[nodiscard]] std::string picture() const { return testing::read_file(folder_ / "a.svg"); }
  testing::TemporaryFolder folder_;
};

TEST_F(ExportComparison, OfThreeKernelsTakesTheirSize) {
  const ProgramRun done =
      run("transpose/naive --size 256 --beside transpose/tiled,PAD=0 --beside transpose/tiled");
  ASSERT_EQ(done.status, 0) << done.errors;
  const std::string svg = picture();
  EXPECT_NE(svg.find("Tiled, PAD 0"), std::string::npos);
  EXPECT_NE(svg.find("PAD 1 instead of 0"), std::string::npos);
  EXPECT_EQ(svg.find("different problems"), std::string::npos);
  EXPECT_NE(svg.find("A transpose/naive, B transpose/tiled PAD 0, C transpose/tiled PAD 1"),
            std::string::npos);
  for (const char* control : {"side by side", "click", "against A"}) {
    EXPECT_EQ(svg.find(">" + std::string(control)), std::string::npos) << control;
  }
}

TEST_F(ExportComparison, RecordedTimesNameTheirGpuAndDay) {
  const ProgramRun done = run("transpose/naive --beside transpose/tiled");
  ASSERT_EQ(done.status, 0) << done.errors;
  const std::string svg = picture();
  EXPECT_NE(svg.find("recorded on NVIDIA"), std::string::npos);
  EXPECT_NE(svg.find("<dc:date>20"), std::string::npos);
}

TEST_F(ExportComparison, AFileComparesToo) {
  const fs::path file = folder_ / "mine.cu";
  std::ofstream(file) << "__global__ void scale(const float* in, float* out, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) out[i] = 2 * in[i];\n}\n";
  const ProgramRun done = run("copy/plain --size 512 --beside " + file.string());
  ASSERT_EQ(done.status, 0) << done.errors;
  EXPECT_NE(picture().find("scale"), std::string::npos);
}

TEST_F(ExportComparison, AFileOfAnotherSizeComparesByRateAndSaysBothSizes) {
  const fs::path file = folder_ / "mine.cu";
  std::ofstream(file) << "__global__ void scale(const float* in, float* out, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) out[i] = 2 * in[i];\n}\n";
  const std::string launch =
      " --grid 64 --block 256 --arg 'f32[16384]=iota' --arg 'f32[16384]=zero' --arg i32:16384";
  for (const std::string& command : {file.string() + launch + " --beside copy/plain",
                                     "copy/plain --size 512 --beside " + file.string()}) {
    const ProgramRun done =
        run_tilescope("export " + command + " --view compare -o " + (folder_ / "a.csv").string());
    ASSERT_EQ(done.status, 0) << done.errors;
    const std::string csv = testing::read_file(folder_ / "a.csv");
    EXPECT_NE(csv.find("by rate (their sizes differ)"), std::string::npos) << csv;
    EXPECT_NE(csv.find("speedup by rate, other size"), std::string::npos) << csv;
    EXPECT_NE(csv.find("ROWS "), std::string::npos) << csv;
    EXPECT_NE(csv.find(", n "), std::string::npos) << csv;
    // One unit in the waterfall.
    std::size_t rates = 0;
    for (std::size_t at = csv.find("\nwaterfall,"); at != std::string::npos;
         at = csv.find("\nwaterfall,", at + 1)) {
      const std::string row = csv.substr(at + 1, csv.find('\n', at + 1) - at - 1);
      EXPECT_NE(row.find(",B/s,"), std::string::npos) << row;
      ++rates;
    }
    EXPECT_GE(rates, 2U) << csv;
  }
}

TEST_F(ExportComparison, OneVariantAloneIsRefused) {
  const ProgramRun alone = run("copy/plain");
  EXPECT_EQ(alone.status, 1);
  EXPECT_NE(alone.errors.find("--beside"), std::string::npos) << alone.errors;
}

TEST_F(ExportComparison, MistakesAreNamed) {
  EXPECT_EQ(run("copy/plain --beside copy/nonesuch").status, 1);
  EXPECT_EQ(run("copy/plain --beside copy/wide,NONE=1").status, 1);
  const ProgramRun letter = run("copy/plain --beside copy/wide --against C");
  EXPECT_EQ(letter.status, 1);
  EXPECT_NE(letter.errors.find("A to B"), std::string::npos) << letter.errors;
  EXPECT_EQ(run("copy/plain --beside copy/wide --panes compare").status, 1);
  const ProgramRun both = run("copy/plain --beside copy/wide --panes banks --overlay");
  EXPECT_EQ(both.status, 1);
  EXPECT_NE(both.errors.find("it has no panes"), std::string::npos) << both.errors;
  EXPECT_EQ(run("copy/plain --beside copy/wide --beside copy/wide --beside copy/wide "
                "--beside copy/wide")
                .status,
            1);
}

}  // namespace
}  // namespace tilescope
