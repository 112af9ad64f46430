#include "scene/synthetic_study.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

namespace tilescope {
namespace {

std::string registers(char bank, int count, int first) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    if (i > 0) list += ", ";
    list += fmt::format("%{}{}", bank, first + i);
  }
  return list;
}

std::string instruction_text(const SyntheticAccess& access) {
  const char* space = access.space == MemorySpace::kShared ? "shared" : "global";
  if (access.kind == AccessKind::kAtomic)
    return fmt::format("atom.{}.add.u32 %r1, [%rd1], %r2;", space);
  const bool load = access.kind == AccessKind::kLoad;
  const std::string op = fmt::format("{}.{}", load ? "ld" : "st", space);
  const int words = access.bytes_per_lane / 4;
  std::string type = words <= 1 ? ".f32" : fmt::format(".v{}.f32", words);
  std::string data = words <= 1 ? std::string("%f1") : "{" + registers('f', words, 1) + "}";
  if (access.bytes_per_lane < 4) {
    type = access.bytes_per_lane == 1 ? ".u8" : ".u16";
    data = "%rs1";
  }
  return load ? fmt::format("{}{} {}, [%rd1];", op, type, data)
              : fmt::format("{}{} [%rd1], {};", op, type, data);
}

std::string ptx_of(const SyntheticKernel& kernel) {
  std::string ptx = fmt::format(
      ".version 7.8\n.target sm_90\n.address_size 64\n.file 1 \"probe.cu\"\n"
      ".visible .entry probe(.param .u64 probe_param_0)\n{{\n"
      ".reg .f32 %f<8>;\n.reg .b16 %rs<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n"
      ".shared .align 16 .b8 tile[{}];\n"
      "ld.param.u64 %rd1, [probe_param_0];\n",
      64 * kernel.pitch_words * 4);
  int line = 1;
  for (const SyntheticAccess& access : kernel.accesses) {
    ptx += fmt::format(".loc 1 {} 1\n{}\n", line++, instruction_text(access));
  }
  return ptx + "ret;\n}\n";
}

KernelInstance instance_of(const SyntheticKernel& kernel) {
  KernelInstance instance;
  instance.id = "probe.cu";
  instance.title = "probe";
  instance.file_name = "probe.cu";
  instance.kernel = "probe";
  for (std::size_t i = 0; i < kernel.accesses.size(); ++i) {
    instance.source += fmt::format("touch(x, {});\n", i);
  }
  instance.source += fmt::format("__shared__ float tile[64][{}];\n", kernel.pitch_words);
  instance.block = {32, 1, 1};
  Argument x;
  x.name = "x";
  x.is_pointer = true;
  x.buffer.count = kernel.rows * kernel.cols;
  x.rows = kernel.rows;
  x.cols = kernel.cols;
  x.leading = kernel.cols;
  instance.arguments = {x};
  return instance;
}

}  // namespace

std::shared_ptr<const KernelStudy> synthetic_study(const SyntheticKernel& kernel) {
  auto study = std::make_shared<KernelStudy>();
  study->instance = instance_of(kernel);
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->ptx = ptx_of(kernel);
  auto program = decode_ptx(compiled->ptx, "probe", "");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
  if (!program) return nullptr;
  study->compiled = compiled;
  study->program = *program;
  auto memory = std::make_shared<DeviceMemory>();
  memory->add("x", ElementType::kF32,
              std::make_shared<std::vector<std::byte>>(kernel.rows * kernel.cols * 4));
  const std::uint64_t base = memory->buffers()[0].address;
  study->memory = memory;
  study->launch.block = {32, 1, 1};
  study->launch.arguments = {base};

  auto trace = std::make_shared<BlockTrace>();
  auto counters = std::make_shared<LaunchCounters>();
  CountingSink sink(*study->program);
  counters->executed = ExecutionCounts(study->program->instructions().size());
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < study->program->instructions().size(); ++i) {
    const StaticInstruction& instruction = study->program->instructions()[i];
    if (instruction.space != MemorySpace::kGlobal && instruction.space != MemorySpace::kShared)
      continue;
    const SyntheticAccess& from = kernel.accesses[next];
    WarpAccess access;
    access.active = from.active;
    access.space = from.space;
    access.kind = from.kind;
    access.bytes_per_lane = static_cast<std::uint8_t>(from.bytes_per_lane);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      access.address[lane] = from.offset(lane) + (from.space == MemorySpace::kGlobal ? base : 0);
    }
    AccessList& accesses = trace->events.accesses();
    accesses.append({base_of(access), accesses.shape_of(access, kNoAccess), i});
    trace->events.push_back({i, from.active, next, 0, 0xffffffff});
    sink.on_access({0, 0, i}, access);
    counters->executed.warps[i] = 1;
    counters->executed.lanes[i] = static_cast<std::uint64_t>(std::popcount(from.active));
    ++next;
  }
  EXPECT_EQ(next, kernel.accesses.size());
  counters->by_instruction = sink.counters();
  counters->whole_grid = true;
  counters->blocks_counted = counters->blocks_represented = 1;
  study->timeline = std::make_shared<const Timeline>(timeline_of(*study->program, *trace));
  study->trace = trace;
  study->counters = counters;
  return study;
}

}  // namespace tilescope
