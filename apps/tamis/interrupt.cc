#include "interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace tamis::app {
namespace {

volatile std::sig_atomic_t bar_shown = 0;

extern "C" void EndNow(int signal) {  // only what a signal handler may call
  constexpr std::string_view kWipe = "\r\033[K";
  if (bar_shown != 0 && write(STDERR_FILENO, kWipe.data(), kWipe.size()) < 0) {}
  _exit(128 + signal);
}

}  // namespace

void EndOnSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, EndNow) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

void SetBarShown(bool shown) { bar_shown = shown ? 1 : 0; }

}  // namespace tamis::app
