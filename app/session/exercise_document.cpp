#include "session/exercise_document.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/launch/launch_form.h"
#include "scene/view/default_selection.h"

namespace tilescope {
namespace {

// "f32[64x96]=random:1" or "i32:5", as launch_of() makes them, field by field.
ArgumentForm form_of(const ExerciseArgument& argument, const std::string& text) {
  ArgumentForm form;
  form.name = argument.name;
  form.type = argument.type;
  form.is_buffer = argument.value.empty();
  form.declared = argument.type + (form.is_buffer ? "*" : "");
  if (!form.is_buffer) {
    form.value = text.substr(text.find(':') + 1);
    return form;
  }
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  form.count = text.substr(open + 1, close - open - 1);
  form.fill = text.substr(close + 2);
  return form;
}

}  // namespace

Result<VariantDocument> variant_of(const Exercise& exercise, const KernelFile& own) {
  auto launch = launch_of(exercise, exercise.sizes.front(), 1);
  if (!launch) return std::move(launch).error();
  VariantDocument variant;
  variant.file = own.path;
  variant.original = share_text(own.source);
  variant.launch.kernel = launch->kernel;
  variant.launch.grid = launch->grid;
  variant.launch.block = launch->block;
  variant.launch.dynamic_shared = launch->dynamic_shared;
  for (std::size_t i = 0; i < launch->arguments.size(); ++i) {
    variant.launch.arguments.push_back(form_of(exercise.arguments[i], launch->arguments[i]));
  }
  if (const auto instance = launch_file(own, *launch)) {
    variant.selection.block = default_block(instance->grid);
  }
  return variant;
}

}  // namespace tilescope
