// The program's subcommands. Each adds its flags to `app` and leaves an action in `run` that main() calls when the
// subcommand was chosen. The action returns the exit code.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace tamis::app {

// Exit codes, documented in docs/cli.md.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // a model, file or request that did not work
inline constexpr int kExitUsage = 2;    // flags that make no sense

using Action = std::function<int()>;

void AddRerankCommand(CLI::App& app, Action* run);
void AddScoreCommand(CLI::App& app, Action* run);
void AddTokenizeCommand(CLI::App& app, Action* run);
void AddInfoCommand(CLI::App& app, Action* run);
void AddInstructionsCommand(CLI::App& app, Action* run);
void AddBenchCommand(CLI::App& app, Action* run);

}  // namespace tamis::app
