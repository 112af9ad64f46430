#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;

// Registers `tilescope fetch`: NVIDIA's compilers into the cache, from PyPI or from a folder.
void add_fetch_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
