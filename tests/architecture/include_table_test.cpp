#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "architecture/include_rules.h"
#include "build_config.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TILESCOPE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

IncludeRules rules() { return read_include_rules(read(kRoot / "docs/architecture.md")); }

// Texts by path below app/.
std::map<std::string, std::string> all_sources() {
  std::map<std::string, std::string> sources;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "app")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    sources[fs::relative(path, kRoot / "app").generic_string()] = read(path);
  }
  return sources;
}

bool breaks(const std::string& path, const std::string& include) {
  return !include_violations(rules(), path, "#pragma once\n#include " + include + "\n").empty();
}

TEST(IncludeTable, EverySourceKeepsIt) {
  const IncludeRules table = rules();
  int sources = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "app")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    ++sources;
    const std::string name = fs::relative(path, kRoot / "app").generic_string();
    for (const auto& violation : include_violations(table, name, read(path))) {
      ADD_FAILURE_AT(path.c_str(), violation.line) << violation.what;
    }
  }
  EXPECT_GT(sources, 0);
}

// "ui/panels/panels" of docs/architecture.md is a header, a source or both.
TEST(ThreeWalks, NameFilesThatAreThere) {
  const std::string page = read(kRoot / "docs/architecture.md");
  const std::size_t begin = page.find("## Three walks");
  const std::string walks = page.substr(begin, page.find("\n## ", begin) - begin);
  const std::regex quoted("`([a-z_]+(/[a-z_0-9]+)+)`");
  int files = 0;
  for (std::sregex_iterator found(walks.begin(), walks.end(), quoted), end; found != end; ++found) {
    const std::string name = (*found)[1];
    if (fs::is_directory(kRoot / "app" / name)) continue;
    ++files;
    const fs::path file = kRoot / "app" / name;
    EXPECT_TRUE(fs::exists(file.string() + ".h") || fs::exists(file.string() + ".cpp")) << name;
  }
  EXPECT_GT(files, 30);
}

TEST(FolderTable, EverySourceKeepsIt) {
  for (const auto& [path, violation] : folder_violations(rules(), all_sources())) {
    ADD_FAILURE_AT((kRoot / "app" / path).c_str(), violation.line) << violation.what;
  }
}

TEST(FolderTable, FoldersReachOnlyDownwards) {
  const IncludeRules table = rules();
  for (auto folder = table.folders.begin(); folder != table.folders.end(); ++folder) {
    if (folder->find('*') == std::string::npos) {
      EXPECT_TRUE(fs::is_directory(kRoot / "app" / *folder)) << *folder;
    }
    for (const auto& below : table.folder_may.at(*folder)) {
      const bool is_above = std::any_of(table.folders.begin(), folder,
                                        [&](const auto& row) { return matches(row, below); });
      EXPECT_TRUE(is_above) << *folder << " names " << below
                            << ", which is not above it in the table";
    }
  }
}

TEST(FolderTable, NoFoldersIncludeEachOtherInACycle) {
  const auto sources = all_sources();
  for (const auto& entry : fs::directory_iterator(kRoot / "app")) {
    if (!entry.is_directory()) continue;
    const std::string layer = entry.path().filename().string();
    std::string way;
    for (const auto& folder : folder_cycle(layer, sources)) way += folder + " ";
    EXPECT_EQ(way, "") << layer;
  }
}

TEST(FolderRules, FindACycleOfFoldersAlsoThroughAFileOfTheLayer) {
  const auto include = [](const char* file) { return std::string("#include \"") + file + "\"\n"; };
  std::map<std::string, std::string> sources = {
      {"ui/a/x.h", include("ui/b/y.h")}, {"ui/b/y.h", include("ui/all.h")}, {"ui/all.h", ""}};
  EXPECT_TRUE(folder_cycle("ui", sources).empty());
  sources["ui/all.h"] = include("ui/c/z.h");
  sources["ui/c/z.h"] = include("ui/a/w.h") + include("ui/c/own.h");
  EXPECT_EQ(folder_cycle("ui", sources).size(), 3U);
  EXPECT_TRUE(folder_cycle("scene", sources).empty());
}

TEST(FolderRules, RefuseAnIncludeUpwardsDirectlyOrThroughAFileOfTheLayer) {
  IncludeRules table;
  table.folders = {"emulator/low", "emulator/high"};
  table.folder_may = {{"emulator/low", {}}, {"emulator/high", {"emulator/low"}}};
  const std::string up = "#include \"emulator/high/a.h\"\n";
  const std::string down = "#include \"emulator/low/b.h\"\n";
  const auto faults = [&](const std::map<std::string, std::string>& sources) {
    return folder_violations(table, sources);
  };
  EXPECT_TRUE(faults({{"emulator/high/a.h", down}, {"emulator/low/b.h", ""}}).empty());
  const auto direct = faults({{"emulator/low/b.cpp", "\n" + up}});
  ASSERT_EQ(direct.size(), 1U);
  EXPECT_EQ(direct[0].first, "emulator/low/b.cpp");
  EXPECT_EQ(direct[0].second.line, 2);
  EXPECT_EQ(faults({{"emulator/low/b.h", "#include \"emulator/all.h\"\n"},
                    {"emulator/all.h", "#include \"emulator/more.h\"\n"},
                    {"emulator/more.h", up}})
                .size(),
            1U);
  EXPECT_EQ(faults({{"emulator/new/c.h", ""}}).size(), 1U);
  EXPECT_TRUE(faults({{"scene/low/b.h", "#include \"scene/high/a.h\"\n"}}).empty());
}

TEST(FolderRules, APatternStandsForFoldersWithoutARow) {
  IncludeRules table;
  table.folders = {"scene/model", "scene/*", "scene/compare"};
  table.folder_may = {{"scene/model", {}},
                      {"scene/*", {"scene/model"}},
                      {"scene/compare", {"scene/model", "scene/banks"}}};
  const auto faults = [&](const std::string& path, const char* included) {
    return folder_violations(table, {{path, std::string("#include \"") + included + "\"\n"}});
  };
  EXPECT_TRUE(faults("scene/banks/a.h", "scene/model/b.h").empty());
  EXPECT_EQ(faults("scene/banks/a.h", "scene/tiling/b.h").size(), 1U);
  EXPECT_TRUE(faults("scene/compare/a.h", "scene/banks/b.h").empty());
  EXPECT_EQ(faults("scene/compare/a.h", "scene/tiling/b.h").size(), 1U);
  EXPECT_EQ(faults("scene/model/a.h", "scene/banks/b.h").size(), 1U);
}

TEST(IncludeTable, LayersReachOnlyDownwards) {
  const IncludeRules table = rules();
  for (auto layer = table.layers.begin(); layer != table.layers.end(); ++layer) {
    for (const auto& below : table.may.at(*layer)) {
      EXPECT_NE(std::find(table.layers.begin(), layer, below), layer)
          << *layer << " names " << below << ", which is not above it in the table";
    }
  }
}

TEST(IncludeTable, HasARowForEachFolder) {
  const IncludeRules table = rules();
  for (const auto& entry : fs::directory_iterator(kRoot / "app")) {
    if (entry.is_directory()) {
      EXPECT_EQ(table.may.count(entry.path().filename().string()), 1U) << entry.path();
    }
  }
}

TEST(IncludeRules, RefuseAnIncludeUpwards) {
  EXPECT_TRUE(breaks("core/result.h", "\"kernel/catalogue/catalogue.h\""));
  EXPECT_TRUE(breaks("emulator/emulate.cpp", "\"analysis/memory/coalescing.h\""));
  EXPECT_TRUE(breaks("cli/run.cpp", "\"ui/window.h\""));
  EXPECT_TRUE(breaks("gpu/worker.cpp", "  \"emulator/program.h\""));
  EXPECT_FALSE(breaks("emulator/emulate.cpp", "\"kernel/compile/compile.h\""));
  EXPECT_FALSE(breaks("main.cpp", "\"ui/window.h\""));
}

TEST(IncludeRules, KeepTheWindowOutOfWhatLiesBelow) {
  for (const char* header : {"<imgui.h>", "\"imgui/imgui_internal.h\"", "<GL/glcorearb.h>",
                             "<GLFW/glfw3.h>", "<EGL/egl.h>", "<imgui_internal.h>"}) {
    EXPECT_TRUE(breaks("scene/canvas.h", header)) << header;
    EXPECT_FALSE(breaks("ui/canvas.cpp", header)) << header;
  }
}

TEST(IncludeRules, KeepCudaInItsPlaces) {
  EXPECT_TRUE(breaks("kernel/compile/compile.cpp", "<cuda.h>"));
  EXPECT_FALSE(breaks("gpu/driver.cpp", "<cuda.h>"));
  EXPECT_TRUE(breaks("cli/run.cpp", "<cublas_v2.h>"));
  EXPECT_TRUE(breaks("kernel/compile/compile.cpp", "<nvrtc.h>"));
  EXPECT_TRUE(breaks("gpu/worker.cpp", "<nvrtc.h>"));
  EXPECT_FALSE(breaks("kernel/compile/nvrtc_library.cpp", "<nvrtc.h>"));
}

TEST(IncludeRules, NameTheLineAndTheUnknownFolder) {
  const auto found =
      include_violations(rules(), "core/a.h", "#pragma once\n\n#  include \"ui/b.h\"\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(include_violations(rules(), "newcomer/a.h", "").size(), 1U);
}

TEST(IncludeRules, RefuseADocumentWithoutTables) {
  EXPECT_THROW(read_include_rules("# Architecture\n"), std::runtime_error);
  EXPECT_THROW(read_include_rules("<!-- layers:begin -->\n| a | b |\n<!-- layers:end -->\n"),
               std::runtime_error);
}

}  // namespace
}  // namespace tilescope
