#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope {

// Where in the source an address of a program's host code lies: by the program's memory map, read
// while it runs, and addr2line, where the program has line information (-g) and the tool is there.
class CallSites {
 public:
  // Reads the map of a process that runs.
  void read_map(int process);

  // "main.cu:31", or "" where it is not known. Of the instruction before a return address.
  [[nodiscard]] std::string of(std::uint64_t address) const;

 private:
  struct Mapped {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    std::string file;
  };
  std::vector<Mapped> mapped_;
  mutable std::map<std::uint64_t, std::string> known_;
};

}  // namespace tilescope
