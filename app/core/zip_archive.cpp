#include "core/zip_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "core/file.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// The fields of a zip archive are little-endian; offsets and signatures as in PKWARE's APPNOTE 4.3.
constexpr std::string_view kEndSignature{"PK\5\6", 4};
constexpr std::string_view kEntrySignature{"PK\1\2", 4};
constexpr std::string_view kFileSignature{"PK\3\4", 4};
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kFileBytes = 30;

Error broken(std::string_view what) {
  return {ErrorCode::kUsage, fmt::format("it is no whole zip archive: {}", what), "", {}};
}

// The little-endian number of `count` bytes, at most four; bytes behind the end count as 0.
std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    const bool inside = at + i < bytes.size();
    value = value << 8 | (inside ? static_cast<unsigned char>(bytes[at + i]) : 0U);
  }
  return value;
}

struct Entry {
  std::string name;
  bool is_encrypted = false;
  std::uint32_t method = 0;
  std::uint32_t check = 0;  // CRC-32
  std::uint32_t packed_bytes = 0;
  std::uint32_t bytes = 0;
  bool runs = false;      // may be executed
  std::size_t place = 0;  // of its file header
  std::size_t size = 0;   // of this entry in the list
};

std::optional<Entry> entry_at(std::string_view archive, std::size_t at) {
  if (at > archive.size() || archive.size() - at < kEntryBytes) return std::nullopt;
  const std::string_view bytes = archive.substr(at);
  const std::size_t name_bytes = number(bytes, 28, 2);
  const std::size_t size = kEntryBytes + name_bytes + number(bytes, 30, 2) + number(bytes, 32, 2);
  if (!bytes.starts_with(kEntrySignature) || bytes.size() < size) return std::nullopt;
  Entry entry;
  entry.name = bytes.substr(kEntryBytes, name_bytes);
  entry.is_encrypted = (number(bytes, 8, 2) & 1) != 0;
  entry.method = number(bytes, 10, 2);
  entry.check = number(bytes, 16, 4);
  entry.packed_bytes = number(bytes, 20, 4);
  entry.bytes = number(bytes, 24, 4);
  entry.runs = (number(bytes, 40, 2) & 0111) != 0;
  entry.place = number(bytes, 42, 4);
  entry.size = size;
  return entry;
}

// The compressed bytes of the entry; nullopt: the archive does not have them.
std::optional<std::string_view> packed(std::string_view archive, const Entry& entry) {
  if (entry.place > archive.size() || archive.size() - entry.place < kFileBytes)
    return std::nullopt;
  const std::string_view bytes = archive.substr(entry.place);
  const std::size_t begin = kFileBytes + number(bytes, 26, 2) + number(bytes, 28, 2);
  if (!bytes.starts_with(kFileSignature) || bytes.size() < begin ||
      bytes.size() - begin < entry.packed_bytes) {
    return std::nullopt;
  }
  return bytes.substr(begin, entry.packed_bytes);
}

bool stays_inside(const fs::path& name) {
  return !name.empty() && name.is_relative() && std::ranges::find(name, "..") == name.end();
}

// The bytes of a zlib stream without header.
class Inflater {
 public:
  explicit Inflater(std::string_view packed) {
    stream_.next_in = const_cast<Bytef*>(  // NOLINT(cppcoreguidelines-pro-type-const-cast)
        reinterpret_cast<const Bytef*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    status_ = ::inflateInit2(&stream_, -MAX_WBITS);
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // The next of them; none at the end, and where the stream is broken.
  std::string_view next() {
    if (status_ != Z_OK) return {};
    stream_.next_out = reinterpret_cast<Bytef*>(room_.data());
    stream_.avail_out = static_cast<uInt>(room_.size());
    status_ = ::inflate(&stream_, Z_NO_FLUSH);
    return std::string_view(room_).substr(0, room_.size() - stream_.avail_out);
  }

 private:
  z_stream stream_{};
  int status_ = Z_OK;
  std::string room_ = std::string(std::size_t{1} << 18, '\0');
};

// Takes the bytes of one file: writes and checks them.
class FileWriter {
 public:
  FileWriter(const fs::path& file, mode_t mode)
      : file_(file),
        descriptor_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)),
        problem_(descriptor_.is_open() ? 0 : errno) {}

  void write(std::string_view bytes) {
    check_ = ::crc32(check_, reinterpret_cast<const Bytef*>(bytes.data()),
                     static_cast<uInt>(bytes.size()));
    bytes_ += bytes.size();
    while (problem_ == 0 && !bytes.empty()) {
      const ssize_t done = ::write(descriptor_.get(), bytes.data(), bytes.size());
      if (done < 0 && errno != EINTR) problem_ = errno;
      if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
    }
  }

  Status end(const Entry& entry) const {
    if (problem_ != 0) return cannot_write(file_, problem_);
    if (check_ != entry.check || bytes_ != entry.bytes) return broken(entry.name + " is damaged");
    return ok_status();
  }

 private:
  fs::path file_;
  FileDescriptor descriptor_;
  int problem_;
  uLong check_ = 0;
  std::uint64_t bytes_ = 0;
};

Status unpack(std::string_view archive, const Entry& entry, const fs::path& folder) {
  const auto bytes = packed(archive, entry);
  if (!bytes) return broken(entry.name + " is not in it");
  const bool is_stored = entry.method == 0;
  if (entry.is_encrypted || (!is_stored && entry.method != Z_DEFLATED)) {
    return broken(entry.name + " is packed in a way that is not known here");
  }
  if (!stays_inside(entry.name)) return broken(entry.name + " leads out of the folder");
  const fs::path file = folder / entry.name;
  const bool is_folder = entry.name.ends_with('/');
  std::error_code failure;
  fs::create_directories(is_folder ? file : file.parent_path(), failure);
  if (failure) return cannot_write(file, failure.value());
  if (is_folder) return ok_status();
  FileWriter writer(file, entry.runs ? 0777 : 0666);  // less what the umask takes
  if (is_stored) {
    writer.write(*bytes);
  } else {
    Inflater inflater(*bytes);
    for (auto part = inflater.next(); !part.empty(); part = inflater.next()) writer.write(part);
  }
  return writer.end(entry);
}

}  // namespace

Status unpack_zip(std::string_view archive, const fs::path& folder) {
  const std::size_t end = archive.rfind(kEndSignature);
  if (end == std::string_view::npos || archive.size() - end < kEndBytes) {
    return broken("its list of files is missing");
  }
  std::size_t at = number(archive, end + 16, 4);
  for (std::uint32_t left = number(archive, end + 10, 2); left > 0; --left) {
    const auto entry = entry_at(archive, at);
    if (!entry) return broken("its list of files is damaged");
    if (Status done = unpack(archive, *entry, folder); !done) return done;
    at += entry->size;
  }
  return ok_status();
}

}  // namespace tilescope
