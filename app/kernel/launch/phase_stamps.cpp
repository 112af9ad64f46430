#include "kernel/launch/phase_stamps.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/text/cuda_lexer.h"
#include "kernel/text/declarations.h"

namespace tilescope {
namespace {

// The first lane of a warp stamps. How many it has made is a variable of each kernel's body; a mark
// in another function finds the one here, and does nothing.
constexpr std::string_view kPrelude = R"(
extern "C" __device__ uint4 tilescope_stamp_log[32 * {stamps}];
struct TilescopeOutside {{}};
constexpr TilescopeOutside tilescope_stamps_made{{}};
static __device__ __forceinline__ unsigned tilescope_clock() {{
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}}
static __device__ __forceinline__ void tilescope_stamp(unsigned, TilescopeOutside) {{}}
static __device__ __forceinline__ void tilescope_stamp(unsigned line, unsigned& made) {{
  if (blockIdx.x != {x}u || blockIdx.y != {y}u || blockIdx.z != {z}u) return;
  const unsigned begin = tilescope_clock();
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (thread % 32 == 0 && made < {stamps}u) {{
    uint4* const at = tilescope_stamp_log + thread / 32 * {stamps}u + made++;
    *at = make_uint4(line, begin, tilescope_clock(), 0);
  }}
}}
#define TILESCOPE_PHASE(name) tilescope_stamp(__LINE__, tilescope_stamps_made)
#line 1
)";
constexpr std::string_view kCounter = " unsigned tilescope_stamps_made = 0;";

// Behind the brace that opens each kernel's body; on its line, so that all lines keep their number.
std::string with_counters(std::string source) {
  const std::vector<CudaToken> tokens = tokenize(source);
  std::vector<std::size_t> places;
  for (const Declaration& declaration : find_declarations(tokens)) {
    if (!declaration.is_kernel || declaration.kind != Declaration::Kind::kFunction) continue;
    int depth = 0;
    for (std::size_t i = declaration.first; i < declaration.last; ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")")) --depth;
      if (depth > 0 || !tokens[i].is("{")) continue;
      places.push_back(static_cast<std::size_t>(tokens[i].text.data() - source.data()) + 1);
      break;
    }
  }
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    source.insert(*place, kCounter);
  }
  return source;
}

}  // namespace

std::optional<KernelInstance> with_phase_stamps(KernelInstance instance, Dim3 block) {
  if (instance.is_ptx() || instance.source.find("TILESCOPE_PHASE") == std::string::npos) {
    return std::nullopt;
  }
  const std::string prelude =
      fmt::format(fmt::runtime(kPrelude), fmt::arg("stamps", kStampsPerWarp),
                  fmt::arg("x", block.x), fmt::arg("y", block.y), fmt::arg("z", block.z));
  instance.source = prelude + with_counters(std::move(instance.source));
  return instance;
}

std::vector<PhaseStamp> read_phase_stamps(std::span<const std::uint32_t> log) {
  std::vector<PhaseStamp> stamps;
  for (std::size_t at = 0; at + kStampWords <= log.size(); at += kStampWords) {
    if (log[at] == 0) continue;
    const auto warp = static_cast<std::uint32_t>(at / kStampWords / kStampsPerWarp);
    stamps.push_back({warp, log[at], log[at + 1], log[at + 2]});
  }
  if (stamps.empty()) return stamps;
  // A block takes less than 2^31 cycles from one of its stamps to another.
  std::uint32_t first = stamps.front().begin_cycle;
  for (const PhaseStamp& stamp : stamps) {
    if (static_cast<std::int32_t>(stamp.begin_cycle - first) < 0) first = stamp.begin_cycle;
  }
  for (PhaseStamp& stamp : stamps) {
    stamp.begin_cycle -= first;
    stamp.end_cycle -= first;
  }
  return stamps;
}

}  // namespace tilescope
