#include "core/frame.h"

#include <gtest/gtest.h>

#include <random>

namespace tilescope {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

FrameReader started(std::uint32_t most = kMostFrameBytes) {
  FrameReader reader(most);
  reader.append(bytes_of(kStreamPreamble));
  return reader;
}

std::vector<std::byte> frame_around(std::span<const std::byte> body) {
  std::vector<std::byte> frame;
  for (unsigned i = 0; i < 4; ++i) {
    frame.push_back(static_cast<std::byte>(body.size() >> (8 * i) & 0xff));
  }
  for (const std::byte byte : body) frame.push_back(byte);
  frame.push_back(std::byte{'\n'});
  return frame;
}

void expect_refused(std::span<const std::byte> body) {
  EXPECT_FALSE(is_plain_cbor(body));
  FrameReader reader = started();
  reader.append(frame_around(body));
  const auto message = reader.next();
  ASSERT_TRUE(message.has_value());
  EXPECT_FALSE(message->ok());
}

const nlohmann::json kMessage = {{"type", "x"},
                                 {"list", {1, -2, 3.5, nullptr, true}},
                                 {"binary", nlohmann::json::binary({0, 255, 7})}};

TEST(Frame, ComesThroughByteByByte) {
  FrameReader reader;
  std::vector<std::byte> stream = bytes_of(kStreamPreamble);
  for (int i = 0; i < 3; ++i) {
    const auto frame = encode_frame(kMessage);
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  int messages = 0;
  for (const std::byte byte : stream) {
    reader.append(std::span(&byte, 1));
    while (const auto message = reader.next()) {
      ASSERT_TRUE(message->ok());
      EXPECT_EQ(**message, kMessage);
      ++messages;
    }
  }
  EXPECT_EQ(messages, 3);
}

TEST(Frame, SkipsWhatComesBeforeThePreamble) {
  FrameReader reader;
  reader.append(bytes_of("Last login: today\n\x89tile"));
  EXPECT_FALSE(reader.next().has_value());
  reader.append(bytes_of("\x89tile"));
  EXPECT_FALSE(reader.next().has_value());
  reader.append(bytes_of(kStreamPreamble.substr(5)));
  reader.append(encode_frame(kMessage));
  const auto message = reader.next();
  ASSERT_TRUE(message.has_value() && message->ok());
  EXPECT_EQ(reader.noise(), "Last login: today\n\x89tile");
}

TEST(Frame, GivesUpOnAStreamThatNeverBegins) {
  FrameReader reader;
  reader.append(std::vector<std::byte>(2 * kMostNoiseBytes, std::byte{'x'}));
  const auto message = reader.next();
  ASSERT_TRUE(message.has_value());
  EXPECT_FALSE(message->ok());
}

TEST(Frame, RefusesALengthAboveTheBoundAtOnceAndForGood) {
  FrameReader reader = started(1000);
  reader.append(bytes_of(std::string_view("\xe9\x03\x00\x00", 4)));  // 1001
  for (int i = 0; i < 2; ++i) {
    const auto message = reader.next();
    ASSERT_TRUE(message.has_value());
    EXPECT_FALSE(message->ok());
    reader.append(encode_frame(kMessage));
  }
}

TEST(Frame, RefusesWhatWouldOverflowAParsersStack) {
  expect_refused(std::vector<std::byte>(1 << 20, std::byte{0x81}));  // arrays in arrays
  expect_refused(std::vector<std::byte>(1 << 20, std::byte{0x7f}));  // texts in texts
  expect_refused(std::vector<std::byte>(1 << 20, std::byte{0xc0}));  // tags on tags
}

TEST(Frame, RefusesLengthsThatLie) {
  expect_refused(bytes_of(std::string_view("\x7b\xff\xff\xff\xff\xff\xff\xff\xff", 9)));
  expect_refused(bytes_of(std::string_view("\x9b\x7f\xff\xff\xff\xff\xff\xff\xff", 9)));
  expect_refused(bytes_of(std::string_view("\xbb\x80\x00\x00\x00\x00\x00\x00\x00", 9)));
  expect_refused(bytes_of("\x62x"));
  expect_refused(bytes_of(std::string_view("\x00\x00", 2)));  // something behind the item
  expect_refused({});
}

TEST(Frame, RefusesKeysThatAreNoText) { expect_refused(bytes_of("\xa1\x01\x01")); }

// What passes lines on, as srun does, would hold a message back that ends in the midst of one.
TEST(Frame, EndsItsLine) {
  std::vector<std::byte> frame = encode_frame(kMessage);
  EXPECT_EQ(frame.back(), std::byte{'\n'});
  frame.back() = std::byte{' '};
  FrameReader reader = started();
  reader.append(frame);
  EXPECT_FALSE(reader.next()->ok());
}

// Every truncation waits or is refused, every changed byte gives some message or an error.
TEST(Frame, SurvivesDamage) {
  const auto frame = encode_frame(kMessage);
  for (std::size_t length = 0; length < frame.size(); ++length) {
    FrameReader reader = started();
    reader.append(std::span(frame).first(length));
    EXPECT_FALSE(reader.next().has_value());
  }
  for (std::size_t at = 0; at < frame.size(); ++at) {
    for (unsigned value = 0; value < 256; ++value) {
      auto damaged = frame;
      damaged[at] = static_cast<std::byte>(value);
      FrameReader reader = started();
      reader.append(damaged);
      while (const auto message = reader.next()) {
        if (!message->ok()) break;
      }
    }
  }
}

TEST(Frame, SurvivesRandomBodies) {
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::vector<std::byte> body(random() % 24);
    for (std::byte& byte : body) byte = static_cast<std::byte>(random());
    FrameReader reader = started();
    reader.append(frame_around(body));
    const auto message = reader.next();
    ASSERT_TRUE(message.has_value());
    accepted += message->ok() ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace tilescope
