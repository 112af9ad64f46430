#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/protocol.h"

// nvcc links programs with its runtime library inside, unless it is told otherwise. Where such a
// program still has its symbol table, each of these functions gets a jump to ours as its first
// instruction, before any of the program's own code runs.
namespace tilescope::runtime {
namespace {

#if TILESCOPE_RUNTIME_MAJOR == 13  // the libraries of all releases are loaded; one does it

struct Jump {
#if defined(__x86_64__)
  unsigned char code[6] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
#elif defined(__aarch64__)
  std::uint32_t code[2] = {0x58000050, 0xd61f0200};  // ldr x16, 8; br x16
#endif
  std::uint64_t target = 0;
} __attribute__((packed));

// The program's file, mapped to be read.
struct File {
  const char* data = nullptr;
  std::size_t bytes = 0;
  template <class T>
  const T* at(std::uint64_t offset, std::size_t count = 1) const {
    if (offset > bytes || (bytes - offset) / sizeof(T) < count) return nullptr;
    return reinterpret_cast<const T*>(data + offset);
  }
};
File own_file() {
  File file;
  const int descriptor = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor >= 0 && ::fstat(descriptor, &status) == 0 && status.st_size > 0) {
    void* data = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE,
                        descriptor, 0);
    if (data != MAP_FAILED)
      file = {static_cast<const char*>(data), static_cast<std::size_t>(status.st_size)};
  }
  if (descriptor >= 0) ::close(descriptor);
  return file;
}

int find_base(dl_phdr_info* info, std::size_t, void* base) {
  *static_cast<std::uint64_t*>(base) = info->dlpi_addr;
  return 1;  // the first is the program itself
}

void redirect(std::uint64_t function, const void* to) {
  Jump jump;
  jump.target = reinterpret_cast<std::uint64_t>(to);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = function / page * page;
  const std::uint64_t bytes = function + sizeof jump - first;
  if (::mprotect(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return;
  std::memcpy(reinterpret_cast<void*>(function), &jump, sizeof jump);
  ::mprotect(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_EXEC);
  __builtin___clear_cache(reinterpret_cast<char*>(function),
                          reinterpret_cast<char*>(function) + sizeof jump);
}

void redirect_all(const File& file, const Elf64_Shdr& symbols, const Elf64_Shdr& names,
                  std::uint64_t base) {
  void* own = ::dlopen("libcudart.so.13", RTLD_NOLOAD | RTLD_LAZY);
  const std::size_t count = symbols.sh_size / sizeof(Elf64_Sym);
  const auto* all = file.at<Elf64_Sym>(symbols.sh_offset, count);
  const char* texts = file.at<char>(names.sh_offset, names.sh_size);
  if (own == nullptr || all == nullptr || texts == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) {
    const Elf64_Sym& symbol = all[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0 ||
        symbol.st_size < sizeof(Jump) || symbol.st_name >= names.sh_size)
      continue;
    const std::string_view name(texts + symbol.st_name);
    if (!name.starts_with("cuda") && !name.starts_with("__cuda")) continue;
    if (const void* to = ::dlsym(own, name.data())) redirect(base + symbol.st_value, to);
  }
}

__attribute__((constructor)) void take_over_static_runtime() {
  if (std::getenv(kEnvironmentName) == nullptr) return;
  const File file = own_file();
  const auto* header = file.at<Elf64_Ehdr>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return;
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  std::uint64_t base = 0;
  ::dl_iterate_phdr(find_base, &base);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
      redirect_all(file, sections[i], sections[sections[i].sh_link], base);
  }
  ::munmap(const_cast<char*>(file.data), file.bytes);
}

#endif

}  // namespace
}  // namespace tilescope::runtime
