// Copies through tensor maps in the emulator and on the GPU, bit for bit: all of shared memory
// after loads, all of the tensor after stores and reductions.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "emulator/emulate.h"
#include "emulator/issued_program.h"
#include "emulator/program.h"
#include "emulator/tensor_runs.h"
#include "gpu/device_buffer.h"
#include "kernel/compile/assemble.h"
#include "on_gpu.h"
#include "tensor_copy_case.h"

namespace tilescope {
namespace {

using Bytes = std::vector<std::byte>;
using Kind = TensorCopyCase::Kind;

// Numbers that every type can hold as one, or any bits.
Bytes tensor_contents(const TensorCopyCase& of, std::size_t bytes, std::mt19937& random) {
  Bytes contents(bytes);
  for (std::byte& byte : contents) byte = static_cast<std::byte>(random());
  const unsigned size = of.map.element_bytes();
  const bool floating = of.map.element >= TensorMap::Element::kF16;
  if (!floating) return contents;
  // No NaNs and infinities: the highest bit of the exponent is off.
  for (std::size_t at = size - 1; at < bytes; at += size) contents[at] &= std::byte{0xbf};
  return contents;
}

struct Memory {
  Bytes tensor;
  Bytes shared;  // of each block, and behind it 16 bytes
};

Memory memory_for(const TensorCopyCase& of, unsigned seed) {
  std::mt19937 random(seed);
  const std::size_t shared = std::size_t{of.blocks()} * (TensorCopyCase::kSharedBytes + 16);
  return {tensor_contents(of, of.tensor_bytes, random), tensor_contents(of, shared, random)};
}

Result<Memory> emulated(const TensorCopyCase& of, const Program& program, const Memory& before) {
  DeviceMemory memory;
  const auto add = [&](const Bytes& bytes) {
    return memory.buffers()[memory.add("b", ElementType::kU8, std::make_shared<Bytes>(bytes))]
        .address;
  };
  Launch launch;
  launch.grid = {of.blocks(), 1, 1};
  launch.block = {TensorCopyCase::kThreads, 1, 1};
  const std::uint64_t tensor = add(before.tensor);
  TensorMap map = of.map;
  map.address += tensor;
  LaunchArgument by_value(tensor);
  by_value.object.resize(TensorMap::kBytes);
  map.write(by_value.object.data());
  launch.arguments = {by_value, tensor, add(before.shared), add(of.places())};
  const auto run = emulate(program, launch, memory, {}, {}, {}, {});
  if (!run) return run.error();
  if (!run->findings.empty()) return Error{ErrorCode::kKernel, run->findings[0].message, {}, {}};
  return Memory{*memory.buffers()[0].contents, *memory.buffers()[1].contents};
}

Result<Memory> emulated(const TensorCopyCase& of, const Memory& before) {
  const auto program = decode_ptx(of.ptx(), "k", "");
  return program ? emulated(of, **program, before) : Result<Memory>(program.error());
}

// The same of what ptxas makes of it.
Result<Memory> emulated_as_issued(const TensorCopyCase& of, const Memory& before) {
  const auto written = decode_ptx(of.ptx(), "k", "");
  if (!written) return written.error();
  const auto assembled = assemble(of.ptx(), "sm_90a", {});
  if (!assembled) return assembled.error();
  const auto listing = disassemble(assembled->cubin, (*written)->kernel(), ListedLines::kPtx, {});
  if (!listing) return listing.error();
  const auto issued = decode_machine_code(*listing, **written);
  return issued ? emulated(of, **issued, before) : Result<Memory>(issued.error());
}

struct Group {
  Kind kind;
  bool im2col;
  unsigned cases;
};
constexpr std::array kGroups{
    Group{Kind::kLoad, false, 120},     Group{Kind::kLoad, true, 40},
    Group{Kind::kStore, false, 60},     Group{Kind::kStore, true, 20},
    Group{Kind::kReduction, false, 60}, Group{Kind::kMulticast, false, 20}};

// Calls visit(case, seed) for each of them.
template <class Visit>
void for_each_case(const Visit& visit) {
  std::mt19937 random(2026);
  unsigned seed = 0;
  for (const Group& group : kGroups) {
    for (unsigned i = 0; i < group.cases; ++i)
      visit(random_tensor_copy(group.kind, group.im2col, random), ++seed);
  }
}

TEST(TensorCopies, RunInTheEmulator) {
  for_each_case([](const TensorCopyCase& each, unsigned seed) {
    ASSERT_EQ(mistake_in(each.map), "") << each.name();
    const Memory before = memory_for(each, seed);
    const auto after = emulated(each, before);
    ASSERT_TRUE(after.ok()) << each.name() << ": " << to_string(after.error());
    if (each.loads()) {
      std::uint32_t over = 0;
      std::memcpy(&over, &after->shared[TensorCopyCase::kSharedBytes], sizeof over);
      EXPECT_EQ(over, 1u) << each.name();
      EXPECT_EQ(after->tensor, before.tensor) << each.name();
    }
  });
}

TEST(TensorCopies, AreTheSameInMachineCode) {
  if (!assembler() || !disassembler()) GTEST_SKIP() << "there is no ptxas or no nvdisasm";
  for_each_case([](const TensorCopyCase& each, unsigned seed) {
    if (seed % 10 != 0) return;  // nvdisasm takes a fifth of a second
    const Memory before = memory_for(each, seed);
    const auto written = emulated(each, before);
    const auto issued = emulated_as_issued(each, before);
    ASSERT_TRUE(written.ok()) << each.name();
    ASSERT_TRUE(issued.ok()) << each.name() << ": " << to_string(issued.error());
    EXPECT_EQ(issued->tensor, written->tensor) << each.name();
    EXPECT_EQ(issued->shared, written->shared) << each.name();
  });
}

// Each stops a kernel on an H100 with an illegal instruction.
TEST(TensorCopies, ThatStopAGpuAreReported) {
  std::mt19937 random(3);
  const auto report_of = [&](Kind kind, std::array<std::int32_t, 2> at) {
    TensorCopyCase each = random_tensor_copy(kind, false, random);
    while (each.map.rank() < 2) each = random_tensor_copy(kind, false, random);
    each.place.at[0] = at[0];
    each.place.at[1] = at[1];
    const auto after = emulated(each, memory_for(each, 1));
    return after ? std::string() : to_string(after.error());
  };
  EXPECT_NE(report_of(Kind::kLoad, {1, 0}).find("start at a multiple of "), std::string::npos);
  EXPECT_NE(report_of(Kind::kStore, {-1, 0}).find("start at a multiple of "), std::string::npos);
  EXPECT_EQ(report_of(Kind::kLoad, {0, -1}), "");
  for (const Kind kind : {Kind::kStore, Kind::kReduction}) {
    EXPECT_NE(report_of(kind, {0, -1}).find("writes to coordinate -1 of dimension 1"),
              std::string::npos);
  }
}

class TensorCopiesOnGpu : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    library_ = ::dlopen("libcuda.so.1", RTLD_NOW);
    if (library_ == nullptr || ::dlsym(library_, "cuTensorMapEncodeTiled") == nullptr)
      GTEST_SKIP() << "this driver has no cuTensorMapEncodeTiled";
  }

  // The driver's own map; false: it refuses.
  bool encode(const TensorMap& map, std::uint64_t tensor, CUtensorMap* made) {
    constexpr std::array kTypes{
        CU_TENSOR_MAP_DATA_TYPE_UINT8,        CU_TENSOR_MAP_DATA_TYPE_UINT16,
        CU_TENSOR_MAP_DATA_TYPE_UINT32,       CU_TENSOR_MAP_DATA_TYPE_INT32,
        CU_TENSOR_MAP_DATA_TYPE_UINT64,       CU_TENSOR_MAP_DATA_TYPE_INT64,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16,      CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,  CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,     CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
    };
    const CUtensorMapDataType type = kTypes[static_cast<std::size_t>(map.element)];
    const auto base = reinterpret_cast<void*>(tensor + map.address);
    std::array<cuuint64_t, 5> extent{};
    std::array<cuuint32_t, 5> box{}, step{};
    std::copy(map.extent.begin(), map.extent.end(), extent.begin());
    std::copy(map.box.begin(), map.box.end(), box.begin());
    std::copy(map.step.begin(), map.step.end(), step.begin());
    std::array<cuuint64_t, 4> stride{};
    std::copy(map.stride.begin(), map.stride.end(), stride.begin());
    const auto swizzle = static_cast<CUtensorMapSwizzle>(map.swizzle);
    const auto fill = static_cast<CUtensorMapFloatOOBfill>(map.fill);
    if (map.mode == TensorMap::Mode::kTiled) {
      const auto function = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(
          ::dlsym(library_, "cuTensorMapEncodeTiled"));
      return function(made, type, map.rank(), base, extent.data(), stride.data(), box.data(),
                      step.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, fill) == CUDA_SUCCESS;
    }
    const auto function = reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(
        ::dlsym(library_, "cuTensorMapEncodeIm2col"));
    std::array<int, 3> lower{}, upper{};
    std::copy(map.lower.begin(), map.lower.end(), lower.begin());
    std::copy(map.upper.begin(), map.upper.end(), upper.begin());
    return function(made, type, map.rank(), base, extent.data(), stride.data(), lower.data(),
                    upper.data(), map.channels, map.pixels, step.data(),
                    CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                    fill) == CUDA_SUCCESS;
  }

  // Whether TensorMap::write makes the driver's 128 bytes.
  static bool is_written_so(TensorMap map, std::uint64_t tensor, const CUtensorMap& made) {
    map.address += tensor;
    std::array<std::byte, TensorMap::kBytes> bytes{};
    map.write(bytes.data());
    return std::memcmp(bytes.data(), &made, sizeof made) == 0;
  }

  Result<Memory> run(const TensorCopyCase& of, const Memory& before) {
    auto tensor = DeviceBuffer::allocate(gpu(), before.tensor.size());
    auto shared = DeviceBuffer::allocate(gpu(), before.shared.size());
    const Bytes places = of.places();
    auto where = DeviceBuffer::allocate(gpu(), places.size());
    for (auto* made : {&tensor, &shared, &where}) {
      if (!*made) return made->error();
    }
    for (const Status& uploaded :
         {tensor->upload(std::span(before.tensor)), shared->upload(std::span(before.shared)),
          where->upload(std::span(places))}) {
      if (!uploaded) return uploaded.error();
    }
    alignas(64) CUtensorMap map{};
    if (!encode(of.map, tensor->data(), &map))
      return Error{ErrorCode::kUsage, "the driver refuses this tensor map", {}, {}};
    if (!is_written_so(of.map, tensor->data(), map))
      return Error{ErrorCode::kUsage, "the driver writes this tensor map otherwise", {}, {}};
    std::array<CUdeviceptr, 3> pointers{tensor->data(), shared->data(), where->data()};
    std::array<void*, 4> parameters{&map, &pointers[0], &pointers[1], &pointers[2]};
    const std::string text = of.ptx();
    if (!modules_.contains(text)) {
      auto module = load(text);
      if (!module) return module.error();
      modules_[text] = *module;
    }
    CUfunction kernel = nullptr;
    const CudaDriver& driver = gpu().driver();
    Status status = driver.check(driver.cuModuleGetFunction(&kernel, modules_[text], "k"), "find");
    if (!status) return status.error();
    status =
        driver.check(driver.cuLaunchKernel(kernel, of.blocks(), 1, 1, TensorCopyCase::kThreads, 1,
                                           1, 0, gpu().stream(), parameters.data(), nullptr),
                     "launch");
    if (!status) return status.error();
    if (status = gpu().finish("k"); !status) return status.error();
    Memory after{Bytes(before.tensor.size()), Bytes(before.shared.size())};
    if (status = tensor->download(std::span(after.tensor)); !status) return status.error();
    if (status = shared->download(std::span(after.shared)); !status) return status.error();
    return after;
  }

  void TearDown() override {
    for (const auto& [text, module] : modules_) unload(module);
  }

 private:
  void* library_ = nullptr;
  std::map<std::string, CUmodule> modules_;
};

// "byte 17: 3f on the GPU, 00 emulated, and 12 others"; empty: they are equal.
std::string difference(const Bytes& gpu, const Bytes& emulator) {
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    if (gpu[i] == emulator[i]) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  return fmt::format("byte {}: {:02x} on the GPU, {:02x} emulated; {} bytes differ", first,
                     static_cast<unsigned>(gpu[first]), static_cast<unsigned>(emulator[first]),
                     count);
}

TEST_F(TensorCopiesOnGpu, AgreeInAllOfMemory) {
  unsigned launches = 0, wrong = 0;
  for_each_case([&](const TensorCopyCase& each, unsigned seed) {
    const Memory before = memory_for(each, seed);
    const auto emulator = emulated(each, before);
    const auto gpu = run(each, before);
    ++launches;
    std::string why;
    if (!emulator || !gpu) {
      why =
          !emulator ? "emulated: " + to_string(emulator.error()) : "GPU: " + to_string(gpu.error());
    } else if (why = difference(gpu->tensor, emulator->tensor); !why.empty()) {
      why = "tensor, " + why;
    } else if (why = difference(gpu->shared, emulator->shared); !why.empty()) {
      why = "shared memory, " + why;
    }
    if (why.empty()) return;
    ++wrong;
    ADD_FAILURE() << each.name() << "\n  " << why;
  });
  fmt::print("{} launches, {} differ\n", launches, wrong);
}

TEST_F(TensorCopiesOnGpu, RefuseTheMapsThatTheDriverRefuses) {
  std::mt19937 random(9);
  for (unsigned i = 0; i < 400; ++i) {
    const TensorMap map = random_map(random);
    alignas(64) CUtensorMap made{};
    const bool accepts = encode(map, std::uint64_t{1} << 32, &made);
    const std::string mistake = mistake_in(map);
    TensorCopyCase shown;
    shown.map = map;
    EXPECT_EQ(accepts, mistake.empty()) << shown.name() << ": " << mistake;
    if (accepts) {
      EXPECT_TRUE(is_written_so(map, std::uint64_t{1} << 32, made)) << shown.name();
    }
  }
}

// The rows of a box that is narrower than the swizzle.
TEST_F(TensorCopiesOnGpu, AgreeWhereTheBoxIsNarrowerThanTheSwizzle) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 12; ++i) {
    TensorCopyCase each =
        random_tensor_copy(i % 2 == 0 ? Kind::kLoad : Kind::kStore, false, random);
    each.map.swizzle = TensorMap::Swizzle::k128;
    each.map.box = {static_cast<std::uint16_t>((16u << (i % 3)) / each.map.element_bytes()), 2, 2,
                    1, 1};
    each.shared_offset = 0;
    const Memory before = memory_for(each, i);
    const auto emulator = emulated(each, before);
    const auto gpu = run(each, before);
    ASSERT_TRUE(emulator.ok() && gpu.ok()) << each.name();
    EXPECT_EQ(difference(gpu->tensor, emulator->tensor), "") << each.name();
    EXPECT_EQ(difference(gpu->shared, emulator->shared), "") << each.name();
  }
}

}  // namespace
}  // namespace tilescope
