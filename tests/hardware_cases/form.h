#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

// What a lane gives to an instruction or gets from it; read from forms.txt.
struct Slot {
  std::string type;  // b16 b32 b64 f32 f64 pred; h2 bf2 q4 t1 f1 d1: fragments of small numbers
  unsigned count = 1;
  bool is_vector = false;
  std::string immediate;  // "=0xff": no register
};

// How far an approximate result may be off. Empty kind: not at all.
struct Tolerance {
  std::string kind;  // ulp abs rel absrel half bhalf sum sum16
  double limit = 0;
};

struct Form {
  int line = 0;
  std::string opcode;
  Slot result;
  std::vector<Slot> operands;
  Tolerance tolerance;
};

// Every form of the file, its braces spread out.
[[nodiscard]] std::vector<Form> load_forms(const std::filesystem::path& file);

// One module with a kernel for each form, named by its place:
// k7(out, operand 0, operand 1 ...). Thread i works on cells i * count .. of 8 bytes each.
[[nodiscard]] std::string module_for(const std::vector<Form>& forms);

// Operand values for `threads` threads: edges of the type in every combination of the first two
// operands, then random bits, random numbers of moderate size and small integers.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> inputs_for(const Form& form,
                                                                 std::size_t threads);

[[nodiscard]] unsigned bytes_of_slot(const Slot& slot);  // of one element

}  // namespace tilescope
