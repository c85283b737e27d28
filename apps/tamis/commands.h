// The program's subcommands. Each adds its flags to `app` and leaves an action that main() calls when the subcommand
// was chosen. The action returns the exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 spells it
class App;
}

namespace tamis::app {

// Exit codes, documented in docs/cli.md.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // a model, file or request that did not work
inline constexpr int kExitUsage = 2;  // flags that make no sense
// 128 + signal where a signal ended the program (interrupt.h)

struct CommandLine {
  std::vector<std::string> rest;  // what stands behind "--"; a command that wants it takes it away
  std::function<int()> run;
};

void AddRerankCommand(CLI::App& app, CommandLine* line);
void AddScoreCommand(CLI::App& app, CommandLine* line);
void AddTokenizeCommand(CLI::App& app, CommandLine* line);
void AddInfoCommand(CLI::App& app, CommandLine* line);
void AddInstructionsCommand(CLI::App& app, CommandLine* line);
void AddBenchCommand(CLI::App& app, CommandLine* line);

}  // namespace tamis::app
