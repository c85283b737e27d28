// What this machine can do at most: the kernels' register-only loops on all threads at once.
#pragma once

#include <string>

#include "base/cpu_features.h"
#include "tamis/options.h"

namespace tamis::app {

// Operations a second of the densest multiply-add of `isa`, on `threads` threads, best of several short runs.
double MeasurePeakOps(Isa isa, Precision precision, int threads);

// The instruction set that peak_share is counted against: the one in use, but AVX-512 VNNI where tiles are in use, so
// that shares compare across machines.
Isa PeakIsa(Isa in_use);

}  // namespace tamis::app
