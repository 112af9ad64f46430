#include "kernel/compile/compile_cache.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace tilescope {

namespace fs = std::filesystem;
namespace {

// A file is this line, XXH3-128 of the rest in 32 digits, a newline, and CBOR. Raise the number
// whenever what is stored, or how the compiler is called, changes.
constexpr std::string_view kHead = "tilescope compiled 4\n";
constexpr std::size_t kDigits = 32;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20;

std::string digits_of(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::vector<std::uint8_t> encode(const CompiledModule& module) {
  const auto* cubin = reinterpret_cast<const std::uint8_t*>(module.cubin.data());
  nlohmann::json resources = nlohmann::json::object();
  for (const auto& [entry, needs] : module.resources) {
    resources[entry] = {needs.registers, needs.static_shared_bytes, needs.spill_store_bytes,
                        needs.spill_load_bytes, needs.stack_bytes};
  }
  const nlohmann::json json = {
      {"ptx", module.ptx},
      {"cubin", nlohmann::json::binary({cubin, cubin + module.cubin.size()})},
      {"instance", module.instance},
      {"resources", std::move(resources)},
      {"log", module.log},
      {"notes", module.notes},
      {"listing", module.listing}};
  return nlohmann::json::to_cbor(json);
}

CompiledModule decode(std::string_view bytes) {  // throws nlohmann's exceptions
  const nlohmann::json json = nlohmann::json::from_cbor(bytes.begin(), bytes.end());
  CompiledModule module;
  json.at("ptx").get_to(module.ptx);
  const std::vector<std::uint8_t>& cubin = json.at("cubin").get_binary();
  module.cubin.resize(cubin.size());
  std::ranges::transform(cubin, module.cubin.begin(), [](std::uint8_t b) { return std::byte{b}; });
  json.at("instance").get_to(module.instance);
  for (const auto& [entry, needs] : json.at("resources").items()) {
    KernelResources& resources = module.resources[entry];
    needs.at(0).get_to(resources.registers);
    needs.at(1).get_to(resources.static_shared_bytes);
    needs.at(2).get_to(resources.spill_store_bytes);
    needs.at(3).get_to(resources.spill_load_bytes);
    needs.at(4).get_to(resources.stack_bytes);
  }
  json.at("log").get_to(module.log);
  json.at("notes").get_to(module.notes);
  json.at("listing").get_to(module.listing);
  return module;
}

// A name that no other thread or process takes at the same time.
std::string unique_suffix() {
  static std::atomic<unsigned> counter{0};
  return fmt::format(".{}.{}.part", ::getpid(), counter.fetch_add(1));
}

}  // namespace

struct CacheKey::State {
  XXH3_state_t* hash = XXH3_createState();
  State() { XXH3_128bits_reset(hash); }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

CacheKey::CacheKey() : state_(std::make_unique<State>()) { add(kHead); }
CacheKey::~CacheKey() = default;

void CacheKey::add(std::string_view part) {
  const std::uint64_t length = part.size();
  XXH3_128bits_update(state_->hash, &length, sizeof length);
  XXH3_128bits_update(state_->hash, part.data(), part.size());
}

std::string CacheKey::digest() const { return digits_of(XXH3_128bits_digest(state_->hash)); }

CompileCache::CompileCache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path CompileCache::file_of(const std::string& digest) const {
  return folder_ / (digest + ".bin");
}

std::optional<CompiledModule> CompileCache::find(const std::string& digest) const {
  std::error_code problem;
  const fs::path path = file_of(digest);
  const std::uintmax_t size = fs::file_size(path, problem);
  std::ifstream file(path, std::ios::binary);
  if (problem || !file || size > kLargestFile) return std::nullopt;
  const std::string bytes(std::istreambuf_iterator<char>(file), {});

  const std::size_t body = kHead.size() + kDigits + 1;
  if (bytes.size() <= body || !bytes.starts_with(kHead)) return std::nullopt;
  const std::string_view content = std::string_view(bytes).substr(body);
  const std::string sum = digits_of(XXH3_128bits(content.data(), content.size()));
  if (bytes.compare(kHead.size(), kDigits, sum) != 0) return std::nullopt;
  try {
    CompiledModule module = decode(content);
    fs::last_write_time(path, fs::file_time_type::clock::now(), problem);  // used: not the oldest
    return module;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void CompileCache::store(const std::string& digest, const CompiledModule& module) const {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  const std::vector<std::uint8_t> content = encode(module);
  const std::string sum = digits_of(XXH3_128bits(content.data(), content.size()));
  const fs::path path = file_of(digest);
  const fs::path part = path.string() + unique_suffix();
  {
    std::ofstream file(part, std::ios::binary);
    file << kHead << sum << '\n';
    file.write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) {
      fs::remove(part, problem);
      return;
    }
  }
  fs::rename(part, path, problem);
  if (problem) fs::remove(part, problem);
  if (digest.ends_with('0')) remove_oldest();  // a look at every file: one time in 16 is enough
}

void CompileCache::remove_oldest() const {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code problem;
  for (fs::directory_iterator walk(folder_, problem), end; !problem && walk != end;
       walk.increment(problem)) {
    std::error_code gone;  // by another process
    const std::uintmax_t bytes = walk->file_size(gone);
    const fs::file_time_type used = walk->last_write_time(gone);
    if (gone) continue;
    entries.push_back({used, bytes, walk->path()});
    total += bytes;
  }
  if (total <= most_bytes_) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= most_bytes_ / 4 * 3) break;
    fs::remove(entry.path, problem);
    total -= entry.bytes;
  }
}

std::optional<std::string> state_of_folders(const std::vector<std::string>& folders,
                                            fs::file_time_type latest) {
  constexpr std::size_t kMostFiles = 1 << 14;
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                           failure);
    for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
      std::error_code ignored;
      if (entry->path().filename().string().starts_with('.')) entry.disable_recursion_pending();
      if (!entry->is_regular_file(ignored)) continue;
      const fs::file_time_type changed = entry->last_write_time(ignored);
      if (files.size() >= kMostFiles || changed > latest) return std::nullopt;
      files.push_back(fmt::format("{} {} {}", entry->path().string(), entry->file_size(ignored),
                                  changed.time_since_epoch().count()));
    }
  }
  std::ranges::sort(files);
  CacheKey key;
  for (const std::string& file : files) key.add(file);
  return key.digest();
}

CompileFlights::Turn::Turn(CompileFlights& flights, std::string digest)
    : flights_(flights), digest_(std::move(digest)) {
  std::unique_lock lock(flights_.mutex_);
  flights_.landed_.wait(lock, [this] { return flights_.under_way_.insert(digest_).second; });
}

CompileFlights::Turn::~Turn() {
  {
    const std::lock_guard lock(flights_.mutex_);
    flights_.under_way_.erase(digest_);
  }
  flights_.landed_.notify_all();
}

}  // namespace tilescope
