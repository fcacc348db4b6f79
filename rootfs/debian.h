/*
 * debian - make a Debian root with mmdebstrap and pip, and hand it over as a tar stream.
 *
 * Theory of operation. These steps, each in a chamber of its own (chamber.h), pass a directory on:
 *
 *   fetch    network     apt downloads; the host's programs only, nothing of a package runs
 *   base     no network  maintainer scripts of the base's packages, if it is not kept already
 *   save     no network  tar writes that root to the store (base_cache.h)
 *   install  no network  the kept base is unpacked, if there is one; maintainer scripts
 *   wheels   network     pip downloads (only if wheels are wanted); the root's python3
 *   finish   no network  pip installs, modules are imported, caches are made; an hour at most
 *   pack     no network  tar writes the stream; nothing of the root runs
 *
 * The same way for root and for an ordinary user: nothing of it ever lies in the store under
 * foreign ids, because only the stream arrives, and extract.c unpacks it as it unpacks any archive.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_H
#define GLOVEBOX_ROOTFS_DEBIAN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"
#include "base_cache.h"
#include "chamber.h"
#include "recipe.h"
#include "scratch.h"
#include "subids.h"

struct debian_request {
	const struct recipe *recipe;
	const char *suite;
	const char *share;          /* directory with hooks/ */
	const struct list *mirrors; /* "deb URI SUITE main" lines or URLs */
	unsigned stale_days;        /* how old an index may be that its mirror declares expired */
	struct base_cache *bases;   /* NULL: nothing is kept, or taken from there */
	bool allow_sdist;
};

struct debian {
	struct chamber last; /* the step that writes; its out_fd is the stream */
	struct scratch scratch;
	struct subids ids;
};

/*
 * Check what the build needs of this machine, before anything is made: ERR_UNSUPPORTED with the
 * remedy, or an error for files that cannot be read.
 */
int debian_check(const struct recipe *recipe, struct err *e);

/* Run all steps but the last, and start that; *out owned, end with debian_finish(). */
int debian_start(const struct debian_request *q, struct debian *out, struct err *e);

/*
 * debian_finish - wait for it, and report whether it succeeded.
 * @abandon  end it, and report only an error that it had before.
 */
int debian_finish(struct debian *d, bool abandon, struct err *e);

#endif
