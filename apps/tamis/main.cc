// The program: chooses the subcommand and turns what goes wrong into a message and an exit code.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <csignal>
#include <exception>
#include <vector>

#include "commands.h"
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

// What the command line should have said, or nothing.
std::string Suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const CLI::App* chosen : app.get_subcommands()) command = chosen;
  if (command == &app && !arguments.empty() && !arguments[0].starts_with("-")) {
    const std::vector<std::string> names = Choices(app, false);
    const std::string near = Nearest(arguments[0], names);
    return near.empty() ? near : fmt::format("; did you mean \"{}\"?", near);
  }
  const std::vector<std::string> known = Choices(*command, true);
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (!flag.starts_with("--") || std::find(known.begin(), known.end(), flag) != known.end()) continue;
    const std::string near = Nearest(flag, known);
    if (!near.empty()) return fmt::format("; did you mean {}?", near);
  }
  return "";
}

int Main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "");
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is noticed when writing
  CLI::App app("tamis puts documents in order of relevance to a query, on ordinary CPUs.", "tamis");
  app.set_version_flag("--version", std::string(Version()));
  app.require_subcommand(1);
  app.footer("tamis COMMAND --help has the flags and examples of each command.");
  Action run;
  AddRerankCommand(app, &run);
  AddScoreCommand(app, &run);
  AddTokenizeCommand(app, &run);
  AddInfoCommand(app, &run);
  AddInstructionsCommand(app, &run);
  AddBenchCommand(app, &run);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {  // --help, --version
      app.exit(error);
      return FlushOutput(kExitOk);
    }
    return FailUsage(std::string(error.what()) + Suggestion(app, arguments));
  }
  return run();
}

}  // namespace
}  // namespace tamis::app

int main(int argc, char** argv) {
  try {
    return tamis::app::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    tamis::app::PrintError("out of memory");
  } catch (const std::exception& error) {
    tamis::app::PrintError(error.what());
  }
  return tamis::app::kExitFailure;
}
