#include "kernel/compile/fat_binary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

namespace tilescope {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void put(std::string* to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) *to += static_cast<char>(value >> (8 * i));
}

std::string entry(int kind, int architecture, const std::string& payload, std::uint64_t flags = 0,
                  std::size_t unpacked = 0) {
  std::string text;
  put(&text, static_cast<std::uint64_t>(kind), 2);
  put(&text, 0x101, 2);
  put(&text, 64, 4);
  put(&text, payload.size(), 8);
  put(&text, payload.size(), 4);
  put(&text, 0, 4 + 2 + 2);
  put(&text, static_cast<std::uint64_t>(architecture), 4);
  put(&text, 0, 8);
  put(&text, flags, 8);
  put(&text, 0, 8);
  put(&text, unpacked, 8);
  return text + payload;
}

std::string fat(const std::string& entries) {
  std::string text;
  put(&text, 0xba55ed50, 4);
  put(&text, 1, 2);
  put(&text, 16, 2);
  put(&text, entries.size(), 8);
  return text + entries;
}

TEST(FatBinary, ReadsItsEntries) {
  const auto read = read_fat_binary(
      bytes_of(fat(entry(1, 80, std::string(".target sm_80\n\0\0", 16)) + entry(2, 90, "cubin"))));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->entries.size(), 2U);
  EXPECT_EQ(text_of(read->entries[0].bytes), ".target sm_80\n");
  EXPECT_EQ(read->ptx_for(90), read->entries.data());
  EXPECT_EQ(read->ptx_for(75), nullptr);
  EXPECT_EQ(read->cubin_for(90), &read->entries[1]);
  EXPECT_EQ(read->cubin_for(80), nullptr);
}

TEST(FatBinary, PtxOfOneArchitectureIsForNoOther) {
  const auto read = read_fat_binary(bytes_of(fat(entry(1, 90, ".target sm_90a\n"))));
  ASSERT_TRUE(read);
  EXPECT_NE(read->ptx_for(90), nullptr);
  EXPECT_EQ(read->ptx_for(100), nullptr);
}

TEST(FatBinary, UnpacksLz4) {
  // Literals "abc", then nine bytes from three before, then the literal "d".
  const std::string packed(
      "\x35"
      "abc"
      "\x03\x00"
      "\x10"
      "d",
      8);
  EXPECT_EQ(text_of(unpack_lz4(bytes_of(packed), 13)), "abcabcabcabcd");
  EXPECT_TRUE(unpack_lz4(bytes_of(packed), 12).empty());
  const auto read = read_fat_binary(bytes_of(fat(entry(1, 90, packed, 0x2000, 13))));
  ASSERT_TRUE(read);
  EXPECT_EQ(text_of(read->entries.at(0).bytes), "abcabcabcabcd");
}

TEST(FatBinary, NoDistanceLeadsOutOfWhatIsThere) {
  EXPECT_TRUE(unpack_lz4(bytes_of(std::string("\x15"
                                              "a"
                                              "\x02\x00",
                                              4)),
                         10)
                  .empty());
  EXPECT_TRUE(unpack_lz4(bytes_of(std::string("\xf0\xff\xff", 3)), 10).empty());
}

TEST(FatBinary, RefusesWhatEndsTooEarly) {
  EXPECT_FALSE(read_fat_binary(bytes_of("nothing of the kind")));
  const std::string whole = fat(entry(1, 90, "text"));
  for (std::size_t length = 16; length < whole.size(); ++length)
    EXPECT_FALSE(read_fat_binary(bytes_of(whole.substr(0, length)))) << length;
}

TEST(FatBinary, SeveralInOneFileAreFound) {
  const std::string one = fat(entry(1, 80, ".target sm_80\n  "));  // a multiple of 8 bytes
  const auto found = find_fat_binaries(bytes_of(one + std::string(16, '\0') + one));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size(), 2U);
  const auto none = find_fat_binaries(bytes_of("a text that is no program"));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

}  // namespace
}  // namespace tilescope
