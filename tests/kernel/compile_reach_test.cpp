// Files as they lie in people's projects: headers in other folders, marks and words that nvcc
// takes, one kernel that is wrong among good ones, HIP.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compile_fixture.h"
#include "kernel/compile/assemble.h"
#include "kernel/compile/fat_binary.h"
#include "kernel/compile/linked_sources.h"
#include "kernel/compile/nvcc.h"
#include "kernel/cubin/cubin.h"
#include "kernel/source/build_defines.h"
#include "kernel/source/header_folders.h"
#include "kernel/source/tensor_accessor.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class CompileReach : public testing::CompileTest {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  static void expect_nvrtc(const std::string& source, const std::string& kernel = "") {
    const auto compiled = compile_text(source, kernel);
    ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
    EXPECT_TRUE(compiled->compiler.starts_with("NVRTC")) << compiled->compiler;
  }
};

TEST_F(CompileReach, HeadersOfAProjectAreFound) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/common/doubled.h", "__device__ inline float doubled(float x) { return 2 * x; }\n");
  write("project/include/deep/tile.hpp", "#define TILE 32\n");
  write("project/width.h", "#define WIDTH 4\n");
  const std::string file =
      write("project/src/gemm/first.cu",
            "#include \"doubled.h\"\n#include \"width.h\"\n"
            "#include <deep/tile.hpp>\n"
            "__global__ void first(float* x) { *x = doubled(TILE) + WIDTH; }\n");
  const auto compiled = compile_file(file);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
}

// CUDA has a folder cuda/, too.
TEST_F(CompileReach, AProjectsHeaderInAFolderOfCudasNameIsFound) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/include/cuda/tree.cuh", "#define LEAVES 8\n");
  const std::string file = write("project/src/cuda/first.cu",
                                 "#include \"cuda/tree.cuh\"\n#include <cuda/std/limits>\n"
                                 "__global__ void first(int* x) {\n"
                                 "  *x = cuda::std::numeric_limits<int>::max() - LEAVES; }\n");
  const auto compiled = compile_file(file);
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
}

// In no usual place, but in the same repository.
TEST_F(CompileReach, AHeaderSomewhereInTheRepositoryIsFound) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/engine/device/parts/tile.hpp", "#define TILE 32\n");
  const std::string file = write("project/bench/first.cu",
                                 "#include \"parts/tile.hpp\"\n"
                                 "__global__ void first(int* x) { *x = TILE; }\n");
  const auto compiled = compile_file(file);
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
  write("project/vendor/lines.h", "#include <iostream>\nstruct Lines { std::ostream* out; };\n");
  const std::string second = write("project/bench/second.cu",
                                   "#include \"lines.h\"\n"
                                   "__global__ void second(int* x) { *x = 1; }\n");
  const auto without = compile_file(second);  // a host's library is better not there
  EXPECT_TRUE(without.ok()) << to_string(without.error());
  EXPECT_EQ(folder_of_header(folder_.path() / "project/bench", "parts/tile.hpp"),
            folder_.path() / "project/engine/device");
  EXPECT_EQ(folder_of_header(folder_.path() / "project/bench", "ile.hpp"), "");
}

TEST_F(CompileReach, OfSeveralHeadersTheOneInTheNearestPartOfTheRepositoryIsFound) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/bench/main.cu", "");
  write("project/new/solver/examples/main.cu", "");
  for (const char* const part : {"old", "older", "new/reader/src"}) {
    write(std::string("project/") + part + "/reader.cuh", "");
  }
  for (const char* const part : {"headers/device", "headers/host"}) {
    write(std::string("project/") + part + "/scan.cuh", "");
  }
  write("project/lib/device/scan.cu", "");
  write("project/lib/other/scan.cu", "");
  EXPECT_EQ(folder_of_header(folder_.path() / "project/new/solver/examples", "reader.cuh"),
            folder_.path() / "project/new/reader/src");
  EXPECT_EQ(folder_of_header(folder_.path() / "project/bench", "reader.cuh"), "");
  // Of two as near the one whose folder is called as the file's.
  EXPECT_EQ(folder_of_header(folder_.path() / "project/lib/device", "scan.cuh"),
            folder_.path() / "project/headers/device");
  EXPECT_EQ(folder_of_header(folder_.path() / "project/lib/other", "scan.cuh"), "");
}

TEST_F(CompileReach, AKernelInANamespaceWithoutANameIsFound) {
  const std::string file = write("unnamed.cu",
                                 "namespace gpu { namespace {\n"
                                 "__global__ void fill(int* x) { *x = 1; }\n"
                                 "__global__ void twice(int* x) { *x *= 2; } } }\n");
  const auto compiled = compile_file(file, "gpu::fill");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->kernel.find("fill"), std::string::npos);
}

// CUDA 13 has other names for them.
TEST_F(CompileReach, OperationsOfAnOlderCub) {
  expect_nvrtc(
      "#include <cub/cub.cuh>\n"
      "__global__ void k(float* x) {\n"
      "  using Reduce = cub::WarpReduce<float>;\n"
      "  __shared__ Reduce::TempStorage temporary;\n"
      "  x[0] = Reduce(temporary).Reduce(x[threadIdx.x], cub::Max()) + cub::Sum()(x[0], "
      "x[1]);\n}\n");
}

TEST_F(CompileReach, WordsOfVisualStudioMeanNothing) {
  expect_nvrtc(
      "#define API __declspec(dllexport)\n"
      "__forceinline __device__ int two() { return 2; }\n"
      "extern \"C\" API __global__ void first(int* x) { *x = two(); }\n"
      "extern \"C\" API void __stdcall run(int* x) { first<<<1, 1>>>(x); }\n");
}

TEST_F(CompileReach, DeviceFunctionsOfAnotherSourceAreLinked) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/ray.cuh",
        "#pragma once\nstruct Ray { float o, d; __device__ float at(float t) const; };\n"
        "__device__ float shade(const Ray& ray, float t);\n");
  write("project/ray.cu",
        "#include \"ray.cuh\"\n"
        "__device__ float Ray::at(float t) const { return o + t * d; }\n");
  write("project/shade.cu",
        "#include \"ray.cuh\"\n"
        "__device__ float shade(const Ray& ray, float t) { return ray.at(t) * 0.5f; }\n");
  const std::string file =
      write("project/main.cu",
            "#include \"ray.cuh\"\n"
            "__global__ void render(float* x) { *x = shade(Ray{1, 2}, *x); }\n");
  const auto compiled = compile_file(file);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_EQ(compiled->ptx.find(".extern .func"), std::string::npos) << compiled->ptx;
  write("project/main.cu",
        "__device__ float nowhere(float x);\n"
        "__global__ void render(float* x) { *x = nowhere(*x); }\n");
  const auto missed = compile_file(file);
  ASSERT_TRUE(missed.ok()) << to_string(missed.error());
  EXPECT_EQ(functions_without_body(missed->ptx), std::vector<std::string>{"nowhere"});
}

// Its main() is a test that nothing asks for.
TEST_F(CompileReach, ASourceWithItsOwnTestIsLinked) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/half.cu",
        "__device__ float half_of(float x) { return x / 2; }\n"
        "#ifdef TEST_OF_HALF\nint main() { return 0; }\n#endif\n");
  const std::string file = write("project/main.cu",
                                 "__device__ float half_of(float x);\n"
                                 "__global__ void halve(float* x) { *x = half_of(*x); }\n");
  const auto compiled = compile_file(file);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(functions_without_body(compiled->ptx).empty()) << compiled->ptx;
}

TEST_F(CompileReach, HeadersAreFoundWhateverTheCaseOfTheirNames) {
  write("project/Common/Tile.cuh", "#define TILE 32\n");
  const std::string file = write("project/src/first.cu",
                                 "#include \"../common/tile.cuh\"\n"
                                 "__global__ void first(u_int32_t* x) { *x = TILE; }\n");
  const auto compiled = compile_file(file);
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
}

TEST_F(CompileReach, ADeviceFunctionIsLinkedFromAnywhereInTheRepository) {
  fs::create_directories(folder_.path() / "project/.git");
  fs::create_directories(folder_.path() / "project/kernels");
  fs::create_directories(folder_.path() / "project/odds/ends");
  write("project/odds/ends/half.cu", "__device__ float half_of(float x) { return x / 2; }\n");
  const std::string file = write("project/kernels/main.cu",
                                 "__device__ float half_of(float x);\n"
                                 "__global__ void halve(float* x) { *x = half_of(*x); }\n");
  const auto compiled = compile_file(file);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(functions_without_body(compiled->ptx).empty()) << compiled->ptx;
}

TEST_F(CompileReach, VectorsOfGlmAreThereWithoutIt) {
  expect_nvrtc(
      "#include <glm/glm.hpp>\n#include <glm/gtc/type_ptr.hpp>\n"
      "using glm::vec3;\n"
      "__global__ void move(vec3* at, glm::mat4 view, vec3 by, float dt) {\n"
      "  vec3& p = at[threadIdx.x];\n"
      "  p += 2 * glm::normalize(by) * dt - glm::cross(p, by);\n"
      "  p = vec3(view * glm::vec4(p, 1.0f)) / glm::max(glm::length(p), 1.0f);\n"
      "  p.x = glm::clamp(glm::dot(p, by), 0.0f, 1.0f);\n}\n");
}

TEST_F(CompileReach, AMissingHeaderOfAHostLibraryHasNoConstantOfAKernel) {
  const auto compiled =
      compile_text("#include <GL/glew.h>\n__global__ void k(int* x) { *x = ARRAY_SIZE; }\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_EQ(compiled->notes, "ARRAY_SIZE is defined nowhere: it is taken for 256\n");
}

TEST_F(CompileReach, TheSearchEndsWithTheRepository) {
  fs::create_directories(folder_.path() / "project/.git");
  write("common/outside.h", "#define OUTSIDE 1\n");
  const std::string file = write("project/first.cu",
                                 "#include \"outside.h\"\n"
                                 "__global__ void first(int* x) { *x = OUTSIDE; }\n");
  expect_error(compile_file(file), 1, "the header \"outside.h\" was not found");
  const auto folders = header_folders(folder_.path() / "project/src");
  EXPECT_EQ(folders, std::vector<fs::path>{folder_.path() / "project"});
}

TEST_F(CompileReach, AGivenFolderIsSearched) {
  write("elsewhere/size.h", "#define SIZE 8\n");
  const std::string source = "#include <size.h>\n__global__ void first(int* x) { *x = SIZE; }\n";
  expect_error(compile_text(source), 1, "the header <size.h> was not found");
  give_header_folders({(folder_.path() / "elsewhere").string()});
  const auto compiled = compile_text(source);
  ::unsetenv("TILESCOPE_INCLUDE");
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
}

TEST_F(CompileReach, ALibraryIsFoundInTheCheckoutThatAVariableNames) {
  write("checkout/include/cute/edge.hpp", "constexpr int kEdge = 8;\n");
  const auto source = [](const std::string& name) {
    return "#include <cute/edge.hpp>\n__global__ void " + name + "(int* x) { *x = kEdge; }\n";
  };
  const auto without = compile_text(source("first"));
  expect_error(without, 1, "the header <cute/edge.hpp> was not found");
  EXPECT_NE(without.error().remedy.find("Set CUTLASS_PATH"), std::string::npos);
  ::setenv("CUTLASS_PATH", (folder_.path() / "checkout").c_str(), 1);
  const auto compiled = compile_text(source("second"));
  ::unsetenv("CUTLASS_PATH");
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
}

// The compiler reads the library's headers itself; one of these includes what nobody has here.
TEST_F(CompileReach, ALibraryIsCompiledOnceAsLongAsItsHeadersAreTheSame) {
  fs::create_directories(folder_.path() / "project/.git");
  const auto write_library = [&](const std::string& factor) {
    write("project/include/lanes/all.hpp",
          "#include <not_installed/extension.h>\n#define LANES_DEVICE __device__ inline\n"
          "LANES_DEVICE float scaled(float x) { return " +
              factor + " * x; }\n");
  };
  write_library("2.0f");
  const std::string file = write("project/src/first.cu",
                                 "#include <lanes/all.hpp>\n"
                                 "__global__ void first(float* x) { *x = scaled(*x); }\n");
  const auto first = compile_file(file);
  ASSERT_TRUE(first.ok()) << to_string(first.error());
  EXPECT_FALSE(first->from_cache);
  const auto again = compile_file(file);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->from_cache);
  EXPECT_EQ(again->ptx, first->ptx);
  write_library("0.125f");
  const auto changed = compile_file(file);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(changed->from_cache);
  EXPECT_NE(changed->ptx, first->ptx);
}

constexpr const char* kExtension = R"(#include <torch/extension.h>
#include <ATen/AccumulateType.h>
#include <c10/cuda/CUDAStream.h>
template <typename scalar_t>
__global__ void sums(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in,
                     float* out) {
  at::acc_type<scalar_t, true> sum = 0;
  CUDA_KERNEL_LOOP(i, in.size(1)) sum += in[blockIdx.y][i] * 2;
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += WARP_SHFL_DOWN(sum, lanes);
  if (threadIdx.x % C10_WARP_SIZE == 0) gpuAtomicAdd(out + blockIdx.y, float(sum));
}
torch::Tensor sums_of(torch::Tensor in) {
  TORCH_CHECK(in.is_cuda(), "in is on the host");
  auto out = torch::zeros({in.size(0)}, in.options());
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "sums", [&] {
    sums<scalar_t><<<dim3(4, in.size(0)), 256>>>(
        in.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), out.data_ptr<float>());
  });
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("sums_of", &sums_of); }
)";

TEST_F(CompileReach, KernelsOfPyTorchExtensionsNeedNoPyTorch) {
  expect_nvrtc(kExtension, "sums<float>");
  expect_nvrtc(kExtension, "sums<at::Half>");
  expect_nvrtc(kExtension, "sums<c10::BFloat16>");
  expect_error(compile_text("#include <ATen/ATen.h>\n"
                            "__global__ void k(int* p) { *p = at::nothing_of_that_name(); }\n"),
               1, "the header <ATen/ATen.h> was not found");
}

TEST_F(CompileReach, MembersOfStdComeWithoutTheirHeaders) {
  expect_nvrtc(
      "__global__ void k(float* x) {\n"
      "  std::conditional<sizeof(float) == 4, int, char>::type i = threadIdx.x;\n"
      "  if (std::is_same_v<decltype(i), int>) std::memcpy(x + i, x, sizeof(float));\n"
      "  x[i] = std::lround(x[i]);\n"
      "}\n");
  expect_nvrtc(
      "__global__ void k(int* x) {\n"
      "  auto place = [&](int i) -> std::tuple<int, int> { return {i / 4, i % 4}; };\n"
      "  auto [row, column] = place(threadIdx.x);\n"
      "  x[row] = column;\n"
      "}\n");
  expect_nvrtc(
      "__global__ void k(int* x) { __asm__ volatile(\"mov.u32 %0, %%tid.x;\" : \"=r\"(*x)); }\n");
}

// Its host code is set aside, which the compiler itself could not.
TEST_F(CompileReach, AHeaderOfCudasInBracketsIsTheProjects) {
  write("src/words.cuh",
        "#include <concepts>\n#include <variant>\n#include <iostream>\n"
        "template <class T> concept Word = std::same_as<T, int> || std::same_as<T, float>;\n"
        "using Answer = std::variant<int, float>;\n"
        "inline void say(Answer a) { std::cout << a.index(); }\n"
        "template <Word T> __device__ T twice(T x) { return x + x; }\n");
  const std::string file = write(
      "src/first.cuh", "#include <words.cuh>\n__global__ void k(float* x) { *x = twice(*x); }\n");
  const auto compiled = compile_file(file);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
}

// As files have it whose own header, which is not there, includes <concepts>.
TEST_F(CompileReach, AConceptNeedsNoHeaderOfItsOwn) {
  const std::string file =
      write("concept/k.cu",
            "#include \"missing.h\"\ntemplate <class T> concept Summed = requires(T a) {\n"
            "  { a + a } -> std::convertible_to<T>;\n};\n"
            "template <Summed T> __global__ void k(T* x) { *x += *x; }\n"
            "void run(float* x) { k<float><<<1, 1>>>(x); }\n");
  const auto compiled = compile_file(file);
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
}

TEST_F(CompileReach, ASpecialisationOfADeviceTemplateNeedsNoMark) {
  expect_nvrtc(
      "#include <cuda_fp16.h>\n"
      "template <class T> __device__ float wide(T x) { return x; }\n"
      "template <> __forceinline__ float wide<half>(half x) { return 2 * __half2float(x); }\n"
      "__global__ void k(const half* x, float* y) { y[threadIdx.x] = wide(x[threadIdx.x]); }\n");
}

// Headers of CUDA's samples, which people include without having them.
TEST_F(CompileReach, HeadersOfTheSamplesNeedNotBeThere) {
  fs::create_directories(folder_.path() / "samples/.git");
  const std::string file =
      write("samples/k.cu",
            "#include <helper_cuda.h>\n#include \"helper_math.h\"\n"
            "__global__ void k(const float3* x, float3* y, float* z) {\n"
            "  y[threadIdx.x] = clamp(2.0f * x[threadIdx.x] + make_float3(1.0f), 0.0f, 5.0f);\n"
            "  z[threadIdx.x] = dot(x[threadIdx.x], cross(y[threadIdx.x], normalize(x[0])));\n}\n"
            "int main(int n, char** v) { findCudaDevice(n, (const char**)v);\n"
            "  checkCudaErrors(cudaDeviceSynchronize()); }\n");
  const auto compiled = compile_file(file);
  EXPECT_TRUE(compiled.ok()) << to_string(compiled.error());
}

// PyTorch's description of a tensor whose number of axes is known at the launch.
TEST_F(CompileReach, ATensorOfAnyNumberOfAxesIsOfPyTorch) {
  const std::string file = write(
      "info/k.cu",
      "#include <ATen/cuda/detail/IndexUtils.cuh>\n#include <ATen/cuda/detail/TensorInfo.cuh>\n"
      "__global__ void k(const at::cuda::detail::TensorInfo<float, int> in, float* out, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = in.data[at::cuda::detail::IndexToOffset<float, int, -1>::get(i, "
      "in)];\n"
      "}\n");
  const auto compiled = compile_file(file);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  const auto layout = accessor_layout("const at::cuda::detail::TensorInfo<float, int>");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->bytes, 216u);
  EXPECT_EQ(layout->fields.back().name, "dims");
  EXPECT_EQ(layout->fields.back().offset, 208u);
}

// The #include stands in braces that the including file closes behind it.
TEST_F(CompileReach, APieceOfAnotherFilesBracesIsCompiled) {
  fs::create_directories(folder_.path() / "pieces/.git");
  write("pieces/common.h", "struct place { int row, column; };\n");
  write("pieces/all.cu",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n#include \"common.h\"\n"
        "#include \"piece.cu\"\nvoid run() {}\n#ifdef __cplusplus\n}\n#endif\n");
  const std::string file =
      write("pieces/piece.cu", "__global__ void k(place* x) { x->row = x->column; }\n");
  const auto compiled = compile_file(file);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
}

TEST_F(CompileReach, AMissingHeaderIsSaidFirst) {
  const std::string source =
      "#include <cstdint>\n#include \"graph.h\"\n"
      "__global__ void walk(Node* nodes, int* cost) { *cost = nodes->degree; }\n";
  const auto compiled = compile_text(source);
  expect_error(compiled, 2, "the header \"graph.h\" was not found, and line 3 does not compile");
  EXPECT_NE(compiled.error().message.find("\"Node\" is undefined"), std::string::npos);
  EXPECT_NE(compiled.error().remedy.find("-I"), std::string::npos);
}

TEST_F(CompileReach, ASlipOfThePenIsSaidBeforeAMissingHeader) {
  expect_error(compile_text("#include \"graph.h\"\n__global__ void k(int* p) { *p = 1 }\n"), 2,
               "expected a \";\"");
}

TEST_F(CompileReach, AMissingSemicolonIsSaidAtTheEndOfItsStatement) {
  const std::string before = "__global__ void k(int* p) {\n  int i = threadIdx.x;\n";
  expect_error(compile_text(before + "  p[i] = 1  // one\n\n  /* and */\n}\n"), 3,
               "expected a \";\"");
  expect_error(compile_text(before + "  p[i] = 1\n  p[i] += 1;\n}\n"), 3, "expected a \";\"");
  expect_error(compile_text(before + "  p[i] = 1; p[i] = 2 }\n"), 3, "expected a \";\"");
  CompileRequest request;
  request.instance.file_name = "test.cu";
  request.instance.source = before + "  p[i] = 1\n}\n";
  const std::vector<Error> errors = compile_errors(request, {});
  ASSERT_EQ(errors.size(), 1U) << "the same one twice";
  EXPECT_EQ(errors.front().place.column, 11) << "behind the last letter";
}

TEST_F(CompileReach, ATextureReferenceHasItsRemedy) {
  const auto compiled = compile_text(
      "texture<float, 2, cudaReadModeElementType> image;\n"
      "__global__ void k(float* p) { *p = tex2D(image, 0, 0); }\n");
  expect_error(compiled, 1, "CUDA 12 has no texture references");
  EXPECT_NE(compiled.error().remedy.find("cudaTextureObject_t"), std::string::npos);
}

TEST_F(CompileReach, ASurfaceReferenceIsSaidBeforeAMissingHeader) {
  const auto compiled = compile_text(
      "#include <nowhere/window.h>\n"
      "surface<void, cudaSurfaceType3D> volume;\n"
      "__global__ void k(float* p) { surf3Dwrite(*p, volume, 0, 0, 0); }\n");
  expect_error(compiled, 2, "CUDA 12 has no surface references");
  EXPECT_NE(compiled.error().remedy.find("tilescope exec"), std::string::npos);
}

// The host compiler's own, and those of another operating system, are not missing.
TEST_F(CompileReach, ForeignHeadersAreNotMissing) {
  expect_error(compile_text("#include <stdarg.h>\n#include <bits/stdc++.h>\n"
                            "#ifdef _WIN32\n#include <windows.h>\n#endif\n"
                            "#if !defined(_MSC_VER)\n#else\n#include \"wide.h\"\n#endif\n"
                            "__global__ void k(int* p) { *p = nowhere; }\n"),
               10, "\"nowhere\" is undefined");
}

TEST_F(CompileReach, WhatNvccTakesUnaskedNvrtcTakesToo) {
  expect_nvrtc("extern \"C\"__global__\nvoid first(float* x) { x[0] = 1; }\n");
  expect_nvrtc(
      "struct Place { int row, column; };\n"
      "__global__ void first(int* x) { const Place p{.row = 3, .column = 4}; *x = p.row; }\n");
  expect_nvrtc(
      "namespace own { struct __device_builtin__ __builtin_align__(16) four { float x[4]; }; }\n"
      "__global__ void first(int* x) { *x = alignof(own::four); }\n");
  expect_nvrtc(
      "template <class F> __device__ void apply(float* x, F f) { *x = f(*x); }\n"
      "__global__ void first(float* x) {\n"
      "  apply(x, [] __device__(float v) { return v + 1; });\n"
      "  apply(x, [=] __host__ __device__(float v) { return v * *x; });\n"
      "}\n");
  expect_nvrtc("__global__ void first(int* x) { register int i = threadIdx.x; x[i] = i; }\n");
  expect_nvrtc(
      "__global__ void first(const __grid_constant__ CUtensorMap map, const void** x) {\n"
      "  *x = &map;\n"
      "}\n");
  expect_nvrtc(
      "#include <math.h>\n"
      "__global__ void first(double* x) { *x = M_2_SQRTPI + M_LN10 + M_LOG10E; }\n");
}

TEST_F(CompileReach, AnExcerptWithoutItsFirstLinesIsCompiled) {
  const auto compiled = compile_text(
      "using namespace nvcuda;\nnamespace cg = cooperative_groups;\n"
      "__global__ void first(const half* a, __nv_bfloat16* b) {\n"
      "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile;\n"
      "  wmma::load_matrix_sync(tile, a, 16);\n"
      "  b[cg::this_thread_block().thread_rank()] = __float2bfloat16(__half2float(tile.x[0]));\n"
      "}\n",
      "");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(compiled->compiler.starts_with("NVRTC")) << compiled->compiler;
  EXPECT_NE(compiled->notes.find("half is of cuda_fp16.h, which no file includes"),
            std::string::npos)
      << compiled->notes;
  expect_error(compile_text("__global__ void first(quarter* x) { *x = 1; }\n", ""), 1,
               "\"quarter\" is undefined");
}

TEST_F(CompileReach, ConstantsThatStoodAboveAnExcerptAreTakenForUsualOnes) {
  const auto compiled = compile_text(
      "__global__ void k(const float* in, float* out) {\n"
      "  __shared__ float tile[TILE_WIDTH][TILE_WIDTH];\n"
      "  tile[threadIdx.y][threadIdx.x] = C0 * in[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
      "}\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->notes.find("TILE_WIDTH is defined nowhere: it is taken for 16"),
            std::string::npos)
      << compiled->notes;
  EXPECT_NE(compiled->ptx.find("[1024]"), std::string::npos);
  const auto beside_others = compile_text(
      "#define COUNT 8\n"
      "const int other = 3;\n"
      "__global__ void k(int* x) { *x = MASK_WIDTH + COUNT; }\n");
  ASSERT_TRUE(beside_others.ok()) << to_string(beside_others.error());
  EXPECT_EQ(beside_others->notes, "MASK_WIDTH is defined nowhere: it is taken for 5\n");
  expect_error(compile_text("__global__ void k(int* x) { *x = FIXME; }\n"), 1,
               "\"FIXME\" is undefined");
  expect_error(compile_text("#define TILE_WIDTH 8\n"
                            "__global__ void k(int* x) { *x = TILE_WIDHT; }\n"),
               2, "\"TILE_WIDHT\" is undefined");
}

TEST_F(CompileReach, MacrosThatStoodAboveAnExcerptAreTakenForUsualOnes) {
  const auto compiled = compile_text(
      "__global__ void k(float* x, int n) {\n"
      "  float4 v = FLOAT4(x[OFFSET(threadIdx.x, 0, 4)]);\n"
      "  v.x += CEIL_DIV(n, 32);\n"
      "  FLOAT4(x[OFFSET(threadIdx.x, 0, 4)]) = v;\n"
      "}\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->notes.find("CEIL_DIV is defined nowhere: it is taken for "
                                 "(((a) + (b) - 1) / (b))"),
            std::string::npos)
      << compiled->notes;
  EXPECT_NE(compiled->ptx.find(".v4"), std::string::npos);
  expect_error(compile_text("__global__ void k(int* x) { *x = SHUFFLE(x[0], 2); }\n"), 1,
               "\"SHUFFLE\" is undefined");
}

TEST_F(CompileReach, NamesOfTypesThatImageLibrariesHaveAreKnown) {
  const auto compiled = compile_text(
      "#include <nowhere/image.hpp>\n"
      "std::pair<uchar*, size_t> make(size_t rows);\n"
      "__global__ void k(uchar* x) { x[threadIdx.x] = 255; }\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->ptx.find("st.global.u8"), std::string::npos) << "no float";
}

TEST_F(CompileReach, AHeaderThatAsksForItsPlatformGetsIt) {
  write("colours.hpp",
        "#if defined(_WIN32)\n#define PLATFORM 1\n#elif defined(__unix__)\n"
        "#define PLATFORM 2\n#include <unistd.h>\n#else\n#error unsupported platform\n#endif\n");
  const auto compiled = compile_file(
      write("first.cu",
            "#include \"colours.hpp\"\n__global__ void first(int* x) { *x = 40 + PLATFORM; }\n"));
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(compiled->compiler.starts_with("NVRTC")) << compiled->compiler;
  EXPECT_NE(compiled->ptx.find(", 42;"), std::string::npos) << compiled->ptx;
}

TEST_F(CompileReach, MacrosOfTheProjectsBuildAreTaken) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/Makefile", "NVCCFLAGS = -O3 -DN=48 -DFAST\n");
  const auto compiled = compile_file(
      write("project/src/first.cu", "__global__ void first(int* x) { *x = N + FAST; }\n"));
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->notes.find("N is 48, as the project's build sets it"), std::string::npos)
      << compiled->notes;
  EXPECT_NE(compiled->ptx.find(", 49;"), std::string::npos) << compiled->ptx;
}

// Each source is a unit of its own to nvcc.
TEST_F(CompileReach, AHeaderWithoutAGuardMayBeIncludedByTwoSources) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/pair.h", "struct Pair { int a, b; };\n__device__ int sum(Pair pair);\n");
  write("project/pair.cu",
        "#include \"pair.h\"\n__device__ int sum(Pair pair) { return pair.a + pair.b; }\n");
  const auto compiled =
      compile_file(write("project/first.cu",
                         "#include \"pair.h\"\n"
                         "__global__ void first(int* x) { *x = sum(Pair{40, 2}); }\n"));
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->ptx.find(", 42;"), std::string::npos) << compiled->ptx;
}

TEST_F(CompileReach, MacrosOfCMakesCommandsAreTaken) {
  fs::create_directories(folder_.path() / "project/.git");
  write("project/CMakeLists.txt",
        "set(LENGTH 40)\nadd_compile_definitions(N=${LENGTH} UNKNOWN=${NOWHERE})\n"
        "target_compile_definitions(first PRIVATE FAST M=8)\n");
  const auto compiled = compile_file(
      write("project/src/first.cu", "__global__ void first(int* x) { *x = N + FAST + M; }\n"));
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->ptx.find(", 49;"), std::string::npos) << compiled->ptx;
  EXPECT_EQ(build_defines(folder_.path() / "project/src"),
            (std::vector<std::string>{"N=40", "FAST", "M=8"}));
}

// NVRTC has no runtime, and nvcc need not be there.
TEST_F(CompileReach, ALaunchThatOverlapsWithTheOneBeforeItIsCompiled) {
  expect_nvrtc(
      "__global__ void first(int* x) {\n"
      "  cudaGridDependencySynchronize();\n"
      "  *x = 1;\n"
      "  cudaTriggerProgrammaticLaunchCompletion();\n}\n");
}

// An attribute of the project's own before a structure's name hides no structure.
TEST_F(CompileReach, AMacroBeforeAStructuresNameIsNoFunction) {
  expect_nvrtc(
      "#define ALIGNED(n) __align__(n)\n"
      "struct ALIGNED(8) two { float a, b; };\n"
      "__global__ void first(two* x) { x->a = x->b; }\n");
}

TEST_F(CompileReach, OneWrongKernelBlocksNoOther) {
  const std::string source =
      "__device__ float half_of(float x) { return x / two; }\n"
      "__global__ void wrong(float* x) { *x = nowhere; }\n"
      "__global__ void good(float* x) { *x = 1; }\n"
      "__global__ void calls(float* x) { *x = half_of(*x); }\n";
  for (int time = 0; time < 2; ++time) {  // the second from the cache
    const auto good = compile_text(source, "good");
    ASSERT_TRUE(good.ok()) << to_string(good.error());
    EXPECT_NE(note_on_compiler(*good).find("test.cu:2: wrong does not compile and was left out"),
              std::string::npos)
        << note_on_compiler(*good);
    expect_error(compile_text(source, "wrong"), 2, "\"nowhere\" is undefined");
    expect_error(compile_text(source, "calls"), 1, "\"two\" is undefined");
  }
}

TEST_F(CompileReach, ExchangesWithoutAMaskAreThoseOfToday) {
  const auto compiled =
      compile_text("__global__ void first(int* x) { *x = __shfl_xor(*x, 1) + __any(*x > 0); }\n");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(note_on_compiler(*compiled).find("__shfl_xor is of CUDA before 9.0"), std::string::npos)
      << note_on_compiler(*compiled);
}

constexpr const char* kHip = R"(#include "hip/hip_runtime.h"
#include <hip/hip_fp16.h>
#define CHECK(call) if ((call) != hipSuccess) return 1
__global__ void sums(const float* in, float* out) {
  float v = in[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x];
  for (int lanes = 16; lanes > 0; lanes /= 2) v += __shfl_down(v, lanes);
  if (__lane_id() == 0 && __ballot(1) != 0ull) out[hipBlockIdx_x] = v;
}
template <int N>
__global__ void fill(__half* x) {
  HIP_DYNAMIC_SHARED(float, kept)
  kept[threadIdx.x] = N;
  x[threadIdx.x] = __float2half(kept[threadIdx.x]);
}
int main() {
  float* in = nullptr;
  CHECK(hipMalloc(&in, 4096));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(fill<4>), dim3(1), dim3(32), 128, 0, nullptr);
  CHECK(hipDeviceSynchronize());
  return hipFree(in) == hipSuccess ? 0 : 1;
}
)";

TEST_F(CompileReach, HipIsTakenForCuda) {
  expect_nvrtc(kHip, "sums");
  expect_nvrtc(kHip, "fill<8>");
}

// Thrust in device code, which NVRTC refuses.
TEST_F(CompileReach, NvccTakesHipsHostCode) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const auto compiled =
      compile_text(std::string("#include <thrust/complex.h>\n") + kHip +
                       "__global__ void takes(thrust::complex<float>* z) { *z = *z * *z; }\n",
                   "takes");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(compiled->compiler.starts_with("nvcc")) << compiled->compiler;
}

TEST_F(CompileReach, NvccTakesKernelsThatLaunchOthers) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const std::string source =
      "#include <cstdio>\n"
      "__global__ void child(int* x) { x[threadIdx.x] = 1; }\n"
      "__global__ void parent(int* x) { child<<<1, 32>>>(x); }\n"
      "int main() { parent<<<1, 1>>>(nullptr); }\n";
  const auto compiled = compile_text(source, "parent");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(compiled->compiler.starts_with("nvcc")) << compiled->compiler;
  EXPECT_TRUE(compile_text(source, "child").ok());
}

// What the kernel calls of the runtime library is what NVRTC complains of first.
TEST_F(CompileReach, NvccTakesKernelsThatAllocateAndLaunch) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const auto compiled = compile_text(
      "#include <cstdio>\n"
      "__global__ void fill(int* x) { x[threadIdx.x] = 1; }\n"
      "__global__ void parent(int** x) {\n"
      "  int* mine = nullptr;\n"
      "  cudaMalloc(&mine, 128);\n"
      "  fill<<<1, 32>>>(mine);\n"
      "  *x = mine;\n"
      "}\n"
      "int main() { parent<<<1, 1>>>(nullptr); }\n",
      "parent");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
}

// A template of which host code makes no instance of these arguments.
TEST_F(CompileReach, NvccMakesTheInstanceThatIsAskedFor) {
  if (!nvcc()) GTEST_SKIP() << "there is no nvcc";
  const auto compiled = compile_text(
      "#include <thrust/complex.h>\n"
      "template <int N> __global__ void takes(thrust::complex<float>* z) { *z = *z * float(N); }\n"
      "int main() {}\n",
      "takes<4>");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_TRUE(compiled->compiler.starts_with("nvcc")) << compiled->compiler;
  EXPECT_NE(compiled->kernel.find("takesILi4E"), std::string::npos) << compiled->kernel;
}

// Each number as ptxas -v says it.
TEST_F(CompileReach, ACubinSaysWhatItsKernelsNeed) {
  const auto compiled = compile_text(
      "struct Pair { float a; double b; };\n"
      "__global__ void first(char c, Pair p, float* x, short s) {\n"
      "  __shared__ float row[40];\n"
      "  row[threadIdx.x] = p.a;\n"
      "  __syncthreads();\n"
      "  x[threadIdx.x] = row[threadIdx.x ^ 1] + c + s;\n"
      "}\n"
      "__global__ void second() {}\n",
      "first", true);
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_EQ(architecture_of_cubin(compiled->cubin), 90);
  const std::vector<CubinKernel> kernels = kernels_of_cubin(compiled->cubin);
  ASSERT_EQ(kernels.size(), 2U);
  const auto first = std::ranges::find(kernels, compiled->kernel, &CubinKernel::name);
  ASSERT_NE(first, kernels.end());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const auto& parameter : first->parameters) {
    places.emplace_back(parameter.offset, parameter.bytes);
  }
  EXPECT_EQ(places, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                        {0, 1}, {8, 16}, {24, 8}, {32, 2}}));
  const CubinFacts facts = facts_of_cubin(compiled->cubin, compiled->kernel);
  EXPECT_TRUE(facts.is_found);
  EXPECT_EQ(facts.registers, compiled->resources.registers);
  EXPECT_EQ(facts.static_shared_bytes, 160U);
}

constexpr const char* kNewerPtx =
    ".version 9.9\n.target sm_90\n.address_size 64\n"
    ".visible .entry first() { ret; }\n";

TEST_F(CompileReach, PtxThatIsNewerThanPtxasIsTold) {
  if (!assembler()) GTEST_SKIP() << "there is no ptxas";
  const auto compiled = compile_text(kNewerPtx, "", true, "newer.ptx");
  ASSERT_TRUE(compiled.ok()) << to_string(compiled.error());
  EXPECT_NE(compiled->why_no_cubin.find("Install a newer ptxas"), std::string::npos)
      << compiled->why_no_cubin;
}

TEST_F(CompileReach, ANewerPtxasIsAskedWhereTheFirstIsTooOld) {
  if (!assembler()) GTEST_SKIP() << "there is no ptxas";
  const std::string program = write("bin/ptxas",
                                    "#!/bin/sh\nfor word; do case $word in --output-file=*) echo "
                                    "made > ${word#*=};; esac; done\n");
  fs::permissions(program, fs::perms::owner_all);
  const char* before = std::getenv("PATH");
  const std::string path = before == nullptr ? "" : before;
  ::setenv("PATH", (fs::path(program).parent_path().string() + ":" + path).c_str(), 1);
  const auto made = assemble(kNewerPtx, "sm_90", {});
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(made.ok()) << to_string(made.error());
  EXPECT_EQ(made->cubin.size(), 5U);
}

}  // namespace
}  // namespace tilescope
