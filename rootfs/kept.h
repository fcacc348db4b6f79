/*
 * kept - archives that builds keep for later builds, in a directory of the store.
 *
 * Chambers have ids of their own, so all may read the files there; STORE/tmp is closed to other
 * users. A directory that another user owns, or may write to, keeps nothing. A file has no name
 * before it is whole. Those that were used last are kept: a build that may use one holds a shared
 * lock, and files are removed under an exclusive one. Nobody waits for either, and a build that
 * cannot keep something succeeds without.
 *
 * Runs: glovebox-image. Needs: write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_KEPT_H
#define GLOVEBOX_ROOTFS_KEPT_H

#include <stdbool.h>

#include "store.h"

#define KEPT_KEY_LENGTH  64           /* hexadecimal digits; a file is KEY.tar or KEY.<kind> */
#define KEPT_BYTES       (2ull << 30) /* of one archive */
#define KEPT_BYTES_TOTAL (8ull << 30)

struct kept {
	char *path; /* of the directory; NULL: nothing is kept */
	int fd;
	int lock_fd;
};

/* @directory, @lock  names in STORE/tmp. End with kept_close(). */
void kept_open(const struct store *store, const char *directory, const char *lock,
	       struct kept *out);
void kept_close(struct kept *k);

/* Whether KEY.kind is there; it counts as used now. */
bool kept_use(const struct kept *k, const char *key, const char *kind);

/* Open it to read; owned. -1: it is not there. */
int kept_open_file(const struct kept *k, const char *key, const char *kind);

/* A file without a name: if we end, so does it. -1: none can be made. */
int kept_new_file(const struct kept *k);

/* Name it. 1; 0: another build has named one meanwhile, which stays; -1: it has no name. */
int kept_name(const struct kept *k, int fd, const char *key, const char *kind);

/*
 * kept_receive - read a new file to its end. -1: it cannot be kept, because it is longer than
 * KEPT_BYTES, for one; the rest is not read then, and its writer, who may have no end, is
 * abandoned.
 */
int kept_receive(const struct kept *k, int from_fd);

/*
 * kept_sweep - remove archives that were used longest ago, unless another build may use one. This
 * one uses none any more.
 * @most       how many stay
 * @companion  the kind of another file of the same key, which goes along
 */
void kept_sweep(const struct kept *k, size_t most, const char *companion);

#endif
