// Unroll<N>: a loop with constant indices, written out by the front end.
//
// Accumulators in an array stay in registers only if every index is a constant before GCC's scalar replacement runs,
// which is earlier than its loop unroller: with an unrolled `for` GCC 12 spills them inside the inner loop.
#pragma once

#include <utility>

// Marks a lambda that must be inlined: [&]<int i>() TAMIS_INLINE { ... }. The standard attribute syntax cannot stand
// there.
#define TAMIS_INLINE __attribute__((always_inline))

namespace tamis::kernels {
namespace {

template <class Body, int... kIndex>
[[gnu::always_inline]] inline void UnrollIndices(std::integer_sequence<int, kIndex...>, Body&& body) {
  (body.template operator()<kIndex>(), ...);
}

// body.operator()<i>() for i in [0, N). Mark the body TAMIS_INLINE.
template <int N, class Body>
[[gnu::always_inline]] inline void Unroll(Body&& body) {
  UnrollIndices(std::make_integer_sequence<int, N>{}, body);
}

}  // namespace
}  // namespace tamis::kernels
