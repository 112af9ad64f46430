// Numbers of a file's kernel that their sliders moved: what was allowed is the text that a person
// sees, and it is measured with other whole numbers in it.
#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.h"
#include "worker_fixture.h"

namespace tilescope {
namespace {

const std::string kTurn =
    "#define TILE 16\n"
    "constexpr int ROUNDS = 2;\n"
    "template <int BY> __global__ void turn(float* out, const float* in, int n) {\n"
    "  __shared__ float tile[TILE][TILE + 1];\n"
    "  int x = blockIdx.x * TILE + threadIdx.x;\n"
    "  int y = blockIdx.y * TILE + threadIdx.y;\n"
    "  for (int i = 0; i < ROUNDS; ++i) {\n"
    "    tile[threadIdx.y][threadIdx.x] = in[y * n + x];\n"
    "    __syncthreads();\n"
    "    out[y * n + x] = BY * tile[threadIdx.x][threadIdx.y];\n"
    "    __syncthreads();\n"
    "  }\n"
    "}\n"
    "void run(float* a, float* b, int n) {\n"
    "  dim3 grid(n / TILE, n / TILE), block(TILE, TILE);\n"
    "  turn<2><<<grid, block>>>(a, b, n);\n"
    "}\n";

class OwnNumbers : public UiWithWorker {
 protected:
  void SetUp() override {
    UiWithWorker::SetUp();
    if (IsSkipped()) return;
    std::ofstream(folder_ / "turn.cu") << kTurn;
    ASSERT_TRUE(workbench_->open_file((folder_ / "turn.cu").string()).ok());
    draw_until([this] { return variant().study != nullptr && !variant().study_pending; });
  }
  [[nodiscard]] bool measured_at(const std::string& name, std::int64_t value) {
    return variant().measured && variant().study != nullptr &&
           variant().study->instance.parameters.at(name) == value;
  }
  [[nodiscard]] bool may_run(const KernelInstance& instance) {
    return workbench_->may_run(instance, *variant().study->compiled);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(OwnNumbers, AreMeasuredOnceTheTextIsAllowed) {
  EXPECT_FALSE(workbench_->may_run(variant()));
  EXPECT_FALSE(may_run(variant().study->instance));
  workbench_->set_parameter("TILE", 8);
  draw_until([this] {
    return !variant().study_pending && variant().study->instance.parameters.at("TILE") == 8;
  });
  EXPECT_FALSE(may_run(variant().study->instance)) << "not allowed yet";
  EXPECT_FALSE(variant().measured.has_value());
  workbench_->allow_gpu();
  draw_until([this] { return measured_at("TILE", 8); });
  for (const auto& [name, value] :
       {std::pair{"TILE", 32}, std::pair{"ROUNDS", 4}, std::pair{"BY", 8}}) {
    workbench_->set_parameter(name, value);
    draw_until(
        [&, wanted = std::pair{name, value}] { return measured_at(wanted.first, wanted.second); });
    EXPECT_FALSE(variant().measure_error.has_value()) << name;
  }
}

TEST_F(OwnNumbers, OfAnotherHeaderAreNotThoseThatWereMeasured) {
  std::ofstream(folder_ / "factor.h") << "#define FACTOR 2.0f\n";
  std::ofstream(folder_ / "scale.cu")
      << "#include \"factor.h\"\n__global__ void scale(const float* in, float* out, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) out[i] = FACTOR * in[i];\n}\n";
  ASSERT_TRUE(workbench_->open_file((folder_ / "scale.cu").string()).ok());
  draw_until([this] { return variant().study != nullptr && variant().included() != nullptr; });
  workbench_->allow_gpu();
  draw_until([this] { return variant().measured.has_value(); });
  std::ofstream(folder_ / "factor.h") << "#define FACTOR 3.0f\n";
  workbench_->select_block(1);  // the same text is compiled once more
  draw_until([this] {
    return !variant().study_pending &&
           variant().included()->files.front().text.find("3.0f") != std::string::npos;
  });
  EXPECT_FALSE(variant().measured.has_value());
  EXPECT_FALSE(workbench_->may_run(variant()));
  workbench_->allow_gpu();
  draw_until([this] { return variant().measured.has_value(); });
}

TEST_F(OwnNumbers, OfATextThatIsNotAllowedAreNotMeasured) {
  workbench_->allow_gpu();
  draw_until([this] { return variant().measured.has_value(); });
  KernelInstance instance = variant().study->instance;
  EXPECT_TRUE(may_run(instance));
  instance.source += "// more\n";
  EXPECT_FALSE(may_run(instance));
  instance = variant().study->instance;
  instance.source.replace(instance.source.find("TILE 16"), 7, "TILE 99");
  EXPECT_FALSE(may_run(instance)) << "the number is not the one that the launch has";
  instance.parameters["TILE"] = 99;
  EXPECT_TRUE(may_run(instance));
}

}  // namespace
}  // namespace tilescope
