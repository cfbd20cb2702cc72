#ifndef LULL_CFILEUSER_H
#define LULL_CFILEUSER_H

#include <stdbool.h>
#include <sys/types.h>

/// With whose rights a thread touches files.
struct lull_file_user {
  uid_t uid;
  gid_t gid;
};

/// Makes the calling thread, and no other, touch files with a user's rights (setfsuid(2)); gives the rights before in
/// `before`. False where the kernel does not allow that, and nothing has changed then.
bool lull_act_as(struct lull_file_user user, struct lull_file_user *_Nonnull before);

#endif
