// A function that does nothing, which a call of a mark is compared with.
#ifndef PLAIN_H
#define PLAIN_H
void plain_call(const char *name);
#endif
