#include "export/animation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

TEST(IndexedPixels, FewColoursAreKept) {
  const std::vector<std::uint32_t> pixels = {0xff0000, 0x00ff00, 0xff0000, 0x123456};
  const IndexedPixels indexed = index_pixels(pixels, 4);
  EXPECT_EQ(indexed.distance, 0);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_EQ(indexed.palette[indexed.indices[i]], pixels[i]);
  }
  EXPECT_EQ(indexed.palette[0], 0xff0000U) << "the most frequent first";
}

TEST(IndexedPixels, ManyColoursStayNearAndTheLargestAreaExact) {
  std::vector<std::uint32_t> pixels(5000, 0xf6f7f9);
  for (std::uint32_t i = 0; i < 4096; ++i) pixels.push_back(i * 4097);
  const IndexedPixels indexed = index_pixels(pixels, 256);
  EXPECT_LE(indexed.palette.size(), 256U);
  EXPECT_LT(indexed.distance, 64);
  EXPECT_EQ(indexed.palette[indexed.indices[0]], 0xf6f7f9U);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::uint32_t got = indexed.palette[indexed.indices[i]];
    for (const unsigned shift : {0U, 8U, 16U}) {
      EXPECT_LE(std::abs(static_cast<int>(pixels[i] >> shift & 0xffU) -
                         static_cast<int>(got >> shift & 0xffU)),
                indexed.distance);
    }
  }
}

TEST(Animation, FramesGoFromTheFirstToTheLastMoment) {
  AnimationRequest request;
  request.from = 10;
  request.to = 110;
  request.frames_per_second = 10;
  request.seconds = 2;
  EXPECT_EQ(frame_count(request), 20U);
  EXPECT_EQ(frame_of(request, 0).context.selection.event, 10U);
  EXPECT_EQ(frame_of(request, 19).context.selection.event, 110U);
  request.to = 11;  // two moments, ten frames each
  EXPECT_EQ(frame_of(request, 9).context.selection.event, 10U);
  EXPECT_FLOAT_EQ(frame_of(request, 9).context.motion, 1);
  EXPECT_FLOAT_EQ(frame_of(request, 0).context.motion, 0.1F);
  EXPECT_EQ(frame_of(request, 10).context.selection.event, 11U);
  EXPECT_EQ(frame_of(request, 19).context.selection.event, 11U);
}

class FrameFiles : public ::testing::Test {
 protected:
  // A dot that walks over white, standing still once.
  static Status write(FrameWriter& writer, const FrameFormat& format) {
    for (const std::size_t at : {0U, 5U, 5U, 7U}) {
      std::vector<std::uint32_t> pixels(
          static_cast<std::size_t>(format.width) * static_cast<std::size_t>(format.height),
          0xffffff);
      pixels[at] = 0xff0000;
      if (Status added = writer.add(pixels, 10); !added) return added;
    }
    return writer.finish();
  }
  testing::TemporaryFolder folder_;
  FrameFormat format_{17, 9, 10, "title", "gemm/naive, \"quoted\""};
};

TEST_F(FrameFiles, AGifLoopsAndSaysWhereItComesFrom) {
  for (const char* name : {"a.gif", "b.gif"}) {
    auto writer = open_gif(folder_ / name, format_);
    ASSERT_TRUE(writer.ok());
    EXPECT_TRUE(write(**writer, format_).ok());
  }
  const std::string gif = testing::read_file(folder_ / "a.gif");
  EXPECT_TRUE(gif == testing::read_file(folder_ / "b.gif"));
  EXPECT_TRUE(gif.starts_with("GIF89a"));
  EXPECT_EQ(gif.back(), ';');
  EXPECT_NE(gif.find("NETSCAPE2.0"), std::string::npos);
  EXPECT_NE(gif.find("gemm/naive, \"quoted\""), std::string::npos);
  std::size_t images = 0;  // their control blocks
  for (std::size_t at = 0; (at = gif.find("\x21\xf9\x04", at)) != std::string::npos; ++at) ++images;
  EXPECT_EQ(images, 3U) << "frames that look the same are one";
}

TEST_F(FrameFiles, AFullDiskIsSaid) {
  fs::create_symlink("/dev/full", folder_ / "full.gif");
  auto writer = open_gif(folder_ / "full.gif", format_);
  if (writer.ok()) {
    const Status written = write(**writer, format_);
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().remedy, "Make room there, or choose another disk");
  }
}

TEST_F(FrameFiles, WithoutFfmpegAnMp4SaysWhatToDo) {
  const std::string path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  ::setenv("PATH", folder_.path().c_str(), 1);
  const auto writer = open_mp4(folder_ / "a.mp4", format_);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kMachine);
  EXPECT_NE(writer.error().remedy.find("apt install ffmpeg"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "a.mp4"));
  ::setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_EQ(find_ffmpeg(), fs::path());
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(FrameFiles, AnFfmpegThatFailsIsQuoted) {
  const std::string path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  std::ofstream(folder_ / "ffmpeg") << "#!/bin/sh\necho no such codec >&2\nexit 1\n";
  fs::permissions(folder_ / "ffmpeg", fs::perms::owner_all);
  ::setenv("PATH", (folder_.path().string() + ":" + path).c_str(), 1);
  auto writer = open_mp4(folder_ / "it's.mp4", format_);
  EXPECT_EQ(find_ffmpeg(), folder_ / "ffmpeg");
  ASSERT_TRUE(writer.ok()) << to_string(writer.error());
  const Status written = write(**writer, format_);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("no such codec"), std::string::npos)
      << written.error().message;
}

TEST_F(FrameFiles, FfmpegIsGivenEveryFrame) {
  const std::string path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  std::ofstream(folder_ / "ffmpeg") << "#!/bin/sh\n"
                                    << "for last; do :; done\n"
                                    << "cat > \"${last#file:}\"\n";
  fs::permissions(folder_ / "ffmpeg", fs::perms::owner_all);
  ::setenv("PATH", (folder_.path().string() + ":" + path).c_str(), 1);
  auto writer = open_mp4(folder_ / "it's\n\"so\".mp4", format_);
  ASSERT_TRUE(writer.ok());
  const Status written = write(**writer, format_);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(written.ok()) << to_string(written.error());
  EXPECT_EQ(fs::file_size(folder_ / "it's\n\"so\".mp4"), 4U * 17 * 9 * 4);
}

}  // namespace
}  // namespace tilescope
