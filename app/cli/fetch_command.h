#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;

// Registers `tilescope fetch`: NVIDIA's compilers into the cache, from PyPI or from a folder.
void add_fetch_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
