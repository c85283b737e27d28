#include "output.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "commands.h"

namespace tamis::app {
namespace {

int output_error = 0;  // errno of the first failed write

void Remember(bool ok) {
  if (!ok && output_error == 0) output_error = errno != 0 ? errno : EIO;
}

}  // namespace

bool Print(std::string_view text) {
  if (output_error != 0) return false;
  errno = 0;
  Remember(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
  return output_error == 0;
}

bool PrintAndFlush(std::string_view text) {
  if (!Print(text)) return false;
  errno = 0;
  Remember(std::fflush(stdout) == 0);
  return output_error == 0;
}

int FlushOutput(int code) {
  errno = 0;
  if (output_error == 0) Remember(std::fflush(stdout) == 0);
  if (output_error == 0 || output_error == EPIPE) return code;
  PrintError(fmt::format("cannot write to standard output: {}", std::strerror(output_error)));
  return kExitFailure;
}

bool OutputFailed() { return output_error != 0; }

void PrintError(std::string_view text) {
  std::string line = fmt::format("tamis: {}", text);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void PrintNote(std::string_view text) { PrintError(text); }

int Fail(const Status& status) {
  PrintError(status.message());
  return FlushOutput(kExitFailure);
}

int FailUsage(std::string_view text) {
  PrintError(text);
  return kExitUsage;
}

bool StderrIsTerminal() { return isatty(STDERR_FILENO) == 1; }
bool StdoutIsTerminal() { return isatty(STDOUT_FILENO) == 1; }

int TerminalColumns() {
  constexpr int kDefault = 80;
  constexpr int kLeast = 40;
  winsize size{};
  int columns = kDefault;
  if (const char* set = std::getenv("COLUMNS"); set != nullptr && std::atoi(set) > 0) {
    columns = std::atoi(set);
  } else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    columns = size.ws_col;
  }
  return columns < kLeast ? kLeast : columns;
}

}  // namespace tamis::app
