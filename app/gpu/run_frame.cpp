#include "gpu/run_frame.h"

#include <fmt/format.h>

#include <utility>

#include "core/buffer_recipe.h"
#include "core/frame.h"
#include "gpu/protocol.h"

namespace tilescope {
namespace {

// Each once.
Result<FileContents> read_files(const KernelInstance& instance) {
  FileContents files;
  for (const Argument& argument : instance.arguments) {
    const BufferRecipe& recipe = argument.buffer;
    if (!argument.is_pointer || recipe.fill != Fill::kFile || files.contains(recipe.path)) continue;
    std::vector<std::byte>& contents = files[recipe.path];
    contents.resize(recipe.bytes());
    if (const Status filled = fill_buffer(recipe, contents); !filled) return filled.error();
  }
  return files;
}

}  // namespace

Result<std::vector<std::byte>> encode_run(LinkMailbox::Request request) {
  if (request.run.compiled == nullptr) {
    return Error{ErrorCode::kUsage, "a run needs a compiled kernel", "", {}};
  }
  auto files = read_files(request.run.instance);
  if (!files) return files.error();
  std::vector<std::byte> frame = encode_frame(
      encode_message(RunMessage{request.ticket, std::move(request.run), *std::move(files)}));
  if (frame.size() > kMostFrameBytes) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("{} bytes of buffers from files are more than the worker takes at once",
                    frame.size()),
        "Use fewer or smaller files",
        {}};
  }
  return frame;
}

}  // namespace tilescope
