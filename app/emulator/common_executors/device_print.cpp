#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>

#include "emulator/common_executors/families.h"
#include "emulator/common_executors/library_call.h"
#include "emulator/execution/execution_context.h"
#include "emulator/execution/lane_access.h"
#include "emulator/execution/print_log.h"
#include "emulator/lanes_in.h"

// vprintf and __assertfail of the device's run-time library (library_call.h).
namespace tilescope {
namespace {

constexpr std::size_t kMostText = 4096;  // of one format string or argument

using Bytes = std::span<const std::byte>;

std::string text_at(std::uint64_t address, unsigned lane, const ExecutionContext& context) {
  if (address == 0) return "(null)";
  const Bytes bytes = memory_behind(address, lane, context);
  std::string text;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(bytes.size(), kMostText); ++i) {
    const char c = static_cast<char>(bytes[i]);
    if (c == '\0') break;
    text += c;
  }
  return text;
}

// The arguments of a printf as its caller has stored them: each at a multiple of its size.
class Arguments {
 public:
  explicit Arguments(Bytes bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (offset_ + sizeof(T) <= bytes_.size())
      std::memcpy(&value, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

 private:
  Bytes bytes_;
  std::uint64_t offset_ = 0;
};

template <class T>
std::string formatted(const std::string& conversion, T value) {
  std::string text(64, '\0');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  if (length >= static_cast<int>(text.size())) {
    text.resize(static_cast<std::size_t>(length) + 1);
    std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  }
#pragma GCC diagnostic pop
  text.resize(static_cast<std::size_t>(std::max(length, 0)));
  return text;
}

// One conversion, "%-5.2f" or "%ld", with its argument (CUDA C++ Programming Guide, "Formatted
// Output").
std::string convert(std::string conversion, Arguments& arguments, unsigned lane,
                    const ExecutionContext& context) {
  const char kind = conversion.back();
  const bool wide = conversion.find_first_of("ljzt") != std::string::npos;
  std::erase_if(conversion, [](char c) { return std::strchr("hljztL", c) != nullptr; });
  switch (kind) {
    case 'd':
    case 'i':
      if (!wide) return formatted(conversion, arguments.take<int>());
      conversion.insert(conversion.size() - 1, "ll");
      return formatted(conversion, arguments.take<long long>());
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (!wide) return formatted(conversion, arguments.take<unsigned>());
      conversion.insert(conversion.size() - 1, "ll");
      return formatted(conversion, arguments.take<unsigned long long>());
    case 'c':
      return formatted(conversion, arguments.take<int>());
    case 'p':
      return fmt::format("{:#x}", arguments.take<std::uint64_t>());
    case 's':
      return formatted(conversion, text_at(arguments.take<std::uint64_t>(), lane, context).c_str());
    default:
      return formatted(conversion, arguments.take<double>());
  }
}

std::string print(const std::string& format, Arguments arguments, unsigned lane,
                  const ExecutionContext& context) {
  std::string text;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      text += format[at];
      continue;
    }
    if (at + 1 < format.size() && format[at + 1] == '%') {
      text += format[++at];
      continue;
    }
    std::string conversion = "%";
    while (++at < format.size() && std::strchr("-+ #0123456789.*hljztL", format[at]) != nullptr) {
      if (format[at] == '*') {
        conversion += std::to_string(arguments.take<int>());
      } else {
        conversion += format[at];
      }
    }
    const bool known =
        at < format.size() && std::strchr("diouxXcpsfFeEgGaA", format[at]) != nullptr;
    if (!known) {
      text += conversion;
      if (at < format.size()) text += format[at];
      continue;
    }
    conversion += format[at];
    text += convert(std::move(conversion), arguments, lane, context);
  }
  return text;
}

void execute_print(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                   ExecutionContext& context) {
  if (context.prints == nullptr) return;
  for (const unsigned lane : lanes_in(mask)) {
    const std::string format =
        text_at(library_argument<std::uint64_t>(op, registers, lane, 0, context), lane, context);
    const Bytes values = memory_behind(
        library_argument<std::uint64_t>(op, registers, lane, 1, context), lane, context);
    context.prints->print(context.point.block, print(format, Arguments(values), lane, context));
  }
}

// __assertfail(message, file, line, function, size of a character)
void execute_assert(const MicroOp& op, std::byte* registers, std::uint32_t mask,
                    ExecutionContext& context) {
  if (context.prints == nullptr) return;
  for (const unsigned lane : lanes_in(mask)) {
    const auto text = [&](unsigned i) {
      return text_at(library_argument<std::uint64_t>(op, registers, lane, i, context), lane,
                     context);
    };
    const auto line = static_cast<std::uint32_t>(
        library_argument<std::uint64_t>(op, registers, lane, 2, context) & 0xffffffff);
    const Dim3 thread = thread_of(context, lane);
    const Dim3& block = context.block;
    context.prints->complain(
        context.point.block,
        fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
                    text(1), line, text(3), block.x, block.y, block.z, thread.x, thread.y, thread.z,
                    text(0)));
  }
}

}  // namespace

Executor find_device_print(const OperationKey& key) {
  switch (key.operation) {
    case Operation::kPrint:
      return execute_print;
    case Operation::kAssertFailed:
      return execute_assert;
    default:
      return nullptr;
  }
}

}  // namespace tilescope
