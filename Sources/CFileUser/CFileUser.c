#include "CFileUser.h"

#include <sys/fsuid.h>

// Both calls give what was before, also when they fail; an id of -1 changes nothing.
static uid_t file_uid(void) { return (uid_t)setfsuid((uid_t)-1); }
static gid_t file_gid(void) { return (gid_t)setfsgid((gid_t)-1); }

bool lull_act_as(struct lull_file_user user, struct lull_file_user *before) {
  before->gid = file_gid();
  before->uid = file_uid();
  setfsgid(user.gid);
  setfsuid(user.uid);
  if (file_gid() == user.gid && file_uid() == user.uid) return true;
  setfsuid(before->uid);
  setfsgid(before->gid);
  return false;
}
