/*
 * kept - keep archives for later builds in a directory of the store.
 *
 * Chambers have ids of their own, so all users may read the files there; STORE/tmp is closed to
 * other users. We do not use a directory that another user owns, or may write to. A file gets its
 * name when it is complete. We keep the most recently used files: a build that may use one holds a
 * shared lock, and we remove files under an exclusive one. Neither waits for the other, and a build
 * that cannot keep a file succeeds without.
 *
 * Runs: glovebox-image. Needs: write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_STORE_KEPT_H
#define GLOVEBOX_ROOTFS_STORE_KEPT_H

#include <stdbool.h>

#include "store.h"

#define KEPT_KEY_LENGTH  64           /* hexadecimal digits; a file is KEY.tar or KEY.<kind> */
#define KEPT_BYTES       (2ull << 30) /* of one archive */
#define KEPT_BYTES_TOTAL (8ull << 30)

struct kept {
	char *path; /* of the directory; NULL: keep nothing */
	int fd;
	int lock_fd;
};

/* @directory, @lock  names in STORE/tmp. End with kept_close(). */
void kept_open(const struct store *store, const char *directory, const char *lock,
	       struct kept *out);
void kept_close(struct kept *k);

/* Whether KEY.kind exists; this counts as a use. */
bool kept_use(const struct kept *k, const char *key, const char *kind);

/* Open it to read; owned. -1: it does not exist. */
int kept_open_file(const struct kept *k, const char *key, const char *kind);

/* Make a file without a name, which ends with us. -1: failed. */
int kept_new_file(const struct kept *k);

/* Name it. 1; 0: another build has named one meanwhile, which stays; -1: it has no name. */
int kept_name(const struct kept *k, int fd, const char *key, const char *kind);

/*
 * kept_receive - read a new file to its end. -1: it cannot be kept, for example because it is
 * longer than KEPT_BYTES; then abandon its writer, which may be endless.
 */
int kept_receive(const struct kept *k, int from_fd);

/*
 * kept_sweep - remove the least recently used archives, unless another build may use one. This
 * build no longer uses any.
 * @most       how many stay
 * @companion  the kind of another file of the same key, removed with it
 */
void kept_sweep(const struct kept *k, size_t most, const char *companion);

#endif
