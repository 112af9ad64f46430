#pragma once
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tilescope::testing {

// One file of a zip archive.
struct Packed {
  std::string name;
  std::string contents;
  bool deflated = true;
  unsigned mode = 0644;
};

// Little-endian.
inline std::string zip_field(std::size_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// The text as a zlib stream without header.
inline std::string deflated(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(text.size() + 64, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Such an archive, as wheels are.
inline std::string zip_of(const std::vector<Packed>& files) {
  std::string bytes;
  std::string list;
  for (const Packed& file : files) {
    const std::string packed = file.deflated ? deflated(file.contents) : file.contents;
    const uLong check = crc32(0, reinterpret_cast<const Bytef*>(file.contents.data()),
                              static_cast<uInt>(file.contents.size()));
    const std::string common =
        zip_field(20, 2) + zip_field(0, 2) + zip_field(file.deflated ? 8 : 0, 2) + zip_field(0, 4) +
        zip_field(check, 4) + zip_field(packed.size(), 4) + zip_field(file.contents.size(), 4) +
        zip_field(file.name.size(), 2) + zip_field(0, 2);
    list += "PK\1\2" + zip_field(0x0314, 2) + common + zip_field(0, 6) +
            zip_field(std::size_t{file.mode | 0100000U} << 16, 4) + zip_field(bytes.size(), 4) +
            file.name;
    bytes += "PK\3\4" + common + file.name + packed;
  }
  const std::size_t place = bytes.size();
  return bytes + list + "PK\5\6" + zip_field(0, 4) + zip_field(files.size(), 2) +
         zip_field(files.size(), 2) + zip_field(list.size(), 4) + zip_field(place, 4) +
         zip_field(0, 2);
}

}  // namespace tilescope::testing
