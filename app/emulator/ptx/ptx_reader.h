#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/result.h"
#include "emulator/ptx/ptx_lexer.h"
#include "emulator/ptx/ptx_scope.h"
#include "emulator/ptx/ptx_syntax.h"

namespace tilescope {

// The recursive-descent reader behind parse_ptx(). Its methods return false once error_ is set.
// Module-level text: ptx_parser.cpp; declarations: ptx_declarations.cpp; bodies:
// ptx_statements.cpp.
class PtxReader {
 public:
  explicit PtxReader(std::string_view text) : lexer_(text) {}
  Result<PtxModule> read();

 private:
  bool read_module_item();
  bool read_version(std::uint32_t line);
  bool read_target();
  bool read_file();
  bool skip_section();
  bool read_function(bool is_entry, bool is_extern);
  bool read_parameters(bool declare, std::vector<std::uint32_t>* variables);
  bool skip_performance_directives(PtxFunction& function);
  void resolve_labels(PtxFunction& function);
  bool check_labels(const PtxFunction& function);

  struct Qualifiers {
    DataType type = DataType::kNone;
    std::uint32_t alignment = 0;
    std::uint32_t vector = 1;
  };
  bool read_qualifiers(Qualifiers* qualifiers);
  bool read_variables(MemorySpace space, bool is_extern, bool in_function);
  bool read_one_variable(MemorySpace space, const Qualifiers& qualifiers, bool is_extern,
                         std::uint32_t* index);
  bool read_extents(PtxVariable& variable);
  bool read_initialiser(PtxVariable& variable);
  bool read_initial_value(PtxVariable& variable);
  bool read_address(PtxVariable& variable, std::uint64_t mask);
  bool read_addend(PtxRelocation* relocation);
  bool read_registers();

  bool read_body(PtxFunction& function);
  bool read_statement(PtxFunction& function);
  bool read_body_directive(PtxFunction& function);
  bool read_location();
  bool read_label_rest(PtxFunction& function, const PtxToken& name);
  bool read_instruction(PtxFunction& function);
  bool read_operands(PtxFunction& function, PtxInstruction& instruction);
  bool read_operand(PtxFunction& function, PtxOperand* operand);
  bool read_simple_operand(PtxOperand* operand);
  bool read_address(PtxFunction& function, PtxOperand* operand);
  bool read_elements(PtxFunction& function, char close, PtxOperand* operand);
  bool read_displacement(PtxOperand* operand);
  bool resolve_name(const PtxToken& name, PtxOperand* operand);

  bool skip_to_semicolon();
  bool expect(char punctuation, std::string_view where);
  bool expect_identifier(PtxToken* name, std::string_view what);
  bool expect_integer(std::uint64_t* value, std::string_view what);
  bool fail(std::string message);
  bool fail_at(std::uint32_t line, std::string message, std::string remedy = "");
  bool check_integer(const PtxToken& token);  // that its value fits
  [[nodiscard]] Error placed_error() const;

  PtxLexer lexer_;
  PtxModule module_;
  PtxScopes scopes_;
  PtxFunction* function_ = nullptr;
  std::unordered_map<std::string_view, std::uint32_t> module_variables_;
  std::unordered_map<std::uint64_t, std::uint16_t> file_index_;      // PTX file number -> files
  std::unordered_map<std::uint64_t, std::uint32_t> location_index_;  // of inlined .locs, by place
  std::uint32_t location_ = kNoIndex;
  bool failed_ = false;
  Error error_;
};

}  // namespace tilescope
