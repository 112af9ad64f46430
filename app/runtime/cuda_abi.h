#pragma once
#include <cstddef>
#include <cstdint>

// The part of CUDA's binary interface that the stand-in has: structures as CUDA 12 and 13 lay them
// out (driver_types.h), so that the library is built where there is no CUDA.
namespace tilescope::runtime {

using Error = int;  // cudaError_t
inline constexpr Error kSuccess = 0;
inline constexpr Error kInvalidValue = 1;
inline constexpr Error kMemoryAllocation = 2;
inline constexpr Error kHostMemoryAlreadyRegistered = 712;
inline constexpr Error kHostMemoryNotRegistered = 713;
inline constexpr Error kInitialization = 3;
inline constexpr Error kInvalidConfiguration = 9;
inline constexpr Error kInvalidSymbol = 13;
inline constexpr Error kInvalidDeviceFunction = 98;
inline constexpr Error kInvalidDevice = 101;
inline constexpr Error kInvalidKernelImage = 200;
inline constexpr Error kInvalidContext = 201;
inline constexpr Error kNoKernelImageForDevice = 209;
inline constexpr Error kInvalidPtx = 218;
inline constexpr Error kFileNotFound = 301;
inline constexpr Error kInvalidResourceHandle = 400;
inline constexpr Error kStreamCaptureUnsupported = 900;
inline constexpr Error kStreamCaptureInvalidated = 901;
inline constexpr Error kStreamCaptureUnjoined = 904;
inline constexpr Error kSymbolNotFound = 500;
inline constexpr Error kNotReady = 600;
inline constexpr Error kIllegalAddress = 700;
inline constexpr Error kLaunchOutOfResources = 701;
inline constexpr Error kLaunchTimeout = 702;
inline constexpr Error kPeerAccessNotEnabled = 705;
inline constexpr Error kAssert = 710;
inline constexpr Error kHardwareStackError = 714;
inline constexpr Error kIllegalInstruction = 715;
inline constexpr Error kMisalignedAddress = 716;
inline constexpr Error kLaunchFailure = 719;
inline constexpr Error kCooperativeLaunchTooLarge = 720;
inline constexpr Error kNotSupported = 801;

struct Extents {  // dim3
  unsigned x = 1, y = 1, z = 1;
};

enum CopyKind : int { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };

struct ChannelFormat {
  int x, y, z, w;
  int kind;
};

struct Extent3 {
  std::size_t width = 0, height = 0, depth = 0;
};
struct Position3 {
  std::size_t x = 0, y = 0, z = 0;
};
struct PitchedPointer {
  void* pointer = nullptr;
  std::size_t pitch = 0, width = 0, height = 0;
};
struct Copy3 {  // cudaMemcpy3DParms
  void* from_array = nullptr;
  Position3 from_position;
  PitchedPointer from;
  void* to_array = nullptr;
  Position3 to_position;
  PitchedPointer to;
  Extent3 extent;
  int kind = kDefault;
};
static_assert(sizeof(Copy3) == 160);

struct FunctionAttributes {  // cudaFuncAttributes
  std::size_t shared = 0, constant = 0, local = 0;
  int most_threads = 0, registers = 0, ptx_version = 0, binary_version = 0, cache_mode = 0;
  int most_dynamic_shared = 0, shared_carveout = 0, cluster_must_be_set = 0;
  int cluster_width = 0, cluster_height = 0, cluster_depth = 0, cluster_policy = 0;
  int cluster_not_portable = 0;
  int reserved[16] = {};
};
static_assert(sizeof(FunctionAttributes) == 144);

struct PointerAttributes {
  int type = 0;  // 0 not registered, 1 host, 2 device, 3 managed
  int device = 0;
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
  long reserved[8] = {};  // of CUDA 13
};
static_assert(sizeof(PointerAttributes) == 88);

struct LaunchAttribute {
  int id = 0;
  char padding[4] = {};
  union {
    char bytes[64];
    int cooperative;
    unsigned cluster[3];
  } value = {};
};
static_assert(sizeof(LaunchAttribute) == 72);
inline constexpr int kAttributeCooperative = 2;
inline constexpr int kAttributeCluster = 4;

struct LaunchConfig {
  Extents grid, block;
  std::size_t shared_bytes = 0;
  void* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(LaunchConfig) == 56);

// cudaDeviceProp of CUDA 13. That of CUDA 12 (cudaGetDeviceProperties_v2) has some members more.
struct Properties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_mask;
  std::size_t total_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t memory_pitch;
  int threads_per_block, block_extents[3], grid_extents[3];
  std::size_t constant_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multiprocessors, integrated, maps_host_memory;
  int textures[25];  // maxTexture1D ... maxTextureCubemapLayered
  int surfaces[13];  // maxSurface1D ... maxSurfaceCubemapLayered
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines;
  int unified_addressing, memory_bus_bits, l2_bytes, persisting_l2_bytes;
  int threads_per_multiprocessor, stream_priorities, caches_global, caches_local;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, board_group;
  int native_host_atomics, pageable_access, concurrent_managed, preemption;
  int registered_host_pointers, cooperative_launch;
  std::size_t shared_per_block_optin;
  int host_page_tables, managed_from_host, blocks_per_multiprocessor, access_window;
  std::size_t reserved_shared;
  int host_register, sparse_arrays, read_only_register, timeline_semaphores, memory_pools;
  int rdma;
  unsigned rdma_options;
  int rdma_ordering;
  unsigned pool_handles;
  int deferred_arrays, ipc_events, cluster_launch, unified_functions;
  int numa_config, numa_id, mps, host_numa_id;
  unsigned pci_device_id, pci_subsystem_id;
  int host_numa_ipc;
  int reserved[56];
};

struct Properties12 {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_mask;
  std::size_t total_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t memory_pitch;
  int threads_per_block, block_extents[3], grid_extents[3];
  int clock_khz;
  std::size_t constant_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multiprocessors, kernel_timeout, integrated, maps_host_memory, compute_mode;
  int textures[26];  // with maxTexture1DLinear
  int surfaces[13];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines;
  int unified_addressing, memory_clock_khz, memory_bus_bits, l2_bytes, persisting_l2_bytes;
  int threads_per_multiprocessor, stream_priorities, caches_global, caches_local;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, board_group;
  int native_host_atomics, single_to_double, pageable_access, concurrent_managed, preemption;
  int registered_host_pointers, cooperative_launch, cooperative_multi_device;
  std::size_t shared_per_block_optin;
  int host_page_tables, managed_from_host, blocks_per_multiprocessor, access_window;
  std::size_t reserved_shared;
  int host_register, sparse_arrays, read_only_register, timeline_semaphores, memory_pools;
  int rdma;
  unsigned rdma_options;
  int rdma_ordering;
  unsigned pool_handles;
  int deferred_arrays, ipc_events, cluster_launch, unified_functions;
  int reserved2[2];
  int reserved1[1];
  int reserved[60];
};

}  // namespace tilescope::runtime
