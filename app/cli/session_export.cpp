#include "cli/session_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/command.h"
#include "cli/export_options.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/resources.h"
#include "cli/session_charts.h"
#include "cli/session_pictures.h"
#include "cli/session_wanted.h"
#include "session/session_file.h"
#include "session/variant_instance.h"

namespace tilescope {
namespace {

Error of_variant(Error error, const Wanted& wanted, const Document& document) {
  error.message = fmt::format("variant {} ({}): {}", letter_of(wanted.variant),
                              title_of(document.variants[wanted.variant]), error.message);
  return error;
}

}  // namespace

int export_session(const ExportArguments& arguments) {
  const auto resources = load_resources();
  if (!resources) return report(resources.error());
  const auto loaded = read_session(arguments.session, {resources->catalogue, resources->devices});
  if (!loaded) return report(loaded.error());
  for (const std::string& remark : loaded->remarks) print_error("{}\n", remark);
  if (Status applies = check_options(arguments); !applies) return report(applies.error());
  Document document = loaded->document;
  const auto wanted = wanted_pictures(arguments, document, *resources);
  if (!wanted) return report(wanted.error());
  const auto architecture = parse_architecture(arguments.kernel.architecture);
  if (!architecture) return report(architecture.error());
  if (!arguments.all) {
    VariantDocument& variant = document.variants[wanted->front().variant];
    if (Status changed = change_parameters(arguments, *resources, &variant); !changed) {
      return report(changed.error());
    }
  }
  auto device = device_of(document, *resources, *architecture);
  if (!arguments.device.empty()) {
    const auto named = find_named_device(arguments.device, resources->devices);
    if (!named) return report(named.error());
    device = resources->devices[static_cast<std::size_t>(*named)];
    if (device.compute_capability != *architecture) {
      return report(
          usage(fmt::format("--device {} is of sm_{}", device.name, device.compute_capability),
                fmt::format("Give --arch sm_{} too", device.compute_capability)));
    }
  }
  SessionPictures pictures(document, *resources, arguments, device);
  int worst = 0;
  for (const Wanted& variant : *wanted) {
    const Status done = pictures.write(variant);
    if (!done) worst = std::max(worst, report(of_variant(done.error(), variant, document)));
  }
  return worst;
}

}  // namespace tilescope
