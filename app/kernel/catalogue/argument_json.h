#pragma once

#include <string>
#include <vector>

#include "core/json_document.h"
#include "kernel/catalogue/problem.h"

namespace tilescope {

// The text of an expression that can be parsed. `names`: what it may name; nullptr: anything.
[[nodiscard]] std::string read_expression(const JsonDocument::Node& node,
                                          const std::vector<std::string>* names);

[[nodiscard]] ElementType read_element_type(const JsonDocument::Node& node);

// A buffer: `from`, with what the object states. Where `from` has no shape the object must say
// type, shape and fill.
[[nodiscard]] ArgumentTemplate read_buffer(const JsonDocument::Node& node, ArgumentTemplate from,
                                           const std::vector<std::string>* names);

// Of a buffer: that name is a valid one of a macro, a size or a parameter.
[[nodiscard]] bool is_identifier(std::string_view name);

// A file of at most 1 MiB.
[[nodiscard]] Result<std::string> read_catalogue_file(const std::filesystem::path& path);

}  // namespace tilescope
