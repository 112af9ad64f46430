#include <ucontext.h>

#include <csignal>
#include <cstdint>

#include "runtime/connection.h"

// The program touches memory that is the device's alone, or that a kernel may still be writing.
namespace tilescope::runtime {
namespace {

struct sigaction before;  // what the program had for such faults

std::uint64_t instruction_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

bool writes(const ucontext_t& context) {
#if defined(__x86_64__)
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;  // of a page fault: it was a write
#else
  (void)context;
  return false;
#endif
}

// What __sync_fetch_and_add and std::atomic become: an instruction with a lock, or xchg, which has
// it without saying so.
bool is_atomic(std::uint64_t instruction) {
#if defined(__x86_64__)
  const auto* byte = reinterpret_cast<const unsigned char*>(instruction);
  while (*byte == 0x66 || *byte == 0x67 || *byte == 0xf2 || *byte == 0xf3) ++byte;  // prefixes
  if (*byte == 0xf0) return true;
  if ((*byte & 0xf0) == 0x40) ++byte;  // REX
  return *byte == 0x86 || *byte == 0x87;
#else
  (void)instruction;
  return false;
#endif
}

void on_fault(int number, siginfo_t* info, void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (address >= kDeviceBegin && address - kDeviceBegin < kArenaBytes) {
    const auto& context = *static_cast<const ucontext_t*>(data);
    const std::uint64_t instruction = instruction_of(context);
    const FaultRequest request{address, instruction, writes(context) ? 1u : 0u,
                               is_atomic(instruction) ? 1u : 0u};
    const auto reply = Connection::get().ask(Call::kFault, request).head<FaultReply>();
    if (reply.allow.bytes != 0) {
      open_pages(reply.allow);
      return;
    }
  }
  // The instruction is executed again, and ends the program or comes to its own handler.
  ::sigaction(number, &before, nullptr);
}

}  // namespace

void explain_faults() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &before);
}

}  // namespace tilescope::runtime
