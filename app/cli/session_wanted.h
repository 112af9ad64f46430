#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/export_command.h"
#include "cli/resources.h"
#include "session/document.h"

namespace tilescope {

// A file that is to be written: a view, a page, or a chart over a parameter or the size.
struct WantedPicture {
  std::optional<View> view;  // nullopt, as the page: a chart, or the tuner
  std::string over;  // of a chart: a parameter, "size" or "time"; empty: the first parameter
  std::filesystem::path file;
  std::optional<Page> page = std::nullopt;
  bool tuner = false;
};
// Those of one variant.
struct Wanted {
  std::size_t variant = 0;
  std::vector<WantedPicture> pictures;
};
// What --session asks for: one picture of one variant, or with --all every view of each that has a
// kernel and every chart of what is recorded. Makes the folder of --all.
[[nodiscard]] Result<std::vector<Wanted>> wanted_pictures(const ExportArguments& arguments,
                                                          const Document& document,
                                                          const Resources& resources);

// The catalogue's kernel of which there are recorded times; nullptr: a file, or an edited text.
[[nodiscard]] const CatalogueEntry* charted_entry(const VariantDocument& variant,
                                                  const Resources& resources);

// -p on the command line: other numbers for the one variant that is written.
Status change_parameters(const ExportArguments& arguments, const Resources& resources,
                         VariantDocument* variant);

}  // namespace tilescope
