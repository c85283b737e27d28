// Ctrl-C and termination: the program ends at once with 128 + the signal, and leaves no half-drawn progress bar behind.
#pragma once

namespace tamis::app {

// A signal that is ignored from the start (nohup, a background job) stays so.
void EndOnSignals();

// What a signal finds on standard error: a progress bar to wipe, or not.
void SetBarShown(bool shown);

}  // namespace tamis::app
