#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tamis {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "tamis: internal error at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tamis
