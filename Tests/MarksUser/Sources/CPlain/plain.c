#include "plain.h"

__attribute__((noinline)) void plain_call(const char *name) {
  __asm__ volatile("" : : "r"(name) : "memory");
}
