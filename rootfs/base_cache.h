/*
 * base_cache - Debian roots with the packages of a base, kept between builds.
 *
 *   STORE/tmp/.kept/KEY.tar     the root after their installation; unpacked in chambers only
 *   STORE/tmp/.kept/KEY.status  what dpkg's status says then, written before any of them ran
 *
 * hooks/fetch.sh makes the key of the names, versions and sizes of all packages, so a base is never
 * older than its mirror. A few are kept (kept.h). A build that may use one holds their lock from
 * before it fetches, because what it fetches depends on what is there.
 *
 * Runs: glovebox-image. Needs: write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_BASE_CACHE_H
#define GLOVEBOX_ROOTFS_BASE_CACHE_H

#include <stdbool.h>

#include "base/err.h"
#include "kept.h"
#include "store.h"

struct base_cache {
	struct kept kept;
	char key[KEPT_KEY_LENGTH + 1]; /* of this build's base; "" until it is known */
	bool hit;                      /* it is there */
	int status_fd;                 /* the status of a new one, until its root is known */
};

/* @store  borrowed for this call. End with base_cache_close(). */
void base_cache_open(const struct store *store, struct base_cache *out);
void base_cache_close(struct base_cache *c);

/*
 * base_cache_look - after the step that fetches: which base is it, and is it there?
 * @build  the directory of the build; only programs of the host have worked in it
 */
void base_cache_look(struct base_cache *c, const char *build);

/*
 * base_cache_receive - read the archive of a new base to its end.
 * @from_fd  borrowed. It is kept by base_cache_keep(), once its writer is known to have succeeded.
 * Returns an owned descriptor of it, or -1 if it cannot be kept.
 */
int base_cache_receive(const struct base_cache *c, int from_fd);
void base_cache_keep(struct base_cache *c, int archive_fd);

#define auto_base_cache __attribute__((cleanup(base_cache_close)))

#endif
