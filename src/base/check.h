// CHECK: for programmer errors only. Input from outside (files, requests) never reaches one.
#pragma once

namespace tamis {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace tamis

#define TAMIS_CHECK(condition)                                              \
  do {                                                                      \
    if (!(condition)) ::tamis::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

#ifdef NDEBUG
#define TAMIS_DCHECK(condition) \
  do {                          \
  } while (false)
#else
#define TAMIS_DCHECK(condition) TAMIS_CHECK(condition)
#endif
