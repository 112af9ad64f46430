#include "analysis/memory/bank_conflicts.h"

#include <gtest/gtest.h>

#include <bit>

#include "accesses.h"

namespace tilescope {
namespace {

WarpAccess shared(int bytes, const std::function<std::uint64_t(std::uint64_t)>& word_of,
                  std::uint32_t active = 0xffffffffu) {
  return access_at(
      MemorySpace::kShared, bytes, [&](std::uint64_t lane) { return 4 * word_of(lane); }, active);
}
WarpAccess strided(int bytes, std::uint64_t words) {
  return shared(bytes, [=](std::uint64_t lane) { return lane * words; });
}

void expect_cost(const WarpAccess& access, int wavefronts, int conflicts) {
  const WavefrontCost cost = wavefront_cost(access);
  EXPECT_EQ(cost.wavefronts, wavefronts);
  EXPECT_EQ(cost.conflicts(), conflicts);
  EXPECT_EQ(static_cast<int>(wavefronts_of(access).size()), wavefronts);
}

// Measured on an H200 with ncu; the table stands in docs/accuracy.md.
TEST(Wavefronts32Bit, OddStridesAndBroadcastTakeOne) {
  for (const std::uint64_t stride : {0u, 1u, 3u, 33u}) expect_cost(strided(4, stride), 1, 0);
  expect_cost(shared(4, [](std::uint64_t l) { return l % 16; }), 1, 0);
}
TEST(Wavefronts32Bit, PowerOfTwoStridesSerialise) {
  for (const int stride : {2, 4, 8, 16, 32}) {
    expect_cost(strided(4, static_cast<std::uint64_t>(stride)), stride, stride - 1);
  }
}
TEST(Wavefronts64Bit, GoInHalfWarps) {
  expect_cost(strided(8, 0), 1, 0);
  expect_cost(strided(8, 2), 2, 0);
  expect_cost(shared(8, [](std::uint64_t l) { return l % 16 * 2; }), 2, 0);
  expect_cost(strided(8, 4), 4, 2);
  expect_cost(strided(8, 8), 8, 6);
  expect_cost(strided(8, 16), 16, 14);
}
TEST(Wavefronts128Bit, GoInQuarterWarps) {
  expect_cost(strided(16, 4), 4, 0);
  expect_cost(shared(16, [](std::uint64_t l) { return l % 8 * 4; }), 4, 0);
  expect_cost(shared(16, [](std::uint64_t l) { return l % 4 * 4; }), 4, 0);
  expect_cost(strided(16, 8), 8, 4);
  expect_cost(strided(16, 16), 16, 12);
  expect_cost(strided(16, 32), 32, 28);
  expect_cost(shared(16, [](std::uint64_t l) { return l % 16 * 8; }), 8, 4);
}
TEST(Wavefronts128Bit, PairsOfLanesHalveThePasses) {
  expect_cost(strided(16, 0), 2, 0);
  for (const std::uint64_t group : {4u, 8u, 16u}) {
    expect_cost(shared(16, [=](std::uint64_t l) { return l / group * 4; }), 2, 0);
  }
  expect_cost(shared(16, [](std::uint64_t l) { return (2 * (l / 8) + l % 2) * 4; }), 2, 0);
  expect_cost(shared(16, [](std::uint64_t l) { return l / 2 % 4 * 4; }), 2, 0);
}
WarpAccess of_kind(AccessKind kind, WarpAccess access) {
  access.kind = kind;
  return access;
}
// Each from a probe of tests/corpus: the lanes that take part, then what an H200 counted.
TEST(Wavefronts, PassesWithoutLanesCostNothing) {
  const auto dense = [](int words, std::uint32_t active) {
    return shared(
        4 * words, [=](std::uint64_t l) { return l * static_cast<std::uint64_t>(words); }, active);
  };
  expect_cost(dense(2, 0x0000ffff), 1, 0);  // probe_load_v2_mask_first_16
  expect_cost(dense(2, 0x00ffff00), 2, 0);  // probe_load_v2_mask_inner
  expect_cost(dense(4, 0x000000ff), 1, 0);  // probe_load_v4_mask_first_8
}
TEST(Wavefronts, LanesWithoutANeighbourAgreeWithIt) {
  const auto dense = [](std::uint32_t active) {
    return shared(
        8, [](std::uint64_t l) { return 2 * l; }, active);
  };
  expect_cost(dense(0x55555555), 2, 1);  // probe_load_v2_mask_even: one pass with a conflict
  expect_cost(dense(0x33333333), 2, 1);  // probe_load_v2_mask_pairs_1_of_4
  expect_cost(dense(0xffffff7f), 2, 0);  // probe_load_v2_mask_not_7
}
TEST(Wavefronts, StoresDoNotHalveTheirPasses) {
  const auto store = [](int bytes, const auto& word_of, std::uint32_t active = 0xffffffffu) {
    return of_kind(AccessKind::kStore, shared(bytes, word_of, active));
  };
  expect_cost(store(8, [](std::uint64_t) { return 0; }), 2, 0);            // ..v2_one_address
  expect_cost(store(8, [](std::uint64_t l) { return l / 2 * 2; }), 2, 0);  // ..v2_pairs
  expect_cost(store(8, [](std::uint64_t l) { return l / 2 * 64; }), 16, 14);
  expect_cost(store(
                  8, [](std::uint64_t l) { return 2 * l; }, 0x55555555),
              2, 0);
  expect_cost(store(
                  8, [](std::uint64_t l) { return 32 * l; }, 0x80000001),
              2, 0);
}
TEST(WavefrontsOfMatrices, HaveAPassForEachMatrix) {
  for (const AccessKind kind : {AccessKind::kLdmatrix, AccessKind::kStmatrix}) {
    const auto rows = [&](const auto& word_of, std::uint32_t naming) {
      return of_kind(kind, shared(16, word_of, naming));
    };
    const auto conflict = [](std::uint64_t l) { return l * 32; };
    expect_cost(rows(conflict, 0x000000ff), 8, 7);
    expect_cost(rows(conflict, 0x0000ffff), 16, 14);
    expect_cost(rows(conflict, 0xffffffff), 32, 28);
    expect_cost(rows([](std::uint64_t l) { return l * 20; }, 0xffffffff), 4, 0);  // pitch 80
    expect_cost(rows([](std::uint64_t) { return 0; }, 0xffffffff), 4, 0);
    expect_cost(rows([](std::uint64_t l) { return l % 2 * 32; }, 0xffffffff), 8, 4);
  }
}
TEST(WavefrontsOfAtomics, CountEveryLane) {
  const auto atomic = [](const auto& word_of, std::uint32_t active = 0xffffffffu) {
    return of_kind(AccessKind::kAtomic, shared(4, word_of, active));
  };
  expect_cost(atomic([](std::uint64_t l) { return l; }), 1, 0);
  expect_cost(atomic([](std::uint64_t) { return 0; }), 32, 31);
  expect_cost(atomic([](std::uint64_t) { return 0; }, 0x0000ffff), 16, 15);
  expect_cost(atomic([](std::uint64_t l) { return l % 8; }), 4, 3);
  expect_cost(atomic([](std::uint64_t l) { return l / 2 * 32; }), 32, 31);
}
TEST(WavefrontsOfAtomics, DependOnTheirKind) {
  const WarpAccess mod_8 =
      of_kind(AccessKind::kAtomic, shared(4, [](std::uint64_t l) { return l % 8; }));
  const auto expect = [&](AccessVariant variant, int wavefronts, int conflicts) {
    const WavefrontCost cost = wavefront_cost(mod_8, variant);
    EXPECT_EQ(cost.wavefronts, wavefronts);
    EXPECT_EQ(cost.conflicts(), conflicts);
  };
  expect(AccessVariant::kPlain, 4, 3);           // probe_atomic_add_mod_8
  expect(AccessVariant::kReduction, 4, 3);       // probe_reduce_add_mod_8
  expect(AccessVariant::kCompareAndSwap, 8, 3);  // probe_atomic_cas_mod_8
  expect(AccessVariant::kSpin, 2, 0);            // one of four in probe_atomic_add_f32_mod_8
  expect(AccessVariant::kLanesCounted, 1, 0);    // as histogram_warp_private has them
}
TEST(Wavefronts, SubWordLanesShareTheirWord) {
  expect_cost(access_at(MemorySpace::kShared, 1, [](std::uint64_t l) { return l; }), 1, 0);
}
TEST(Wavefronts, NoActiveLaneCostsNothing) {
  expect_cost(shared(
                  4, [](std::uint64_t l) { return l; }, 0),
              0, 0);
}

TEST(WavefrontPicture, EveryActiveLaneIsServedOnceForEachOfItsWords) {
  const WarpAccess access = strided(8, 4);
  std::array<int, kWarpSize> served{};
  for (const Wavefront& wavefront : wavefronts_of(access)) {
    for (std::size_t bank = 0; bank < kBankCount; ++bank) {
      if (wavefront.lanes[bank] == 0) continue;
      EXPECT_EQ(wavefront.word[bank] % kBankCount, bank);
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        served[lane] += static_cast<int>(wavefront.lanes[bank] >> lane & 1u);
      }
    }
  }
  for (const int count : served) EXPECT_EQ(count, 2);
}

}  // namespace
}  // namespace tilescope
