#pragma once

namespace tilescope {

class CommandOptions;

struct CommandContext;
struct DeviceModel;
struct KernelArguments;

// `trace` of one launch on this device with its usual options: prints, and gives the exit status.
[[nodiscard]] int trace_kernel(const KernelArguments& kernel, const DeviceModel& device,
                               bool as_json);

// Registers `tilescope trace`.
void add_trace_command(CommandOptions app, CommandContext& context);

}  // namespace tilescope
