#include "kernel/compile/fat_binary.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/shared_library.h"

namespace tilescope {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint16_t kKindElf = 2;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of one entry, unpacked

// What CUDA's tools write (there is no document; the same since CUDA 4).
struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;  // that follow the header
};
struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;         // that follow the header
  std::uint32_t packed_bytes;  // of them, where they are compressed
  std::uint32_t unused;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t architecture;  // 90
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uint64_t flags;
  std::uint64_t zero;
  std::uint64_t unpacked_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

template <class T>
bool read(std::span<const std::byte> bytes, std::size_t at, T* value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(value, bytes.data() + at, sizeof(T));
  return true;
}

Error broken(std::string message) { return Error{ErrorCode::kKernel, std::move(message), "", {}}; }

// libzstd is loaded where a fat binary needs it: nvcc packs so since CUDA 12.9.
std::vector<std::byte> unpack_zstd(std::span<const std::byte> packed, std::size_t bytes,
                                   std::string* why_not) {
  using Decompress = std::size_t(void*, std::size_t, const void*, std::size_t);
  using IsError = unsigned(std::size_t);
  auto library = SharedLibrary::open({"libzstd.so.1"});
  Decompress* decompress = nullptr;
  IsError* is_error = nullptr;
  if (!library || !library->find("ZSTD_decompress", &decompress) ||
      !library->find("ZSTD_isError", &is_error)) {
    *why_not =
        "it is compressed with zstd, and libzstd.so.1 is not installed: install libzstd1, or "
        "compile with nvcc --no-compress";
    return {};
  }
  std::vector<std::byte> unpacked(bytes);
  const std::size_t made = decompress(unpacked.data(), bytes, packed.data(), packed.size());
  if (is_error(made) != 0 || made != bytes) {
    *why_not = "its compressed bytes are damaged";
    return {};
  }
  return unpacked;
}

std::vector<std::byte> unpack(const EntryHeader& header, std::span<const std::byte> payload,
                              std::string* why_not) {
  const bool is_lz4 = (header.flags & kFlagLz4) != 0;
  const bool is_zstd = (header.flags & kFlagZstd) != 0;
  if (!is_lz4 && !is_zstd) return {payload.begin(), payload.end()};
  if (header.unpacked_bytes > kMostBytes || header.packed_bytes > payload.size()) {
    *why_not = "its compressed bytes are damaged";
    return {};
  }
  const auto packed = payload.first(header.packed_bytes);
  if (is_zstd) return unpack_zstd(packed, header.unpacked_bytes, why_not);
  std::vector<std::byte> unpacked = unpack_lz4(packed, header.unpacked_bytes);
  if (unpacked.empty()) *why_not = "its compressed bytes are damaged";
  return unpacked;
}

// PTX ends with zeros; "sm_90a" stands in its text alone.
void finish_ptx(FatBinary::Entry& entry) {
  while (!entry.bytes.empty() && entry.bytes.back() == std::byte{0}) entry.bytes.pop_back();
  const std::string_view text(reinterpret_cast<const char*>(entry.bytes.data()),
                              entry.bytes.size());
  const std::size_t target = text.find(".target");
  const std::size_t end = text.find('\n', target);
  if (target == std::string_view::npos || end == std::string_view::npos) return;
  const std::string_view line = text.substr(target, end - target);
  const std::size_t number = line.find_first_of("0123456789");
  const std::size_t behind = line.find_first_not_of("0123456789", number);
  entry.is_specific =
      behind != std::string_view::npos && (line[behind] == 'a' || line[behind] == 'f');
}

}  // namespace

const FatBinary::Entry* FatBinary::ptx_for(int compute_capability) const {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const bool fits =
        entry.is_ptx && (entry.is_specific ? entry.compute_capability == compute_capability
                                           : entry.compute_capability <= compute_capability);
    if (fits && (best == nullptr || entry.compute_capability >= best->compute_capability))
      best = &entry;
  }
  return best;
}

const FatBinary::Entry* FatBinary::cubin_for(int compute_capability) const {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const bool fits = !entry.is_ptx && entry.compute_capability / 10 == compute_capability / 10 &&
                      entry.compute_capability <= compute_capability;
    if (fits && (best == nullptr || entry.compute_capability >= best->compute_capability))
      best = &entry;
  }
  return best;
}

bool is_fat_binary(std::span<const std::byte> bytes) {
  Header header{};
  return read(bytes, 0, &header) && header.magic == kMagic;
}

Result<FatBinary> read_fat_binary(std::span<const std::byte> bytes) {
  FatBinary fat;
  std::size_t at = 0;
  Header header{};
  while (read(bytes, at, &header) && header.magic == kMagic) {
    const std::size_t begin = at + header.header_bytes;
    if (header.header_bytes < sizeof header || begin > bytes.size() ||
        header.bytes > bytes.size() - begin)
      return broken("the fat binary ends in the middle");
    const std::size_t end = begin + header.bytes;
    for (at = begin; at < end;) {
      EntryHeader entry{};
      if (!read(bytes, at, &entry) || entry.header_bytes < sizeof entry ||
          entry.header_bytes > end - at || entry.bytes > end - at - entry.header_bytes)
        return broken("the fat binary has an entry that ends behind it");
      const auto payload = bytes.subspan(at + entry.header_bytes, entry.bytes);
      at += entry.header_bytes + entry.bytes;
      if (entry.kind != kKindPtx && entry.kind != kKindElf) continue;
      std::string why_not;
      FatBinary::Entry made{entry.kind == kKindPtx, static_cast<int>(entry.architecture), false,
                            unpack(entry, payload, &why_not)};
      if (made.bytes.empty()) {
        fat.left_out.push_back(fmt::format("the {} for sm_{} cannot be read: {}",
                                           made.is_ptx ? "PTX" : "cubin", made.compute_capability,
                                           why_not.empty() ? "it is empty" : why_not));
        continue;
      }
      if (made.is_ptx) finish_ptx(made);
      fat.entries.push_back(std::move(made));
    }
    at = end;
  }
  if (at == 0) return broken("these bytes are no fat binary");
  return fat;
}

std::vector<std::byte> unpack_lz4(std::span<const std::byte> packed, std::size_t bytes) {
  std::vector<std::byte> made;
  made.reserve(bytes);
  std::size_t at = 0;
  // A length of 15 goes on in the bytes that follow, as long as they are 255.
  const auto length = [&](unsigned first) {
    std::size_t sum = first;
    if (first != 15) return sum;
    while (at < packed.size()) {
      const auto more = std::to_integer<unsigned>(packed[at++]);
      sum += more;
      if (more != 255) break;
    }
    return sum;
  };
  while (at < packed.size()) {
    const auto token = std::to_integer<unsigned>(packed[at++]);
    const std::size_t literals = length(token >> 4);
    if (literals > packed.size() - at || literals > bytes - made.size()) return {};
    made.insert(made.end(), packed.begin() + static_cast<std::ptrdiff_t>(at),
                packed.begin() + static_cast<std::ptrdiff_t>(at + literals));
    at += literals;
    if (at == packed.size()) break;  // the last sequence has literals alone
    if (packed.size() - at < 2) return {};
    const std::size_t distance = std::to_integer<std::size_t>(packed[at]) |
                                 std::to_integer<std::size_t>(packed[at + 1]) << 8;
    at += 2;
    const std::size_t match = length(token & 15) + 4;
    if (distance == 0 || distance > made.size() || match > bytes - made.size()) return {};
    for (std::size_t i = 0; i < match; ++i) made.push_back(made[made.size() - distance]);
  }
  if (made.size() != bytes) made.clear();
  return made;
}

CubinFacts facts_of_cubin(std::span<const std::byte> cubin, const std::string& kernel) {
  CubinFacts facts;
  Elf64_Ehdr header{};
  if (!read(cubin, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return facts;
  Elf64_Shdr names{};
  if (!read(cubin, header.e_shoff + header.e_shstrndx * sizeof names, &names)) return facts;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read(cubin, header.e_shoff + i * sizeof section, &section)) return facts;
    const std::size_t at = names.sh_offset + section.sh_name;
    if (at >= cubin.size()) return facts;
    const char* text = reinterpret_cast<const char*>(cubin.data()) + at;
    const std::string_view name(text, ::strnlen(text, cubin.size() - at));
    if (name == ".text." + kernel) {
      facts.is_found = true;
      facts.registers = static_cast<int>(section.sh_info >> 24);
    } else if (name == ".nv.shared." + kernel) {
      facts.static_shared_bytes = section.sh_size;
    } else if (name == ".nv.constant3") {
      facts.constant_bytes = section.sh_size;
    }
  }
  return facts;
}

}  // namespace tilescope
