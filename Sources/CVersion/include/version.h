#ifndef LULL_VERSION_H
#define LULL_VERSION_H

/// The commit that was built, as its builder told (`LULL_COMMIT` in the environment); empty where he did not.
const char *_Nonnull lull_commit(void);

#endif
