// The program: chooses the subcommand and turns what goes wrong into a message and an exit code.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "suggest.h"
#include "tamis/reranker.h"

namespace tamis::app {
namespace {

std::vector<std::string> Choices(const CLI::App& app, bool flags) {
  std::vector<std::string> out;
  if (flags) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
    }
    return out;
  }
  for (const CLI::App* command : app.get_subcommands({})) out.push_back(command->get_name());
  return out;
}

std::string DidYouMean(const std::string& near) {
  return near.empty() ? near : fmt::format("; did you mean {}?", near);
}

// The first argument that looks like a flag and is none of the command's.
std::string UnknownFlag(const std::vector<std::string>& arguments, const std::vector<std::string>& known) {
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (flag.starts_with("--") && std::find(known.begin(), known.end(), flag) == known.end()) return flag;
  }
  return "";
}

// The message for a command line that is not understood, with what it should have said where that can be guessed.
std::string UsageMessage(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const CLI::App* chosen : app.get_subcommands()) command = chosen;
  if (arguments.empty()) return "a command is missing (see tamis --help)";
  if (command == &app && !arguments[0].starts_with("-")) {
    const std::string near = Nearest(arguments[0], Choices(app, false));
    return fmt::format("there is no command \"{}\"{} (see tamis --help)", arguments[0], DidYouMean(near));
  }
  const std::vector<std::string> known = Choices(*command, true);
  const std::string unknown = UnknownFlag(arguments, known);
  const bool extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (!extra || unknown.empty()) return error.what();
  return fmt::format("there is no flag {}{} (see tamis {}--help)", unknown, DidYouMean(Nearest(unknown, known)),
                     command == &app ? "" : command->get_name() + " ");
}

// CLI11 takes an argument "[a, b]" for a list and would cut it at its commas. A mark behind the bracket hides it, and
// each option takes the mark away again before it looks at its value.
constexpr char kBracketMark = '\x1f';

void ProtectBrackets(CLI::App& app, std::vector<std::string>* arguments) {
  for (std::string& argument : *arguments) {
    if (argument.starts_with('[') && argument.ends_with(']')) argument += kBracketMark;
  }
  const auto unmark = [](std::string& value) {
    if (value.ends_with(kBracketMark)) value.pop_back();
    return std::string();
  };
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->transform(CLI::Validator(unmark, ""));
    }
  }
}

// Cuts the arguments at "--" and returns what stands behind it (CLI11 refuses it once a text went before).
std::vector<std::string> TakeRest(std::vector<std::string>* arguments) {
  const auto dashes = std::find(arguments->begin(), arguments->end(), "--");
  if (dashes == arguments->end()) return {};
  std::vector<std::string> rest(dashes + 1, arguments->end());
  arguments->erase(dashes, arguments->end());
  return rest;
}

int Main(int argc, char** argv) {
  EndOnSignals();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is noticed when writing
  CLI::App app("tamis puts documents in order of relevance to a query, on ordinary CPUs.", "tamis");
  app.set_version_flag("--version", std::string(Version()));
  app.require_subcommand(1);
  app.footer(
      "tamis COMMAND --help has the flags and examples of each command.\n"
      "Exit codes: 0 done, 1 something failed (said on standard error), 2 flags that make no sense, 130 interrupted.");
  CommandLine line;
  AddRerankCommand(app, &line);
  AddScoreCommand(app, &line);
  AddTokenizeCommand(app, &line);
  AddInfoCommand(app, &line);
  AddInstructionsCommand(app, &line);
  AddBenchCommand(app, &line);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  line.rest = TakeRest(&arguments);
  std::vector<std::string> reversed = arguments;
  ProtectBrackets(app, &reversed);
  std::reverse(reversed.begin(), reversed.end());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help, --version
      app.exit(error);
      return FlushOutput(kExitOk);
    }
    return FailUsage(UsageMessage(app, error, arguments));
  }
  if (!line.rest.empty()) return FailUsage(fmt::format("\"{}\" after -- is not expected", line.rest[0]));
  return line.run();
}

}  // namespace
}  // namespace tamis::app

int main(int argc, char** argv) {
  try {
    return tamis::app::Main(argc, argv);
  } catch (const std::bad_alloc&) { tamis::app::PrintError("out of memory"); } catch (const std::exception& error) {
    tamis::app::PrintError(error.what());
  }
  return tamis::app::kExitFailure;
}
