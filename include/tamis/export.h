// TAMIS_EXPORT marks what the shared library shows to programs; everything else stays hidden.
#pragma once

#define TAMIS_EXPORT __attribute__((visibility("default")))
