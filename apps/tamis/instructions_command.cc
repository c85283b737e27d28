// tamis instructions: the presets by name.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "flag_checks.h"
#include "json_text.h"
#include "output.h"
#include "tamis/options.h"

namespace tamis::app {
namespace {

int Run(const std::string& format) {
  for (const InstructionPreset& preset : InstructionPresets()) {
    if (format == "json") {
      Print(fmt::format("{{\"name\":{},\"language\":{},\"text\":{},\"measured\":{}}}\n", QuotedText(preset.name),
                        QuotedText(preset.language), QuotedText(preset.text), preset.measured));
    } else {
      Print(fmt::format("{:<24} {:<4} {}\n{:<29} {}\n", preset.name, preset.language,
                        preset.measured ? "effect measured" : "effect not measured", "", preset.text));
    }
  }
  return FlushOutput(kExitOk);
}

}  // namespace

void AddInstructionsCommand(CLI::App& app, CommandLine* line) {
  auto format = std::make_shared<std::string>("text");
  CLI::App* command = app.add_subcommand("instructions", "list the instruction presets");
  command->add_option("-f,--format", *format, "text (default) or json (one object a line)")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer(
      "Use one with --instruction preset:NAME or --preset NAME. An instruction can also hurt: compare on your own "
      "data.");
  command->callback([format, line] { line->run = [format] { return Run(*format); }; });
}

}  // namespace tamis::app
