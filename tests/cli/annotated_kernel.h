#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

// A launch of a kernel and what must be found in it, as the comments of its file say. Variant 0 is
// the text as it is, variant N the text with -D MUTANT=N. Without N a line is about variant 0:
//   // trace [N]: OPTIONS                 of `tilescope trace`; those without N are of all
//   variants.
//                                         Without --grid, --block and --arg the launch is guessed
//   // mutant N: KIND[,KIND] [...] at TAG[,TAG] (why)   what is found, and nothing else; after
//   "..."
//                                         other kinds may follow from it. Without it: no finding
//   // says N: WORDS                      that the message of one finding has; repeatable
//   // counts N: [CLASS at TAG: ]NAME NUMBER[, NAME NUMBER]   what --json says of the line, or of
//   the
//                                         launch; a line without such an access has zeros
//   // launch N: NAME VALUE[, NAME VALUE] kernel, grid, block, shared, or an argument: its whole
//   text
//                                         (i32:4), its type and count (f32[64]) or its contents
//                                         (zero)
//   // shows N: VIEW [OPTIONS]: WORDS     that `tilescope export --view VIEW OPTIONS` writes
//   // refused N: WORDS                   that the error has; repeatable
//   // wrong today N: WHY                 one of the other lines does not hold yet
// and //@TAG marks the lines. A finding is in place when its line or that of the other access is.
struct AnnotatedLaunch {
  struct Count {
    std::string access;  // "shared_load"; empty: of the whole launch
    std::string tag;
    std::map<std::string, std::int64_t> values;
  };

  std::filesystem::path file;
  int variant = 0;
  std::vector<std::string> options;
  std::set<std::string> kinds;
  bool others_follow = false;
  std::set<int> lines;  // where they are
  std::vector<std::string> says;
  std::vector<Count> counts;
  std::map<std::string, std::string> launch;
  std::vector<std::pair<std::string, std::string>> shows;
  std::vector<std::string> refused;
  std::string wrong_today;
  std::multimap<std::string, int> tags;  // of the file

  [[nodiscard]] std::string name() const;                // "two_rows_1", as GoogleTest takes it
  [[nodiscard]] std::vector<std::string> words() const;  // file and options, as a shell splits them
};
void PrintTo(const AnnotatedLaunch& launch, std::ostream* stream);

// Of every .cu and .ptx file of a folder of tests/ and the folders in it, in the order of names.
// Throws std::runtime_error for a line that is not as above.
[[nodiscard]] std::vector<AnnotatedLaunch> annotated_launches(const std::string& folder);

// What does not hold, a sentence each. Traces in this process, and without the machine code, of
// which the disassembler alone takes 0.3 s: what is found in a kernel is found in its PTX.
[[nodiscard]] std::vector<std::string> mistakes_of(const AnnotatedLaunch& launch);

// The same of the findings of trace's JSON alone.
[[nodiscard]] std::vector<std::string> mistaken_findings(const AnnotatedLaunch& launch,
                                                         const std::string& trace_json);

}  // namespace tilescope
