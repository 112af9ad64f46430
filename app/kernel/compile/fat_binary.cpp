#include "kernel/compile/fat_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/shared_library.h"
#include "kernel/cubin/elf_file.h"

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
  entry.is_specific = target_of_ptx(text).is_specific;
}

}  // namespace

PtxTarget target_of_ptx(std::string_view text) {
  const std::size_t target = text.find(".target");
  const std::size_t end = text.find('\n', target);
  if (target == std::string_view::npos || end == std::string_view::npos) return {};
  const std::string_view line = text.substr(target, end - target);
  const std::size_t number = line.find_first_of("0123456789");
  if (number == std::string_view::npos) return {};
  PtxTarget found;
  std::size_t behind = number;
  for (; behind < line.size() && line[behind] >= '0' && line[behind] <= '9'; ++behind)
    found.compute_capability = 10 * found.compute_capability + (line[behind] - '0');
  found.is_specific = behind < line.size() && (line[behind] == 'a' || line[behind] == 'f');
  return found;
}

const FatBinary::Entry* FatBinary::ptx_for(int compute_capability) const {
  const Entry* best = nullptr;
  for (const Entry* entry : ptx_of_parts(compute_capability)) {
    if (best == nullptr || entry->compute_capability >= best->compute_capability) best = entry;
  }
  return best;
}

std::vector<const FatBinary::Entry*> FatBinary::ptx_of_parts(int compute_capability) const {
  std::vector<const Entry*> best;
  for (const Entry& entry : entries) {
    const bool fits =
        entry.is_ptx && (entry.is_specific ? entry.compute_capability == compute_capability
                                           : entry.compute_capability <= compute_capability);
    if (!fits) continue;
    if (best.empty() || best.back()->part != entry.part) {
      best.push_back(&entry);
    } else if (entry.compute_capability >= best.back()->compute_capability) {
      best.back() = &entry;
    }
  }
  return best;
}

const FatBinary::Entry* FatBinary::cubin_for(int compute_capability) const {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    const bool fits = !entry.is_ptx && entry.compute_capability / 10 == compute_capability / 10 &&
                      entry.compute_capability <= compute_capability;
    if (fits && (best == nullptr || entry.compute_capability > best->compute_capability))
      best = &entry;
  }
  return best;
}

bool is_fat_binary(std::span<const std::byte> bytes) {
  Header header{};
  return read_at(bytes, 0, &header) && header.magic == kMagic;
}

Result<FatBinary> read_fat_binary(std::span<const std::byte> bytes) {
  FatBinary fat;
  std::size_t at = 0;
  Header header{};
  for (std::size_t part = 0; read_at(bytes, at, &header) && header.magic == kMagic; ++part) {
    const std::size_t begin = at + header.header_bytes;
    if (header.header_bytes < sizeof header || begin > bytes.size() ||
        header.bytes > bytes.size() - begin)
      return broken("the fat binary ends in the middle");
    const std::size_t end = begin + header.bytes;
    for (at = begin; at < end;) {
      EntryHeader entry{};
      if (!read_at(bytes, at, &entry) || entry.header_bytes < sizeof entry ||
          entry.header_bytes > end - at || entry.bytes > end - at - entry.header_bytes)
        return broken("the fat binary has an entry that ends behind it");
      const auto payload = bytes.subspan(at + entry.header_bytes, entry.bytes);
      at += entry.header_bytes + entry.bytes;
      if (entry.kind != kKindPtx && entry.kind != kKindElf) continue;
      std::string why_not;
      FatBinary::Entry made{entry.kind == kKindPtx, static_cast<int>(entry.architecture), false,
                            unpack(entry, payload, &why_not), part};
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

Result<std::vector<FatBinary>> find_fat_binaries(std::span<const std::byte> file) {
  std::vector<std::span<const std::byte>> places;
  if (is_fat_binary(file)) places.push_back(file);
  for (const ElfSection& section : elf_sections(file)) {
    if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin") {
      places.push_back(section.bytes);
    }
  }
  std::vector<FatBinary> found;
  for (std::span<const std::byte> place : places) {
    for (std::size_t at = 0; at < place.size();) {
      Header header{};
      if (!read_at(place, at, &header)) break;
      if (header.magic != kMagic) {  // between two of them
        at += 8;
        continue;
      }
      const std::uint64_t bytes = header.header_bytes + header.bytes;
      auto fat = read_fat_binary(place.subspan(at, std::min(bytes, place.size() - at)));
      if (!fat) return std::move(fat).error();
      found.push_back(*std::move(fat));
      at += bytes;
    }
  }
  return found;
}

}  // namespace tilescope
