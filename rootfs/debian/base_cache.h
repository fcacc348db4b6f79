/*
 * base_cache - keep Debian roots with the packages of a base between builds.
 *
 *   STORE/tmp/.kept/KEY.tar     the root after their installation; unpacked in chambers only
 *   STORE/tmp/.kept/KEY.status  dpkg's status then, written before any of them ran
 *
 * hooks/fetch.sh makes the key of the names, versions and sizes of all packages, so a base is never
 * older than its mirror. We keep a few (kept.h). A build that may use one holds their lock from
 * before it fetches, because its downloads depend on the kept ones.
 *
 * Runs: glovebox-image. Needs: write access to the store.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_BASE_CACHE_H
#define GLOVEBOX_ROOTFS_DEBIAN_BASE_CACHE_H

#include <stdbool.h>

#include "rootfs/store/kept.h"
#include "rootfs/store/store.h"

struct base_cache {
	struct kept kept;
	char key[KEPT_KEY_LENGTH + 1]; /* of this build's base; "": unknown yet */
	bool hit;                      /* the base is kept */
	int status_fd;                 /* status of a new one, until its root is packed */
};

/* @store  borrowed for this call. End with base_cache_close(). */
void base_cache_open(const struct store *store, struct base_cache *out);
void base_cache_close(struct base_cache *c);

/*
 * base_cache_look - after the step "fetch": find the base's key, and whether it is kept.
 * @build  the directory of the build; only programs of the host have written to it
 */
void base_cache_look(struct base_cache *c, const char *build);

/*
 * base_cache_receive - read the archive of a new base to its end.
 * @from_fd  borrowed. base_cache_keep() keeps the archive, once its writer has succeeded.
 * Returns an owned descriptor of it, or -1 if it cannot be kept.
 */
int base_cache_receive(const struct base_cache *c, int from_fd);
void base_cache_keep(struct base_cache *c, int archive_fd);

#define auto_base_cache __attribute__((cleanup(base_cache_close)))

#endif
