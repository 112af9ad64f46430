#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// Loaded by CUDA's driver into a program that runs on a GPU (CUDA_INJECTION64_PATH): writes what
// CUPTI says of each launch into the file that TILESCOPE_LAUNCHES names, a line each:
//   name TAB grid x y z TAB block x y z TAB static, dynamic shared bytes TAB registers TAB
//   begin, end in ns
// CUPTI is loaded at run time, where TILESCOPE_CUPTI says; of its interface (cupti_activity.h) just
// what is used stands here.
namespace {

using CuptiResult = int;
constexpr std::uint32_t kConcurrentKernel = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 8;

// The beginning of CUpti_ActivityKernel5 and all later ones.
struct KernelRecord {
  std::uint32_t kind;
  std::uint8_t cache, shared_configuration;
  std::uint16_t registers;
  std::uint32_t cache_requested, cache_executed;
  std::uint64_t begin, end, completed;  // ns
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_bytes, local_total, correlation;
  std::int64_t grid_id;
  const char* name;
};
static_assert(offsetof(KernelRecord, begin) == 16 && offsetof(KernelRecord, grid) == 52 &&
              offsetof(KernelRecord, name) == 104);

using BufferRequested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using BufferCompleted = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
struct Cupti {
  CuptiResult (*enable)(std::uint32_t kind);
  CuptiResult (*register_callbacks)(BufferRequested, BufferCompleted);
  CuptiResult (*next_record)(std::uint8_t* buffer, std::size_t bytes, void** record);
  CuptiResult (*flush)(std::uint32_t flag);
};
Cupti cupti;
int file = -1;

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void write_all(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
    if (wrote <= 0) return;
    done += static_cast<std::size_t>(wrote);
  }
}

void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  std::string lines;
  void* record = nullptr;
  while (valid != 0 && cupti.next_record(buffer, valid, &record) == 0) {
    const auto& kernel = *static_cast<const KernelRecord*>(record);
    if (kernel.kind != kConcurrentKernel) continue;
    char numbers[256];
    std::snprintf(numbers, sizeof numbers, "\t%d %d %d\t%d %d %d\t%d %d\t%u\t%llu %llu\n",
                  kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0], kernel.block[1],
                  kernel.block[2], kernel.static_shared, kernel.dynamic_shared,
                  unsigned{kernel.registers}, static_cast<unsigned long long>(kernel.begin),
                  static_cast<unsigned long long>(kernel.end));
    lines += kernel.name == nullptr ? "?" : kernel.name;
    lines += numbers;
  }
  write_all(lines);
  std::free(buffer);
}

void flush_at_exit() { cupti.flush(1); }  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

bool load_cupti() {
  const char* known = std::getenv("TILESCOPE_CUPTI");
  void* library = known == nullptr ? nullptr : ::dlopen(known, RTLD_NOW | RTLD_GLOBAL);
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  }
  if (library == nullptr) return false;
  const auto find = [&](auto& function, const char* name) {
    void* found = ::dlsym(library, name);
    std::memcpy(&function, &found, sizeof function);
    return found != nullptr;
  };
  return find(cupti.enable, "cuptiActivityEnable") &&
         find(cupti.register_callbacks, "cuptiActivityRegisterCallbacks") &&
         find(cupti.next_record, "cuptiActivityGetNextRecord") &&
         find(cupti.flush, "cuptiActivityFlushAll");
}

}  // namespace

// The driver calls this before the program's first call is answered. 1: all is well.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* path = std::getenv("TILESCOPE_LAUNCHES");
  if (path == nullptr) return 1;
  file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return 1;
  if (!load_cupti()) {
    write_all("# CUPTI was not found\n");
    return 1;
  }
  const bool is_on = cupti.register_callbacks(give_buffer, take_buffer) == 0 &&
                     cupti.enable(kConcurrentKernel) == 0;
  if (!is_on) write_all("# CUPTI does not record launches here\n");
  std::atexit(flush_at_exit);
  return 1;
}
