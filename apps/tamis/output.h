// Standard output that notices when it fails, and messages on standard error.
#pragma once

#include <string>
#include <string_view>

#include "tamis/status.h"

namespace tamis::app {

// Writes to standard output. False once writing has failed; see FlushOutput().
bool Print(std::string_view text);

// Flushes. Returns the exit code that the run ends with: `code` where all was written or the reader went away (a closed
// pipe is not a fault), 1 with a message where the disk is full or the like.
int FlushOutput(int code);

// True if nothing can be written any more: there is no use in going on.
bool OutputFailed();

// Print() and hand over at once: what was done is not lost, whatever comes.
bool PrintAndFlush(std::string_view text);

// "tamis: <text>" on standard error, as one line.
void PrintError(std::string_view text);
void PrintNote(std::string_view text);  // the same, of what is no error
int Fail(const Status& status);  // prints; the exit code that goes with it
int FailUsage(std::string_view text);

bool StderrIsTerminal();
bool StdoutIsTerminal();
int TerminalColumns();  // of standard output; $COLUMNS or 80 where it is none

}  // namespace tamis::app
