#pragma once

namespace tilescope {

class Command;

struct CommandContext;

// Registers `tilescope fetch`: NVIDIA's compilers into the cache, from PyPI or from a folder.
void add_fetch_command(Command app, CommandContext& context);

}  // namespace tilescope
