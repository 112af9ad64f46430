#include "core/zip_archive.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "temporary_folder.h"
#include "zip_of.h"

namespace tilescope {
namespace {

using testing::deflated;
using testing::read_file;
using testing::TemporaryFolder;
using testing::zip_of;

TEST(ZipArchive, UnpacksFilesWithTheirPermissions) {
  const TemporaryFolder folder;
  std::string large;  // more than is written at once
  for (int i = 0; i < 200'000; ++i) large += std::to_string(i % 977);
  const std::string archive = zip_of({{"a/b/large.txt", large},
                                      {"a/stored", "as it is", false},
                                      {"bin/tool", "#!/bin/sh\n", true, 0755},
                                      {"a/empty", ""},
                                      {"c/", "", false, 0755}});
  const Status done = unpack_zip(archive, folder / "out");
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(read_file(folder / "out/a/b/large.txt"), large);
  EXPECT_EQ(read_file(folder / "out/a/stored"), "as it is");
  EXPECT_EQ(read_file(folder / "out/a/empty"), "");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "out/c"));
  const auto runs = std::filesystem::perms::owner_exec;
  EXPECT_EQ(std::filesystem::status(folder / "out/bin/tool").permissions() & runs, runs);
  EXPECT_NE(std::filesystem::status(folder / "out/a/stored").permissions() & runs, runs);
}

TEST(ZipArchive, LeavesTheFolderByNoName) {
  const TemporaryFolder folder;
  for (const std::string name : {"../outside", "a/../../outside", "/tmp/tilescope-outside"}) {
    const Status done = unpack_zip(zip_of({{name, "text"}}), folder / "out");
    ASSERT_FALSE(done.ok()) << name;
    EXPECT_NE(done.error().message.find("leads out"), std::string::npos) << done.error().message;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "outside"));
}

// Each beginning of an archive, and each archive with one byte changed, ends with an error or with
// the right bytes.
TEST(ZipArchive, SaysThatItIsDamaged) {
  const TemporaryFolder folder;
  const std::string contents = "some text, some more text, some text";
  const std::string archive = zip_of({{"file", contents}});
  for (std::size_t length = 0; length < archive.size(); ++length) {
    EXPECT_FALSE(unpack_zip(archive.substr(0, length), folder / "out").ok()) << length;
  }
  const std::size_t middle = archive.find("file") + 4 + deflated(contents).size() / 2;
  for (std::size_t at = 0; at < archive.size(); ++at) {
    std::string changed = archive;
    changed[at] = static_cast<char>(changed[at] ^ 0x15);
    const std::filesystem::path out = folder / ("out" + std::to_string(at));
    const bool is_done = unpack_zip(changed, out).ok();
    if (is_done && std::filesystem::exists(out / "file")) {
      EXPECT_EQ(read_file(out / "file"), contents) << at;
    }
    EXPECT_FALSE(is_done && at == middle);
  }
}

}  // namespace
}  // namespace tilescope
