#pragma once

namespace CLI {
class App;
}

namespace tilescope {

struct CommandContext;
struct KernelArguments;

// `trace` of one launch with its usual options: prints, and gives the exit status.
[[nodiscard]] int trace_kernel(const KernelArguments& kernel, bool as_json);

// Registers `tilescope trace`.
void add_trace_command(CLI::App& app, CommandContext& context);

}  // namespace tilescope
