/*
 * debian - make a Debian root with mmdebstrap and pip, and return it as a tar stream.
 *
 * Theory of operation. These steps, each in a chamber of its own (chamber.h), pass a directory on:
 *
 *   fetch    network     apt downloads; only programs of the host run, none of a package
 *   base     no network  maintainer scripts of the base's packages, unless the base is kept
 *   save     no network  tar writes that root to the store (base_cache.h)
 *   install  no network  unpack a kept base; maintainer scripts
 *   wheels   network     pip downloads (only for wheels); the root's python3
 *   finish   no network  pip installs, imports modules, makes caches; an hour at most
 *   pack     no network  tar writes the stream; no program of the root runs
 *
 * It works alike for root and for an ordinary user: the store never contains files under foreign
 * ids, because only the stream arrives, and extract.c unpacks it like any archive.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_DEBIAN_H
#define GLOVEBOX_ROOTFS_DEBIAN_DEBIAN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"
#include "base_cache.h"
#include "recipe.h"
#include "rootfs/chamber/chamber.h"
#include "rootfs/chamber/scratch.h"
#include "rootfs/chamber/subids.h"

struct debian_request {
	const struct recipe *recipe;
	const char *suite;
	const char *share;          /* directory with hooks/ */
	const struct list *mirrors; /* "deb URI SUITE main" lines or URLs */
	unsigned stale_days;        /* maximum age of an index that its mirror declares expired */
	struct base_cache *bases;   /* NULL: keep no bases, and use none */
	bool allow_sdist;
};

struct debian {
	struct chamber last; /* the step that writes the stream, which is its out_fd */
	struct scratch scratch;
	struct subids ids;
};

/*
 * Check before the build that this machine has its requirements: ERR_UNSUPPORTED with the remedy,
 * or an error for files that cannot be read.
 */
int debian_check(const struct recipe *recipe, struct err *e);

/* Run all steps but the last, and start that; *out owned, end with debian_finish(). */
int debian_start(const struct debian_request *q, struct debian *out, struct err *e);

/*
 * debian_finish - wait for the last step, and report whether it succeeded.
 * @abandon  end it, and report only an earlier error.
 */
int debian_finish(struct debian *d, bool abandon, struct err *e);

#endif
