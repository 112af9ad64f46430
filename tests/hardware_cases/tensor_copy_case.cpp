#include "tensor_copy_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tilescope {
namespace {

using Map = TensorMap;
using Kind = TensorCopyCase::Kind;

class Chance {
 public:
  explicit Chance(std::mt19937& random) : random_(random) {}
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(from(0, std::int64_t{limit} - 1));
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937& random_;
};

std::vector<Map::Element> elements_of(const std::string& reduction) {
  using enum Map::Element;
  if (reduction == "inc" || reduction == "dec") return {kU32};
  if (reduction == "and" || reduction == "or" || reduction == "xor") return {kU32, kU64};
  if (reduction == "min" || reduction == "max") return {kU32, kS32, kU64, kS64, kF16, kBf16};
  if (reduction == "add") return {kU32, kS32, kU64, kF16, kBf16, kF32};
  return {kU8,  kU16,        kU32, kS32,  kU64,  kS64,        kF16,
          kF32, kF32Flushed, kF64, kBf16, kTf32, kTf32Flushed};
}

// Rows as long as the swizzle allows, or shorter where nothing is swizzled.
std::uint32_t inner_elements(const Map& map, Chance& chance) {
  const unsigned bytes = map.element_bytes();
  const auto span = 16u << static_cast<unsigned>(map.swizzle);
  if (map.swizzle != Map::Swizzle::kNone) return span / bytes;
  return 16 / bytes * (1 + chance.below(std::min(16u, 256 * bytes / 16)));
}

void set_extents(Map& map, Chance& chance) {
  const unsigned bytes = map.element_bytes();
  std::uint64_t stride = 0;
  for (unsigned i = 0; i < map.rank(); ++i) {
    map.extent[i] = 1 + chance.below(i == 0 ? 300 / bytes + 4 : map.rank() > 3 ? 6 : 24);
    stride = i == 0 ? std::uint64_t{map.extent[0]} * bytes : stride * map.extent[i];
    stride = (stride + 15) / 16 * 16 + 16 * chance.below(3);
    if (i + 1 < map.rank()) map.stride[i] = stride;
    map.step[i] = static_cast<std::uint8_t>(i > 0 && chance.one_in(4) ? 1 + chance.below(3) : 1);
  }
}

void set_box(Map& map, Chance& chance) {
  map.box[0] = static_cast<std::uint16_t>(inner_elements(map, chance));
  std::uint32_t rows = TensorCopyCase::kSharedBytes / 4 / (map.box[0] * map.element_bytes());
  for (unsigned i = 1; i < map.rank(); ++i) {
    map.box[i] = static_cast<std::uint16_t>(1 + chance.below(std::min(rows, 12u)));
    rows = std::max(1u, rows / map.box[i]);
  }
}

void set_im2col(Map& map, Chance& chance) {
  map.mode = Map::Mode::kIm2col;
  map.channels = static_cast<std::uint16_t>(inner_elements(map, chance));
  map.pixels = static_cast<std::uint16_t>(1 + chance.below(48));
  for (unsigned i = 1; i < map.last_dimension; ++i) {
    map.extent[i] += 4;
    map.step[i] = 1;
    map.lower[i - 1] = static_cast<std::int16_t>(chance.from(-2, 1));
    map.upper[i - 1] = static_cast<std::int16_t>(chance.from(-2, 0));
  }
  // The rows are longer than the extents that they were laid out for.
  for (unsigned i = 1; i < map.last_dimension; ++i) {
    map.stride[i] = (map.stride[i - 1] * map.extent[i] + 15) / 16 * 16;
  }
  map.step[map.last_dimension] = 1;
}

std::string coordinates_of(unsigned rank) {
  std::vector<std::string> words;
  for (unsigned i = 0; i < rank; ++i) words.push_back(fmt::format("%c{}", i));
  return fmt::format("[%map, {{{}}}]", fmt::join(words, ", "));
}

}  // namespace

std::string TensorCopyCase::name() const {
  const unsigned rank = map.rank();
  const auto first = [rank](const auto& all) {
    return std::vector<int>(all.begin(),
                            all.begin() + std::min<std::ptrdiff_t>(rank, std::ssize(all)));
  };
  constexpr std::array kKinds{"load", "multicast", "store", "reduction"};
  std::string text = fmt::format(
      "{} {} of type {} at {}, extents {}, strides {}, steps {}, swizzle {}, fill {}, base {}, "
      "shared byte {}",
      kKinds[static_cast<std::size_t>(kind)], reduction, static_cast<int>(map.element),
      first(place.at), first(map.extent), map.stride, first(map.step),
      static_cast<int>(map.swizzle), static_cast<int>(map.fill), map.address, shared_offset);
  if (map.mode == Map::Mode::kIm2col) {
    return text + fmt::format(", im2col of {} channels and {} pixels, corners {} {}, offsets {}",
                              map.channels, map.pixels, map.lower, map.upper, place.offset);
  }
  return text + fmt::format(", box {}", first(map.box));
}

std::string TensorCopyCase::ptx() const {
  const unsigned rank = map.rank();
  const bool im2col = map.mode == Map::Mode::kIm2col;
  std::string load_places;
  for (unsigned i = 0; i < 5; ++i)
    load_places += fmt::format("  ld.global.b32 %c{}, [%places+{}];\n", i, 4 * i);
  std::vector<std::string> offsets;
  for (unsigned i = 0; i < 3; ++i) {
    load_places += fmt::format("  ld.global.u16 %o{}, [%places+{}];\n", i, 20 + 4 * i);
    if (i + 2 < rank) offsets.push_back(fmt::format("%o{}", i));
  }
  std::string copy;
  if (loads()) {
    copy = fmt::format(
        "cp.async.bulk.tensor.{}d.shared::cluster.global.{}mbarrier::complete_tx::bytes{} [%box], "
        "{}, [%bar]{}{};",
        rank, im2col ? "im2col." : "", kind == Kind::kMulticast ? ".multicast::cluster" : "",
        coordinates_of(rank), im2col ? fmt::format(", {{{}}}", fmt::join(offsets, ", ")) : "",
        kind == Kind::kMulticast ? ", %both" : "");
  } else {
    copy = fmt::format(
        "cp{}.async.bulk.tensor.{}d.global.shared::cta{}{}.bulk_group {}, [%box];\n"
        "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;",
        kind == Kind::kReduction ? ".reduce" : "", rank,
        kind == Kind::kReduction ? "." + reduction : "", im2col ? ".im2col_no_offs" : "",
        coordinates_of(rank));
  }
  const std::string only_first = kind == Kind::kMulticast ? R"(
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %rank, %cluster_ctarank;
  setp.ne.u32 %other, %rank, 0;
  @%other bra $issued;)"
                                                          : "";
  const std::string wait = loads() ? R"(
  mov.u32 %i, 0;
$wait:
  mbarrier.test_wait.parity.shared::cta.b64 %over, [%bar], 0;
  selp.u32 %w, 1, 0, %over;
  @%over bra $come;
  nanosleep.u32 100;
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, 100000;
  @%more bra $wait;
$come:)"
                                   : "\n  mov.u32 %w, 1;\n  bar.sync 0;";
  const std::string ends = kind == Kind::kMulticast ? R"(
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;)"
                                                    : "";
  return fmt::format(
      R"(.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 tensor, .param .u64 shared,
                  .param .u64 places){cluster}
{{
  .shared .align 1024 .b8 tile[{bytes}];
  .shared .align 8 .b64 bar;
  .reg .b32 %t, %i, %w, %box, %bar, %c<5>, %s, %block, %rank, %transfers;
  .reg .b16 %o<3>, %both;
  .reg .b64 %map, %tensor, %shared, %places, %at, %wide;
  .reg .pred %more, %first, %over, %other;
  mov.b64 %map, map;
  cvta.param.u64 %map, %map;
  ld.param.u64 %shared, [shared];
  ld.param.u64 %places, [places];
  mov.u32 %t, %tid.x;
  mov.u32 %block, %ctaid.x;
  mul.wide.u32 %wide, %block, {stride};
  add.u64 %shared, %shared, %wide;
{load_places}  ld.global.b32 %box, [%places+32];
  ld.global.b32 %transfers, [%places+36];
  mov.u32 %s, tile;
  add.u32 %box, %box, %s;
  mov.u32 %bar, bar;
  mov.b16 %both, 3;
  mul.wide.u32 %wide, %t, 4;
  add.u64 %at, %shared, %wide;
  mad.lo.u32 %s, %t, 4, %s;
  mov.u32 %i, %t;
$fill:
  ld.global.b32 %w, [%at];
  st.shared.b32 [%s], %w;
  add.u64 %at, %at, {step};
  add.u32 %s, %s, {step};
  add.u32 %i, %i, {threads};
  setp.lt.u32 %more, %i, {words};
  @%more bra $fill;
  fence.proxy.async.shared::cta;
  setp.ne.u32 %first, %t, 0;
  @%first bra $started;
  mbarrier.init.shared::cta.b64 [%bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], %transfers;
$started:
  bar.sync 0;{only_first}
  @%first bra $issued;
  {copy}
$issued:{wait}
  mov.u32 %s, tile;
  mad.lo.u32 %s, %t, 4, %s;
  mul.wide.u32 %wide, %t, 4;
  add.u64 %at, %shared, %wide;
  @!%first st.global.b32 [%shared+{bytes}], %w;
  mov.u32 %i, %t;
$back:
  ld.shared.b32 %w, [%s];
  st.global.b32 [%at], %w;
  add.u64 %at, %at, {step};
  add.u32 %s, %s, {step};
  add.u32 %i, %i, {threads};
  setp.lt.u32 %more, %i, {words};
  @%more bra $back;{ends}
  ret;
}}
)",
      fmt::arg("cluster", kind == Kind::kMulticast ? "\n.reqnctapercluster 2" : ""),
      fmt::arg("bytes", kSharedBytes), fmt::arg("stride", kSharedBytes + 16),
      fmt::arg("load_places", load_places), fmt::arg("threads", kThreads),
      fmt::arg("step", 4 * kThreads), fmt::arg("words", kSharedBytes / 4), fmt::arg("copy", copy),
      fmt::arg("wait", wait), fmt::arg("only_first", only_first), fmt::arg("ends", ends));
}

std::vector<std::byte> TensorCopyCase::places() const {
  std::vector<std::byte> bytes(40);
  std::memcpy(bytes.data(), place.at.data(), 20);
  for (std::size_t i = 0; i < 3; ++i) std::memcpy(&bytes[20 + 4 * i], &place.offset[i], 2);
  std::memcpy(&bytes[32], &shared_offset, 4);
  const std::uint32_t transfers = loads() ? box_of(map).bytes() : 0;
  std::memcpy(&bytes[36], &transfers, 4);
  return bytes;
}

TensorCopyCase random_tensor_copy(Kind kind, bool im2col, std::mt19937& random) {
  Chance chance(random);
  TensorCopyCase made;
  made.kind = kind;
  constexpr std::array kReductions{"add", "min", "max", "inc", "dec", "and", "or", "xor"};
  if (kind == Kind::kReduction) made.reduction = kReductions[chance.below(kReductions.size())];
  Map& map = made.map;
  const auto elements = elements_of(made.reduction);
  map.element = elements[chance.below(static_cast<std::uint32_t>(elements.size()))];
  map.last_dimension = static_cast<std::uint8_t>(im2col ? 2 + chance.below(3) : chance.below(5));
  map.swizzle = static_cast<Map::Swizzle>(chance.below(4));
  const bool floating = map.element >= Map::Element::kF16;
  if (floating && chance.one_in(2)) map.fill = Map::Fill::kNan;
  map.address = std::uint64_t{16} * chance.below(4);
  set_extents(map, chance);
  set_box(map, chance);
  if (im2col) set_im2col(map, chance);
  std::uint64_t end = map.address + std::uint64_t{map.extent[0]} * map.element_bytes();
  for (unsigned i = 1; i < map.rank(); ++i) end += (map.extent[i] - 1) * map.stride[i - 1];
  made.tensor_bytes = static_cast<std::uint32_t>((end + 15) / 16 * 16);
  for (unsigned i = 0; i < map.rank(); ++i) {
    const std::int64_t box = i == 0 && im2col ? map.channels : map.box[i];
    const bool beyond = chance.one_in(3);
    made.place.at[i] = static_cast<std::int32_t>(
        beyond ? chance.from(-box, std::int64_t{map.extent[i]} + 2)
               : chance.from(0, std::max<std::int64_t>(0, std::int64_t{map.extent[i]} - box)));
  }
  for (unsigned i = 1; im2col && i < map.last_dimension; ++i) {
    made.place.at[i] = static_cast<std::int32_t>(
        chance.from(map.lower[i - 1], std::int64_t{map.extent[i]} + map.upper[i - 1] - 1));
    if (made.loads()) made.place.offset[i - 1] = static_cast<std::uint16_t>(chance.below(3));
  }
  if (im2col) made.place.at[map.last_dimension] = 0;
  // What stops a kernel is left out (emulator/tensor_runs.h: mistake_in).
  const auto unit = static_cast<std::int32_t>(16 / map.element_bytes());
  made.place.at[0] -= (made.place.at[0] % unit + unit) % unit;
  if (!made.loads()) {
    for (std::int32_t& at : made.place.at) at = std::max(at, 0);
    for (std::int16_t& corner : map.lower) corner = std::max<std::int16_t>(corner, 0);
  }
  const std::uint32_t room = TensorCopyCase::kSharedBytes - box_of(map).shared_bytes();
  made.shared_offset = 128 * chance.below(room / 128 + 1);
  return made;
}

TensorMap random_map(std::mt19937& random) {
  Chance chance(random);
  TensorMap map = random_tensor_copy(Kind::kLoad, false, random).map;
  const unsigned i = chance.below(map.rank());
  switch (chance.below(10)) {
    case 0:
      map.box[i] = static_cast<std::uint16_t>(chance.below(300));
      break;
    case 1:
      map.step[i] = static_cast<std::uint8_t>(chance.below(10));
      break;
    case 2:
      map.extent[i] = chance.below(3);
      break;
    case 3:
      map.stride[std::min(i, 3u)] += 8;
      break;
    case 4:
      map.address += 8;
      break;
    case 5:
      map.fill = Map::Fill::kNan;
      break;
    case 6:
      map.box[0] = static_cast<std::uint16_t>(1 + chance.below(256));
      break;
    case 7:
      map.swizzle = static_cast<Map::Swizzle>(chance.below(4));
      break;
    case 8:
      map.stride[std::min(i, 3u)] = std::uint64_t{1} << (36 + chance.below(6));
      break;
    default:
      break;
  }
  return map;
}

}  // namespace tilescope
