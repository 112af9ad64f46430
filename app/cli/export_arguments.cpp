#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/export_command.h"
#include "cli/export_names.h"
#include "cli/kernel_arguments.h"
#include "cli/option_errors.h"

// The options of `tilescope export` as they are typed.
namespace tilescope {

void add_export_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand(
      "export", "write a view or chart into a file; needs no display and no GPU");
  add_kernel_options(*command, arguments->kernel);
  command->get_option("kernel")->required(false);
  command->add_option("--session", arguments->session, "a session file instead of a kernel");
  command->add_option("--variant", arguments->variant, "session: A to D; else the active one");
  command->add_flag("--all", arguments->all,
                    "session: every view of every variant, into the folder -o");
  command
      ->add_option("--format", arguments->format,
                   "with --all: svg, pdf, png, csv, json, gif or mp4")
      ->capture_default_str();
  command->add_option("--view", arguments->view, view_names())->capture_default_str();
  command
      ->add_option("-o,--output", arguments->output,
                   "a file ending in .svg, .pdf or .png; .csv or .json: the numbers it draws; "
                   ".gif or .mp4: the view while time runs; with --all a folder")
      ->required();
  command->add_option(
      "--over", arguments->over,
      "throughput: the parameter along the axis, or size; of a session that kept its "
      "launches time too");
  command->add_option("--unit", arguments->unit,
                      "throughput: " + unit_names() + "; else the problem's own");
  command->add_flag("--history", arguments->history,
                    "throughput, tuner, roofline, compare, pipeline: your own measurements "
                    "(tilescope history) before the recorded ones");
  command->add_flag("!--warm", arguments->cold,
                    "throughput: what was measured with a warm L2; else with a cold one");
  command->add_option("--at", arguments->step, "step of the block's main loop, from 1");
  command->add_option("--moment", arguments->moment,
                      "instruction of the block's trace to stand at, from 0");
  command->add_option("--line", arguments->line, "source line whose access to show");
  command->add_option("--block-index", arguments->block, "X[,Y[,Z]]: the block to trace");
  command->add_option("--warp", arguments->warp, "warp of that block");
  command->add_option("--lane", arguments->lane, "lane to mark, 0 to 31");
  command->add_option("--theme", arguments->theme, "dark, light or paper")->capture_default_str();
  command->add_option("--pixels", arguments->pixels, "WIDTHxHEIGHT")->capture_default_str();
  command->add_option(
      "--device", arguments->device,
      "occupancy: show it on this one, part of a name of list --devices; session: compute its "
      "views for this one, else for the one that it was measured on");
  CompareArguments& compare = arguments->compare;
  command
      ->add_option("--beside", compare.beside,
                   "compare: KERNEL[,NAME=VALUE]... or a file, up to three times; the kernel "
                   "itself is A")
      ->take_all();
  command->add_option("--panes", compare.panes, "compare: the view that each pane shows");
  command->add_option("--against", compare.against, "compare: letter of the base")
      ->capture_default_str();
  command->add_option("--subject", compare.subject,
                      "compare: letter of the one that the sentence is about; the last");
  command->add_flag("--overlay", compare.overlay, "compare: over one another");
  command->add_option("--set", arguments->settings,
                      "NAME=NUMBER, repeatable: what a click in a view sets: lane_window, "
                      "latency_cycles");
  command->add_option("--camera", arguments->camera,
                      "tiling: ZOOM,X,Y: how far the matrices are zoomed in, and where");
  command->add_option("--time-zoom", arguments->time_zoom, "pipeline: 2 shows half the cycles")
      ->check(between(0.01, 1000.0));
  command
      ->add_option("--scale", arguments->scale,
                   ".png, .gif, .mp4: device pixels in a px of --pixels")
      ->check(between(1.0, 4.0));
  command
      ->add_option("--text-scale", arguments->text_scale,
                   "size of the text, 1.6 for a lecture hall")
      ->check(between(kLeastTextScale, kMostTextScale));
  command->add_option("--from", arguments->from,
                      ".gif, .mp4: the first moment, from 0, or step:N; else the block's first");
  command->add_option("--to", arguments->to, ".gif, .mp4: the last one; else the block's last");
  command->add_option("--fps", arguments->frames_per_second, ".gif, .mp4: frames a second, 1 to 50")
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, ".gif, .mp4: how long it takes")
      ->capture_default_str();
  command->add_option("--date", arguments->date,
                      "2026-11-30: stated in the file; else SOURCE_DATE_EPOCH's, or that of the "
                      "measurements shown");
  command->add_flag("--whole-grid", arguments->whole_grid,
                    "count every block, as the window does in the end, instead of a sample");
  command->add_flag("--as-written", arguments->as_written,
                    "source, counters: count the PTX instead of the machine code");
  command->add_flag("--side-by-side", arguments->side_by_side,
                    "source: its PTX and machine code beside it");
  command->add_flag("--heat", arguments->heat, "tiling: colour by how often each element is read");
  command->callback([arguments, command, &context] {
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() > 0) arguments->given.push_back(option->get_name());
    }
    context.status = export_picture(*arguments);
  });
}

}  // namespace tilescope
