#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/result.h"
#include "store/recorded_runs.h"

struct sqlite3;

namespace tilescope {

// One measurement of the user's own.
struct HistoryEntry {
  std::int64_t id = 0;            // set by the history
  std::int64_t milliseconds = 0;  // since 1970, UTC
  Measurement run;
};
// A measurement of this moment.
[[nodiscard]] HistoryEntry history_entry(Measurement run);

// Empty: any.
struct HistoryFilter {
  std::string kernel = {};  // an id, or a family: "gemm"
  std::string gpu = {};     // part of its name
  std::string driver = {};
  std::map<std::string, std::int64_t> parameters = {};  // these have these values
  std::map<std::string, std::int64_t> extents = {};
  std::string since = {};  // "2026-11-30"
  std::string until = {};  // the same, that day included
  int limit = 0;           // the newest; 0: all
};

// Every measurement of the user, in a SQLite file. Written ahead (WAL) and synchronised, so what
// add() reported as kept is there after any end of the process or the machine; several programs may
// have it open. Used by one thread at a time.
class History {
 public:
  // data_directory()/history.sqlite
  [[nodiscard]] static std::filesystem::path default_file();
  // Makes the file where there is none; one that may only be read is opened for that, and add()
  // fails. kUsage for a file that is no history or of a later release, kMachine where it cannot be
  // read or made.
  [[nodiscard]] static Result<History> open(const std::filesystem::path& file);

  // Keeps the entry before it returns; its id.
  [[nodiscard]] Result<std::int64_t> add(const HistoryEntry& entry);
  // The new ones of them, all or none; how many that were.
  [[nodiscard]] Result<int> import(const RecordedRuns& runs);

  // Newest first.
  [[nodiscard]] Result<std::vector<HistoryEntry>> find(const HistoryFilter& filter) const;
  // The newest of this very launch on exactly this machine.
  [[nodiscard]] Result<std::optional<HistoryEntry>> find_same(const Machine& machine,
                                                              const LaunchKey& of) const;
  [[nodiscard]] Result<std::int64_t> count() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  class Statement;
  History(std::filesystem::path file, sqlite3* database) : file_(std::move(file)), db_(database) {}
  [[nodiscard]] Status check_head() const;
  [[nodiscard]] Status prepare_tables();
  [[nodiscard]] Result<std::int64_t> number_of(const char* query) const;
  [[nodiscard]] Status execute(const char* sql) const;
  [[nodiscard]] Error error() const;
  [[nodiscard]] Result<std::int64_t> machine_id(const Machine& machine) const;
  [[nodiscard]] Result<std::int64_t> insert(const HistoryEntry& entry) const;

  std::filesystem::path file_;
  std::unique_ptr<sqlite3, Close> db_;
};

// Puts entries into a history on a thread of its own, for callers that must not wait for a disk.
class HistoryWriter {
 public:
  explicit HistoryWriter(std::filesystem::path file);
  ~HistoryWriter();  // writes what waits
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;

  void keep(HistoryEntry entry);
  // Why entries are lost, once that happened.
  [[nodiscard]] std::optional<Error> problem() const;

 private:
  void run();

  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<HistoryEntry> waiting_;
  std::optional<Error> problem_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace tilescope
