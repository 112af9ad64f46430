#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/tensor_runs.h"

namespace tilescope {
namespace {

using Map = TensorMap;

// A dense matrix of f32, columns first.
Map matrix(std::uint32_t columns, std::uint32_t rows, std::uint16_t box_columns,
           std::uint16_t box_rows) {
  Map map;
  map.last_dimension = 1;
  map.element = Map::Element::kF32;
  map.address = 0x1000;
  map.extent = {columns, rows, 0, 0, 0};
  map.stride = {std::uint64_t{columns} * 4, 0, 0, 0};
  map.box = {box_columns, box_rows, 0, 0, 0};
  map.step = {1, 1, 0, 0, 0};
  return map;
}

// A map that a driver has encoded, and the bytes it became.
struct DriverMap {
  Map map;
  std::string bytes;
};

template <class To>
void read_list(const nlohmann::json& from, To& to) {
  for (std::size_t i = 0; i < from.size(); ++i) to.at(i) = from[i];
}

std::vector<DriverMap> driver_maps() {
  std::ifstream file("tests/emulator/cases/driver_tensor_maps.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  std::vector<DriverMap> maps;
  for (const nlohmann::json& each : document["maps"]) {
    Map map;
    map.last_dimension = static_cast<std::uint8_t>(each["extents"].size() - 1);
    map.element = static_cast<Map::Element>(each["elemtype"].get<int>());
    map.interleave = static_cast<Map::Interleave>(each["interleave"].get<int>());
    map.swizzle = static_cast<Map::Swizzle>(each["swizzle"].get<int>());
    map.fill = static_cast<Map::Fill>(each["fill"].get<int>());
    map.promotion = each["promotion"];
    map.address = each["address"];
    read_list(each["extents"], map.extent);
    read_list(each["strides"], map.stride);
    read_list(each["steps"], map.step);
    if (each.contains("box")) {
      read_list(each["box"], map.box);
    } else {
      map.mode = Map::Mode::kIm2col;
      read_list(each["lower"], map.lower);
      read_list(each["upper"], map.upper);
      map.channels = each["channels"];
      map.pixels = each["pixels"];
    }
    std::string bytes = each["bytes"];
    bytes.resize(2 * Map::kBytes, '0');
    maps.push_back({map, bytes});
  }
  return maps;
}

TEST(TensorMaps, AreWrittenAsADriverDoes) {
  const std::vector<DriverMap> maps = driver_maps();
  ASSERT_GE(maps.size(), 30u);
  for (const DriverMap& each : maps) {
    std::array<std::byte, Map::kBytes> bytes{};
    each.map.write(bytes.data());
    std::string text;
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
    EXPECT_EQ(text, each.bytes);
    const auto read = Map::read(bytes.data());
    ASSERT_TRUE(read.has_value()) << each.bytes;
    std::array<std::byte, Map::kBytes> again{};
    read->write(again.data());
    EXPECT_EQ(again, bytes);
  }
}

TEST(TensorMaps, AreNotReadFromOtherBytes) {
  std::array<std::byte, Map::kBytes> bytes{};
  matrix(64, 32, 8, 4).write(bytes.data());
  ASSERT_TRUE(Map::read(bytes.data()).has_value());
  for (const std::size_t at : {8u, 70u, 80u, 127u}) {
    bytes[at] ^= std::byte{8};
    EXPECT_FALSE(Map::read(bytes.data()).has_value()) << at;
    bytes[at] ^= std::byte{8};
  }
}

TEST(TensorMaps, OfZerosAreBlank) {
  const std::array<std::byte, Map::kBytes> bytes{};
  const auto read = Map::read(bytes.data());
  ASSERT_TRUE(read.has_value());
  EXPECT_NE(mistake_in(*read), "");
}

TEST(TensorMaps, SayWhatIsWrong) {
  EXPECT_EQ(mistake_in(matrix(64, 32, 8, 4)), "");
  const auto says = [](const Map& map, const std::string& words) {
    EXPECT_NE(mistake_in(map).find(words), std::string::npos) << mistake_in(map);
  };
  says(matrix(63, 32, 8, 4), "stride of 252 bytes");
  says(matrix(64, 32, 6, 4), "inner dimension of the box of 24 bytes");
  says(matrix(512, 32, 8, 0), "a box of 0 elements in dimension 1");
  Map map = matrix(64, 32, 32, 4);
  map.swizzle = Map::Swizzle::k64;
  says(map, "at most 64");
  map = matrix(64, 32, 8, 4);
  map.address += 8;
  says(map, "multiple of 16 bytes");
  map = matrix(64, 32, 8, 4);
  map.element = Map::Element::kU32;
  map.fill = Map::Fill::kNan;
  says(map, "NaN fill");
}

TEST(TensorBoxes, LeaveOutWhatLiesOutside) {
  const Map map = matrix(64, 32, 8, 4);
  TensorPlace place;
  place.at = {-4, 30, 0, 0, 0};
  const std::vector<TensorRun> runs = runs_of(map, place, true);
  ASSERT_EQ(runs.size(), 2U);  // rows 30 and 31
  EXPECT_EQ(runs[0].address, 0x1000U + 30 * 256);
  EXPECT_EQ(runs[0].to, 16U);
  EXPECT_EQ(runs[0].bytes, 16U);
  EXPECT_EQ(runs[1].to, 48U);
  EXPECT_EQ(box_of(map).bytes(), 128U);
}

TEST(TensorBoxes, SkipElementsByTheirStride) {
  Map map = matrix(64, 32, 8, 5);
  map.step[1] = 2;
  EXPECT_EQ(box_of(map).rows, 3U);
  const std::vector<TensorRun> runs = runs_of(map, {}, true);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[2].address, 0x1000U + 4 * 256);
  EXPECT_EQ(runs[2].to, 64U);
}

TEST(TensorBoxes, WalkThroughTheBoxOfPixels) {
  Map map;  // of channels, width, images
  map.mode = Map::Mode::kIm2col;
  map.last_dimension = 2;
  map.element = Map::Element::kF32;
  map.extent = {4, 6, 2, 0, 0};
  map.stride = {16, 96, 0, 0};
  map.step = {1, 1, 1, 0, 0};
  map.lower = {-1, 0, 0};
  map.upper = {-1, 0, 0};  // pixels -1 to 4
  map.channels = 4;
  map.pixels = 4;
  ASSERT_EQ(mistake_in(map), "");
  TensorPlace place;
  place.at = {0, 3, 0, 0, 0};
  place.offset = {1, 0, 0};
  const std::vector<TensorRun> runs = runs_of(map, place, true);
  ASSERT_EQ(runs.size(), 4U);  // pixels 3 and 4, then -1 and 0 of the next image, each and 1
  EXPECT_EQ(runs[0].address, 16U * 4);
  EXPECT_EQ(runs[1].address, 16U * 5);
  EXPECT_EQ(runs[2].address, 96U);
  EXPECT_EQ(runs[3].address, 96U + 16);
}

TEST(TensorSwizzle, MovesPiecesOfARowByItsNumber) {
  Map map = matrix(64, 32, 32, 8);
  map.swizzle = Map::Swizzle::k128;
  EXPECT_EQ(swizzled(map, 3 * 128 + 5 * 16 + 7), 3U * 128 + (5 ^ 3) * 16 + 7);
  map.swizzle = Map::Swizzle::k64;
  EXPECT_EQ(swizzled(map, 3 * 128 + 5 * 16), 3U * 128 + (5 ^ 3) * 16);
  EXPECT_EQ(swizzled(map, 7 * 128 + 5 * 16), 7U * 128 + (5 ^ 3) * 16);
  map.swizzle = Map::Swizzle::k32;
  EXPECT_EQ(swizzled(map, 3 * 128 + 5 * 16), 3U * 128 + 4 * 16);
  map.swizzle = Map::Swizzle::kNone;
  EXPECT_EQ(swizzled(map, 3 * 128 + 5 * 16), 3U * 128 + 5 * 16);
}

TEST(TensorSwizzle, OfWiderAtomsKeepsTheirHalvesTogether) {
  Map map = matrix(64, 32, 32, 8);
  map.swizzle = Map::Swizzle::k128;
  map.atom = Map::Atom::k32;
  EXPECT_EQ(swizzled(map, 3 * 128 + 16), 3U * 128 + 3 * 32 + 16);
  EXPECT_EQ(swizzled_unit(map), 32U);
}

TEST(TensorBoxes, OfStoresEndWithWholeUnits) {
  Map map = matrix(64, 32, 8, 1);
  map.extent[0] = 61;
  TensorPlace place;
  place.at = {56, 0, 0, 0, 0};
  EXPECT_EQ(runs_of(map, place, true).at(0).bytes, 20U);
  EXPECT_EQ(runs_of(map, place, false).at(0).bytes, 32U);
}

TEST(TensorCopies, StopTheGpuWhereTheyMayNotStart) {
  const Map map = matrix(64, 32, 8, 4);
  TensorPlace place;
  place.at = {-4, 30, 0, 0, 0};
  EXPECT_EQ(mistake_in(map, place, true), "");
  EXPECT_NE(mistake_in(map, place, false).find("coordinate -4 of dimension 0"), std::string::npos);
  place.at = {2, 0, 0, 0, 0};
  EXPECT_NE(mistake_in(map, place, true).find("start at a multiple of 4"), std::string::npos);
}

TEST(TensorFill, IsNanOfTheTypeAndLeavesWhatLiesBetweenTheRows) {
  Map map = matrix(64, 32, 4, 2);
  map.fill = Map::Fill::kNan;
  map.swizzle = Map::Swizzle::k32;
  std::vector<std::byte> box(64);
  fill_box(map, box);
  std::uint32_t element = 0;
  std::memcpy(&element, box.data() + 36, sizeof element);
  EXPECT_EQ(element, 0x7ff77ff7U);
  std::memcpy(&element, box.data() + 16, sizeof element);
  EXPECT_EQ(element, 0U);
}

TEST(TensorElements, AreRoundedToTf32) {
  Map map = matrix(64, 32, 4, 1);
  map.element = Map::Element::kTf32;
  std::uint32_t bits = 0x3f801000;  // half way
  round_elements(map, reinterpret_cast<std::byte*>(&bits), sizeof bits);
  EXPECT_EQ(bits, 0x3f802000U);
  map.element = Map::Element::kF32Flushed;
  bits = 0x80000001;
  round_elements(map, reinterpret_cast<std::byte*>(&bits), sizeof bits);
  EXPECT_EQ(bits, 0x80000001U);
}

}  // namespace
}  // namespace tilescope
