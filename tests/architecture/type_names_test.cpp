#include "architecture/type_names.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "build_config.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Two classes of one name break the one-definition rule without a word from the linker, which
// keeps one of their implicit functions for both.
TEST(TypeNames, NoTwoHeadersDefineOne) {
  std::map<std::string, fs::path> headers;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "app")) {
    if (entry.path().extension() != ".h") continue;
    for (const std::string& name : defined_types(read(entry.path()))) {
      const auto [first, is_new] = headers.emplace(name, entry.path());
      EXPECT_TRUE(is_new) << name << " is defined in " << first->second << " and in "
                          << entry.path();
    }
  }
  EXPECT_GT(headers.size(), 100U);
}

TEST(TypeNames, CarryTheirNamespaces) {
  const std::vector<std::string> found = defined_types(
      "namespace tilescope {\n"
      "struct Forward;\n"
      "struct Plain {\n"
      "  struct Inner {\n"
      "  };\n"
      "};\n"
      "namespace detail {\n"
      "enum class Kind : std::uint8_t {\n"
      "};\n"
      "}  // namespace detail\n"
      "class Derived final : public Plain {\n"
      "};\n"
      "}  // namespace tilescope\n");
  EXPECT_EQ(found, (std::vector<std::string>{"tilescope::Plain", "tilescope::detail::Kind",
                                             "tilescope::Derived"}));
}

}  // namespace
}  // namespace tilescope
