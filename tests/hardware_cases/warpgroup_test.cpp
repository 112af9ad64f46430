// wgmma.mma_async of every type and layout in the emulator and on the GPU, bit for bit: where the
// sums are f32, of numbers whose sums must be cut as the tensor cores cut them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "emulator/emulate.h"
#include "emulator/formats/matrix_fragment.h"
#include "emulator/formats/narrow_floats.h"
#include "emulator/formats/warpgroup_product.h"
#include "emulator/program.h"
#include "on_gpu.h"

namespace tilescope {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kBlocks = 24;  // each with descriptors and memory of its own
constexpr unsigned kSharedBytes = 48 * 1024;
using Bytes = std::vector<std::byte>;

struct WarpgroupForm {
  DataType d, a, b;
  unsigned n = 8;
  bool a_in_registers = false, a_by_columns = false, b_by_rows = false;
  int a_scale = 1, b_scale = 1;
  bool adds = true;

  [[nodiscard]] unsigned k() const { return 256 / bits_of_element(a); }
  [[nodiscard]] unsigned registers() const { return d == DataType::kF16 ? n / 4 : n / 2; }
  [[nodiscard]] bool is_transposable() const { return bits_of_element(a) == 16; }
  [[nodiscard]] std::string name() const {
    return fmt::format("m64n{}k{}.{}.{}.{}{}{}{}{}", n, k(), name_of(d), name_of(a), name_of(b),
                       a_in_registers ? " {a}" : "", a_by_columns ? " M-major" : "",
                       b_by_rows ? " N-major" : "", adds ? "" : " 0");
  }
};

// k(out, memory, descriptors): D of each block, from its part of the others.
std::string module_of(const WarpgroupForm& form) {
  std::string list;
  std::string stores;
  std::string sums;
  const bool whole = form.d == DataType::kS32;
  for (unsigned i = 0; i < form.registers(); ++i) {
    list += fmt::format("{}%d{}", i == 0 ? "" : ", ", i);
    sums += fmt::format("  mov.b32 %d{}, {};\n", i,
                        whole                      ? "3"
                        : form.d == DataType::kF16 ? "0x40004200"
                                                   : "0f40400000");
    stores += fmt::format("  st.global.b32 [%out+{}], %d{};\n", 4 * i, i);
  }
  const std::string a = form.a_in_registers ? "{%a0, %a1, %a2, %a3}" : "%da";
  std::string scales;
  if (!whole) scales = fmt::format(", {}, {}", form.a_scale, form.b_scale);
  if (form.is_transposable()) {
    if (!form.a_in_registers) scales += form.a_by_columns ? ", 1" : ", 0";
    scales += form.b_by_rows ? ", 1" : ", 0";
  }
  const char* kind = form.a == DataType::kB1 ? ".and.popc" : "";
  return fmt::format(
      R"(.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 memory, .param .u64 descriptors)
{{
  .shared .align 1024 .b8 tiles[{shared}];
  .reg .b32 %t, %i, %w, %s, %base, %block, %d<{registers}>, %a<4>;
  .reg .b64 %out, %memory, %at, %da, %db, %wide;
  .reg .pred %more, %adds;
  mov.u32 %t, %tid.x;
  mov.u32 %block, %ctaid.x;
  ld.param.u64 %memory, [memory];
  mul.wide.u32 %wide, %block, {shared};
  add.u64 %memory, %memory, %wide;
  mul.wide.u32 %wide, %t, 4;
  add.u64 %memory, %memory, %wide;
  mov.u32 %s, tiles;
  mov.u32 %base, %s;
  mad.lo.u32 %s, %t, 4, %s;
  mov.u32 %i, 0;
$copy:
  ld.global.b32 %w, [%memory];
  st.shared.b32 [%s], %w;
  add.u64 %memory, %memory, 512;
  add.u32 %s, %s, 512;
  add.u32 %i, %i, 512;
  setp.lt.u32 %more, %i, {shared};
  @%more bra $copy;
  ld.param.u64 %at, [descriptors];
  mul.wide.u32 %wide, %block, 16;
  add.u64 %at, %at, %wide;
  ld.global.b64 %da, [%at];
  ld.global.b64 %db, [%at+8];
  shr.u32 %base, %base, 4;
  cvt.u64.u32 %wide, %base;
  add.u64 %da, %da, %wide;
  add.u64 %db, %db, %wide;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  mov.u32 %s, tiles;
  mad.lo.u32 %s, %t, 16, %s;
  ld.shared.v4.b32 {{%a0, %a1, %a2, %a3}}, [%s];
{sums}  setp.{adds}.u32 %adds, %i, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{ta}.{tb}{kind} {{{list}}}, {a}, %db, %adds{scales};
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  ld.param.u64 %out, [out];
  mad.lo.u32 %w, %block, {threads}, %t;
  mul.wide.u32 %wide, %w, {row};
  add.u64 %out, %out, %wide;
{stores}  ret;
}}
)",
      fmt::arg("shared", kSharedBytes), fmt::arg("registers", form.registers()),
      fmt::arg("sums", sums), fmt::arg("adds", form.adds ? "ne" : "eq"), fmt::arg("n", form.n),
      fmt::arg("k", form.k()), fmt::arg("d", name_of(form.d)), fmt::arg("ta", name_of(form.a)),
      fmt::arg("tb", name_of(form.b)), fmt::arg("kind", kind), fmt::arg("list", list),
      fmt::arg("a", a), fmt::arg("scales", scales), fmt::arg("threads", kThreads),
      fmt::arg("row", 4 * form.registers()), fmt::arg("stores", stores));
}

// The bits of a number; of b1 and the integers any bits.
std::uint32_t element(DataType type, double value) {
  switch (type) {
    case DataType::kF16:
    case DataType::kBf16:
    case DataType::kE4m3:
    case DataType::kE5m2:
      return encode(exact(value), float_format(type), {});
    case DataType::kTf32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
      return static_cast<std::uint32_t>(static_cast<int>(value) * 37);
  }
}

// A's and B's elements lie anywhere in the shared memory, so all of it is filled with the one type.
// Sums that are not f32 are those of small integers, which are exact.
Bytes filled(const WarpgroupForm& form, std::mt19937& random) {
  const unsigned bytes = std::max(1u, bits_of_element(form.a) / 8);
  Bytes memory(std::size_t{kBlocks} * kSharedBytes);
  std::uniform_int_distribution<int> integer(-3, 3);
  std::normal_distribution<double> number;
  for (std::size_t at = 0; at < memory.size(); at += bytes) {
    const double value = form.d == DataType::kF32 ? std::ldexp(number(random), integer(random))
                                                  : static_cast<double>(integer(random));
    const std::uint32_t bits = element(form.a, value);
    std::memcpy(memory.data() + at, &bits, bytes);
  }
  return memory;
}

// A descriptor whose tile lies within the shared memory. Half of them as programs have them,
// patterns aligned and one after the other; the others anyhow.
std::uint64_t descriptor(unsigned lines, unsigned pieces, bool k_major, std::mt19937& random) {
  const auto below = [&](unsigned limit) {
    return std::uniform_int_distribution<unsigned>(0, limit - 1)(random);
  };
  for (;;) {
    const unsigned mode = below(4);
    constexpr std::array<unsigned, 4> kBytes{16, 128, 64, 32};
    const unsigned pattern = 8 * kBytes[mode];
    const bool plain = below(2) == 0;
    const unsigned unit = plain ? pattern / 16 : 1;
    const std::uint64_t start =
        std::uint64_t{unit} * below(512 / unit) + (plain ? below(2) * 2 : 0);
    const std::uint64_t leading = std::uint64_t{unit} * (1 + below(256 / unit));
    const std::uint64_t stride = std::uint64_t{unit} * (1 + below(256 / unit));
    const std::uint64_t bits = start | (leading << 16) | (stride << 32) |
                               (std::uint64_t{mode} << 62) |
                               (std::uint64_t{mode != 0 && below(4) == 0 ? below(8) : 0} << 49);
    const SharedTile tile = SharedTile::decode(bits);
    std::uint64_t end = 0;
    for (unsigned line = 0; line < lines; ++line) {
      for (unsigned piece = 0; piece < pieces; ++piece)
        end = std::max(end, tile.piece_at(line, piece, k_major) + 128);
    }
    if (end <= kSharedBytes) return bits;
  }
}

std::vector<WarpgroupForm> all_forms() {
  std::vector<WarpgroupForm> forms;
  using enum DataType;
  struct Types {
    DataType d, a, b;
  };
  for (const auto& [d, a, b] : {Types{kF32, kBf16, kBf16},
                                {kF32, kF16, kF16},
                                {kF16, kF16, kF16},
                                {kF32, kTf32, kTf32},
                                {kF32, kE4m3, kE4m3},
                                {kF32, kE5m2, kE5m2},
                                {kF16, kE4m3, kE4m3},
                                {kS32, kS8, kS8},
                                {kS32, kU8, kS8},
                                {kS32, kS8, kU8},
                                {kS32, kU8, kU8},
                                {kS32, kB1, kB1}}) {
    for (const unsigned n : {8u, 64u, 96u, 256u}) {
      WarpgroupForm form{d, a, b, n};
      forms.push_back(form);
      form.a_in_registers = true;
      form.adds = n != 64;
      forms.push_back(form);
      if (!form.is_transposable()) continue;
      form.b_by_rows = true;
      form.a_scale = -1;
      forms.push_back(form);
      form.a_in_registers = false;
      form.b_scale = n == 8 ? -1 : 1;
      forms.push_back(form);
      form.a_by_columns = true;
      forms.push_back(form);
      form.b_by_rows = false;
      forms.push_back(form);
    }
  }
  return forms;
}

std::vector<Bytes> buffers_for(const WarpgroupForm& form) {
  std::mt19937 random(form.n * 64 + static_cast<unsigned>(form.a));
  std::vector<Bytes> buffers{Bytes(std::size_t{kBlocks} * kThreads * form.registers() * 4),
                             filled(form, random), Bytes(std::size_t{kBlocks} * 16)};
  for (unsigned block = 0; block < kBlocks; ++block) {
    const unsigned k_pieces = 2;
    const std::uint64_t a = form.a_by_columns ? descriptor(form.k(), 64 / 8, false, random)
                                              : descriptor(64, k_pieces, true, random);
    const std::uint64_t b = form.b_by_rows ? descriptor(form.k(), form.n / 8, false, random)
                                           : descriptor(form.n, k_pieces, true, random);
    std::memcpy(buffers[2].data() + std::size_t{16} * block, &a, 8);
    std::memcpy(buffers[2].data() + std::size_t{16} * block + 8, &b, 8);
  }
  return buffers;
}

Result<Bytes> emulated(const WarpgroupForm& form, const std::vector<Bytes>& buffers) {
  const auto program = decode_ptx(module_of(form), "k", "");
  if (!program) return program.error();
  DeviceMemory memory;
  Launch launch;
  launch.grid = {kBlocks, 1, 1};
  launch.block = {kThreads, 1, 1};
  for (const Bytes& buffer : buffers) {
    const std::size_t index =
        memory.add("b", ElementType::kU8, std::make_shared<std::vector<std::byte>>(buffer));
    launch.arguments.push_back(memory.buffers()[index].address);
  }
  const auto run = emulate(**program, launch, memory, {}, {}, {}, {});
  if (!run) return run.error();
  if (!run->findings.empty()) return Error{ErrorCode::kKernel, run->findings[0].message, {}, {}};
  return *memory.buffers()[0].contents;
}

TEST(WarpgroupForms, RunInTheEmulator) {
  for (const WarpgroupForm& form : all_forms()) {
    const auto result = emulated(form, buffers_for(form));
    EXPECT_TRUE(result.ok()) << form.name() << ": " << to_string(result.error());
  }
}

class WarpgroupOnGpu : public OnGpu {};

TEST_F(WarpgroupOnGpu, GivesWhatTheEmulatorGives) {
  unsigned wrong = 0;
  for (const WarpgroupForm& form : all_forms()) {
    std::vector<Bytes> buffers = buffers_for(form);
    const auto own = emulated(form, buffers);
    ASSERT_TRUE(own.ok()) << form.name() << ": " << to_string(own.error());
    const auto module = load(module_of(form));
    ASSERT_TRUE(module.ok()) << form.name() << ": " << to_string(module.error());
    const Status done = launch(*module, "k", kBlocks, kThreads, buffers);
    ASSERT_TRUE(done.ok()) << form.name() << ": " << to_string(done.error());
    unload(*module);
    const std::size_t block_bytes = buffers[0].size() / kBlocks;
    std::string differ;
    for (unsigned block = 0; block < kBlocks; ++block) {
      if (std::memcmp(buffers[0].data() + block * block_bytes, own->data() + block * block_bytes,
                      block_bytes) == 0)
        continue;
      std::array<std::uint64_t, 2> names{};
      std::memcpy(names.data(), buffers[2].data() + std::size_t{16} * block, 16);
      differ += fmt::format(" {:x}/{:x}", names[0], names[1]);
      ++wrong;
    }
    if (!differ.empty()) fmt::print("  {} differs for descriptors{}\n", form.name(), differ);
  }
  fmt::print("{} forms, {} products each; {} differ\n", all_forms().size(), kBlocks, wrong);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace tilescope
