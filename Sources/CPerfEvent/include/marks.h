// Marks sent to a recorder over an abstract Unix socket, which needs no file and ends with its owner.
#ifndef LULL_CPERFEVENT_MARKS_H
#define LULL_CPERFEVENT_MARKS_H

#include <stddef.h>
#include <sys/types.h>

/// A socket on which marks for a process are taken; it never blocks. `space` tells ids of one PID namespace from those
/// of another: sockets' names are the network namespace's.
int lull_mark_listen(const char *space, pid_t pid);
/// Takes one message; gives its length, with the connection and the sender's user.
int lull_mark_accept(int listener, char *message, size_t size, int *connection, uid_t *sender);
/// Answers and closes the connection.
void lull_mark_answer(int connection, const char *answer);
/// Sends a message to the recorder of a process and takes its answer; -ECONNREFUSED if there is none.
int lull_mark_send(const char *space, pid_t pid, const char *message, char *answer, size_t size);

#endif
