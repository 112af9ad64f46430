#pragma once
#include <cstdint>

// What the stand-in for CUDA's runtime library, inside a program, and tilescope, which runs the
// program, say to each other: a stream of messages over a socket, each answered before the next one
// is sent. Both run on one machine and are built together, so structures travel as they are.
namespace tilescope::runtime {

inline constexpr std::uint32_t kProtocolVersion = 5;
// "SOCKET,MEMORY": file descriptors that the program inherits.
inline constexpr char kEnvironmentName[] = "TILESCOPE_RUNTIME";

// Device memory is a file in memory that both map. In the program its bytes lie at their device
// addresses: those of cudaMalloc where nobody may touch them, the rest (managed, page-locked)
// readable and writable. Addresses are never given out twice.
inline constexpr std::uint64_t kDeviceBegin = 0x2000'0000'0000;
inline constexpr std::uint64_t kDeviceBytes = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kHostBegin = kDeviceBegin + kDeviceBytes;  // managed, page-locked
inline constexpr std::uint64_t kHostBytes = std::uint64_t{1} << 39;
inline constexpr std::uint64_t kArenaBytes = kDeviceBytes + kHostBytes;

enum class Call : std::uint32_t {
  kHello,        // Hello -> DeviceFacts
  kModule,       // ModuleRequest, fat binary, cubin, or texts of PTX, a zero between -> ModuleReply
  kFunction,     // FunctionRequest, name -> FunctionReply, ParameterPlace...
  kVariable,     // VariableRequest, name -> Range
  kAllocate,     // AllocateRequest -> Range
  kFree,         // FreeRequest -> Ranges
  kRegister,     // Range of the program's own memory -> RegisterReply
  kLend,         // Range of the program's own bytes, until kFree -> Range: its copy in the arena
  kCopy,         // CopyRequest -> CopyReply
  kSet,          // SetRequest
  kLaunch,       // LaunchRequest, parameters -> LaunchReply, Range..., printed, complaints
  kSynchronise,  // SynchroniseRequest -> Range... that the program may touch again
  kPointer,      // Range (begin alone) -> PointerReply
  kOccupancy,    // OccupancyRequest -> OccupancyReply
  kMemory,       // -> MemoryReply
  kFault,        // FaultRequest -> FaultReply
  kFailed,       // FailedRequest, name: a call gave the program an error
  kAsked,        // the program has asked for the last error
  kTexture,      // TextureRequest -> Range: where the object lies
  kTensorMap,    // TensorMapRequest -> the 128 bytes of a CUtensorMap
  kMissing,      // name of a function that is not there
  kDescribe,     // DescribeRequest, text: what a kernel's language says of it
  kReport,       // "begin FOLDER" or "end" -> text: what the launches between did
};

// Request: Call and the bytes that follow. Reply: cudaError_t and the bytes that follow.
struct Header {
  std::uint32_t code = 0;
  std::uint32_t bytes = 0;
};

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

struct Hello {
  std::uint32_t version = kProtocolVersion;
  std::uint32_t runtime_major = 0;  // 12 or 13: which library the program was linked with
};

struct DeviceFacts {
  char name[256] = {};
  std::int32_t compute_capability = 0;  // 90
  std::int32_t multiprocessors = 0;
  std::int32_t threads_per_block = 0;
  std::int32_t threads_per_multiprocessor = 0;
  std::int32_t blocks_per_multiprocessor = 0;
  std::int32_t registers_per_block = 0;
  std::int32_t registers_per_multiprocessor = 0;
  std::int32_t shared_per_block = 0;
  std::int32_t shared_per_block_optin = 0;
  std::int32_t shared_per_multiprocessor = 0;
  std::int32_t reserved_shared = 0;
  std::int32_t clock_khz = 0;
  std::int32_t memory_clock_khz = 0;
  std::int32_t memory_bus_bits = 0;
  std::int32_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

struct ModuleRequest {
  std::uint32_t is_loaded = 0;  // by a call of the driver library; else registered, for later
};
struct ModuleReply {
  std::uint32_t module = 0;
  std::int32_t error = 0;  // why none of its kernels can be launched
};

struct FunctionRequest {
  std::uint32_t module = 0;
};
struct FunctionReply {
  std::uint32_t function = 0;
  std::uint32_t parameters = 0;  // ParameterPlace follows, so many
  std::int32_t registers = 0;
  std::int32_t static_shared = 0;
  std::int32_t local_bytes = 0;
  std::int32_t constant_bytes = 0;
  std::int32_t most_threads = 0;
  std::int32_t ptx_version = 0;
  std::int32_t binary_version = 0;
};
struct ParameterPlace {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// A line that tells the kernel from others of its name ("BLOCK=128 num_warps=4"), then one for each
// parameter: its name, and the type of its elements or, behind a '=', its own: "x f32", "n =i32".
struct DescribeRequest {
  std::uint32_t function = 0;
};

struct VariableRequest {
  std::uint32_t module = 0;
};

enum class MemoryKind : std::uint32_t { kDevice, kManaged, kPageLocked };
struct AllocateRequest {
  MemoryKind kind = MemoryKind::kDevice;
  std::uint64_t bytes = 0;
  std::uint64_t caller = 0;  // address in the program
};
// cudaFree, cudaFreeHost, cudaHostUnregister; what was lent goes back.
enum class Freeing : std::uint32_t { kDevice, kHost, kRegistered, kLent };
struct FreeRequest {
  std::uint64_t address = 0;
  Freeing how = Freeing::kDevice;
};

// Rows of `width` bytes, `rows` of them in each of `slices`.
struct CopyRequest {
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::uint64_t to_pitch = 0;
  std::uint64_t from_pitch = 0;
  std::uint64_t to_slice = 0;
  std::uint64_t from_slice = 0;
  std::uint64_t width = 0;
  std::uint64_t rows = 1;
  std::uint64_t slices = 1;
  std::uint32_t kind = 4;  // cudaMemcpyKind
  std::uint32_t is_async = 0;
  std::uint64_t stream = 0;
  std::uint64_t caller = 0;
};
struct CopyReply {
  std::uint32_t to_arena = 0;    // the place is in the arena
  std::uint32_t from_arena = 0;  // Range... that the program may touch again follow
  double seconds = 0;            // modelled
  Range protect;  // pages that the program may not touch before it has waited; 0 bytes: none
};

struct SetRequest {
  std::uint64_t to = 0;
  std::uint64_t pitch = 0;
  std::uint64_t width = 0;
  std::uint64_t rows = 1;
  std::uint64_t caller = 0;
};

struct LaunchRequest {
  std::uint32_t function = 0;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t cluster[3] = {0, 0, 0};  // 0: none is asked for
  std::uint64_t shared_bytes = 0;
  std::uint64_t shared_limit = 0;  // that cudaFuncSetAttribute has allowed; 0: not called
  std::uint64_t stream = 0;
  std::uint32_t is_cooperative = 0;
  std::uint32_t is_capturing = 0;
  std::uint64_t caller = 0;
};
struct LaunchReply {
  std::int32_t later_error = 0;  // what the kernel itself fails with: told at the next call
  std::uint32_t protect = 0;     // Range follows, so many
  std::uint32_t printed = 0;     // bytes that follow
  std::uint32_t complaints = 0;
  double seconds = 0;  // modelled, of this launch
};

struct SynchroniseRequest {
  std::uint64_t stream = 0;
  std::uint32_t all = 1;  // of the whole device
  // Not 0: the program does not wait; this stream does, for what `stream` has been given so far.
  std::uint64_t waiting_stream = 0;
};

// The program copies these pages of its own to their place in the arena, and has them there.
struct RegisterReply {
  Range pages;
  std::uint64_t place = 0;
};

struct PointerReply {
  std::uint32_t is_known = 0;
  MemoryKind kind = MemoryKind::kDevice;
  Range range;
};

struct OccupancyRequest {
  std::uint32_t function = 0;
  std::uint32_t threads = 0;
  std::uint64_t shared_bytes = 0;
};
struct OccupancyReply {
  std::int32_t blocks = 0;  // per multiprocessor
};

struct MemoryReply {
  std::uint64_t free = 0;
  std::uint64_t total = 0;
};

struct FaultRequest {
  std::uint64_t address = 0;
  std::uint64_t instruction = 0;  // address in the program
  std::uint32_t writes = 0;
  std::uint32_t is_atomic = 0;  // host and device may use a place together by atomics
};
struct FaultReply {
  Range allow;  // 0 bytes: the program ends here, as on a GPU
};

// A texture or surface object. The numbers are CUDA's (texture_types.h, driver_types.h).
struct TextureRequest {
  std::uint64_t data = 0;   // address of the first texel
  std::uint64_t pitch = 0;  // bytes from row to row
  std::uint64_t slice = 0;  // from layer to layer, or along z
  std::uint32_t width = 1;  // texels
  std::uint32_t height = 1;
  std::uint32_t depth = 1;
  std::uint32_t layers = 1;
  std::uint32_t channels = 1;
  std::uint32_t channel_bits = 32;
  std::uint32_t kind = 0;              // cudaChannelFormatKind
  std::int32_t address_modes[3] = {};  // cudaTextureAddressMode
  std::uint32_t is_buffer = 0;         // linear memory
  std::uint32_t is_linear = 0;         // cudaFilterModeLinear
  std::uint32_t reads_normalised = 0;  // cudaReadModeNormalizedFloat
  std::uint32_t has_normalised_coordinates = 0;
  float border[4] = {};
  std::uint64_t caller = 0;
};

// What cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col are given. The numbers are CUDA's
// (cuda.h); those of dimensions that the rank leaves out are 0.
struct TensorMapRequest {
  std::uint64_t address = 0;
  std::uint64_t extents[5] = {};
  std::uint64_t strides[4] = {};  // bytes; of dimension 1 and up
  std::uint32_t box[5] = {};
  std::uint32_t steps[5] = {};
  std::uint32_t rank = 0;
  std::uint32_t element = 0;     // CUtensorMapDataType
  std::uint32_t interleave = 0;  // CUtensorMapInterleave
  std::uint32_t swizzle = 0;     // CUtensorMapSwizzle
  std::uint32_t promotion = 0;   // CUtensorMapL2promotion
  std::uint32_t fill = 0;        // CUtensorMapFloatOOBfill
  std::uint32_t is_im2col = 0;
  std::int32_t lower[3] = {};
  std::int32_t upper[3] = {};
  std::uint32_t channels = 0;
  std::uint32_t pixels = 0;
  std::uint64_t caller = 0;
};

struct FailedRequest {
  std::int32_t error = 0;
  std::uint32_t is_launch = 0;  // by <<< >>>, whose value nobody sees
  std::uint64_t caller = 0;
};

}  // namespace tilescope::runtime
