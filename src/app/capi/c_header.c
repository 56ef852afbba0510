/* The header is C: this file says so to a C compiler. */
#include "app/capi/kernelagent.h"

_Static_assert(KERNELAGENT_ABI == 1, "the functions below are those of this version");
_Static_assert(sizeof(kernelagent_start((const char*)0, (char**)0)) == sizeof(int64_t), "a handle has 64 bits");
