#include "emulator/block/launch_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/device_table.h"
#include "core/launch_limits.h"
#include "core/quantity.h"
#include "emulator/program_implementation.h"
#include "kernel/source/kernel_name.h"

namespace tilescope {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::uint64_t kMostClusterBlocks = 16;   // 8 without asking for more
constexpr std::uint64_t kMostShared = 227u << 10;  // of compute capability 9.0 and 10.0

Error usage(std::string message, std::string remedy) {
  return Error{ErrorCode::kUsage, std::move(message), std::move(remedy), {}};
}

ElementType element_of(DataType type) {
  switch (type) {
    case DataType::kF32:
      return ElementType::kF32;
    case DataType::kF64:
      return ElementType::kF64;
    case DataType::kS32:
      return ElementType::kI32;
    case DataType::kU32:
    case DataType::kB32:
      return ElementType::kU32;
    case DataType::kU64:
    case DataType::kB64:
      return ElementType::kU64;
    case DataType::kS64:
      return ElementType::kI64;
    case DataType::kU16:
    case DataType::kB16:
      return ElementType::kU16;
    default:
      return ElementType::kU8;
  }
}

Status check_shared(const Program& program, const Launch& launch) {
  if (program.is_machine_code()) return ok_status();  // has the system's part too; its PTX is asked
  const std::uint32_t fixed = program.static_shared_bytes();
  if (fixed > std::uint32_t{kMostStaticSharedBytes}) {
    return usage(fmt::format("{} has {} bytes of static shared memory; a block has at most {}",
                             program.kernel(), fixed, kMostStaticSharedBytes),
                 "Declare the array extern and give its bytes at the launch");
  }
  const std::uint64_t all = std::uint64_t{fixed} + launch.dynamic_shared_bytes;
  if (all <= kMostShared) return ok_status();
  return usage(fmt::format("{} static and {} dynamic bytes of shared memory are more than any GPU "
                           "gives a block",
                           fixed, launch.dynamic_shared_bytes),
               fmt::format("Ask for at most {} together", kMostShared));
}

Status check_arguments(const Program& program, const Launch& launch) {
  const std::vector<KernelParameter>& parameters = program.parameters();
  const std::string kernel = name_without_parameters(program.kernel());
  std::vector<std::uint32_t> given(parameters.size(), 8);  // bytes
  ParameterIndex index;
  for (const LaunchArgument& argument : launch.arguments) {
    const std::uint32_t i = index.next(argument.member);
    if (i >= parameters.size()) continue;
    if (argument.member) {
      const StructureMember& member = *argument.member;
      given[i] = std::max(member.structure_bytes, member.offset + argument.bytes);
    } else if (!argument.object.empty() && parameters[i].bytes == argument.object.size()) {
      given[i] = parameters[i].bytes;
    }
  }
  if (index.count() != parameters.size()) {
    return usage(fmt::format("{} takes {}, not {}", kernel, counted(parameters.size(), "argument"),
                             index.count()),
                 "Give one argument for each parameter, in order");
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::uint32_t wanted = parameters[i].bytes;
    if (wanted == given[i] || (given[i] == 8 && wanted < 8)) continue;
    if (given[i] == 8) {
      return usage(fmt::format("argument {} of {} is a structure of {} bytes", i, kernel, wanted),
                   "Give its members in order, in braces: '{i32:4, f32[16]=zero}'");
    }
    return usage(fmt::format("argument {} of {} has {} bytes, and its members make {}", i, kernel,
                             wanted, given[i]),
                 "Give each member in order; pad:N stands for N bytes that none takes");
  }
  return ok_status();
}

Status check_cluster(const Program& program, const Launch& launch) {
  const Dim3& cluster = program.cluster();
  const Dim3& grid = launch.grid;
  if (cluster.count() > kMostClusterBlocks) {
    return usage(fmt::format("{} asks for clusters of {} x {} x {} blocks; the largest has {}",
                             name_without_parameters(program.kernel()), cluster.x, cluster.y,
                             cluster.z, kMostClusterBlocks),
                 "Make __cluster_dims__ smaller: 8 blocks run on every GPU that has clusters");
  }
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0)
    return ok_status();
  const auto whole = [](std::uint32_t blocks, std::uint32_t of) {
    return (blocks + of - 1) / of * of;
  };
  return usage(
      fmt::format("a grid of {} x {} x {} blocks cannot be cut into clusters of {} x {} x "
                  "{}",
                  grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z),
      fmt::format("Give a multiple of the cluster along each axis, such as {} x {} x {}",
                  whole(grid.x, cluster.x), whole(grid.y, cluster.y), whole(grid.z, cluster.z)));
}

}  // namespace

Status check_launch(const Program& program, const Launch& launch) {
  if (!can_be_block(launch.block)) {
    return usage(fmt::format("a block of {} x {} x {} threads cannot be launched", launch.block.x,
                             launch.block.y, launch.block.z),
                 "A block has 1 to 1,024 threads, at most 64 along z");
  }
  if (!can_be_grid(launch.grid)) {
    return usage(fmt::format("a grid of {} x {} x {} blocks cannot be launched", launch.grid.x,
                             launch.grid.y, launch.grid.z),
                 "A grid has at least one block, at most 65,535 along y and z");
  }
  if (const Status cluster = check_cluster(program, launch); !cluster) return cluster;
  if (const Status shared = check_shared(program, launch); !shared) return shared;
  return check_arguments(program, launch);
}

LaunchRegions::LaunchRegions(const Code& code, DeviceMemory& memory) {
  for (const DeviceMemory::Buffer& buffer : memory.buffers()) {
    if (buffer.contents->empty()) continue;
    map_.add({buffer.address, buffer.contents->size(), buffer.contents->data(), buffer.name,
              buffer.type});
  }
  for (const GlobalVariable& global : code.globals) {
    if (global.bytes == 0) continue;
    globals_.push_back(global.image);
    globals_.back().resize(global.bytes + 16);  // alignment of vectors is checked against the start
    map_.add({global.address, global.bytes, globals_.back().data(), global.name,
              element_of(global.type)});
  }
  // Constant memory lies in global memory too: what cvta.to.global makes of its generic addresses.
  if (!code.constant_image.empty()) {
    globals_.push_back(code.constant_image);
    map_.add({kConstantWindow, code.constant_image.size(), globals_.back().data(),
              "constant memory", ElementType::kU8});
  }
  map_.finish();
}

void bind_arguments(const Program& program, ExecutionContext& context) {
  context.program = &program;
  context.arguments.clear();
  for (const KernelParameter& parameter : program.parameters()) {
    context.arguments.emplace_back(parameter.offset, parameter.bytes);
  }
}

}  // namespace tilescope
