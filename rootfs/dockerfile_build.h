/*
 * dockerfile_build - build an image from a Dockerfile and a directory.
 *
 * Theory of operation. The file is parsed (dockerfile.h) and becomes a plan (dockerfile_plan.h),
 * before anything is made. Then we make the needed stages in scratch (dockerfile_room.h): unpack
 * the base's tree, copy files, and run each RUN in a chamber, where a program of the root runs with
 * the hosts of --egress. We keep the changes of a RUN under its key, and a later build applies them
 * instead, up to the first key that is missing. The last root leaves as a stream, which we unpack
 * into the store like any archive (extract.h), so owners and set-id bits do not come along. Like an
 * import the image has no recipe, so we do not vouch for it.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_BUILD_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_BUILD_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"
#include "spec/spec.h"

struct dockerfile_request {
	const char *context;         /* a directory; "-": dockerfile_context_open() */
	const char *file;            /* "": Dockerfile in the context; "-": standard input */
	const struct list *tags;     /* as typed; empty: the directory's name, or none */
	const struct list *given;    /* NAME=VALUE, or NAME: the caller's variable */
	const char *target;          /* a stage; NULL: the last */
	struct sandbox_spec *spec;   /* only its network is used */
	const struct limits *limits; /* of each RUN; they do not affect the result */
	bool pull;                   /* fetch bases even if the store has them */
	bool no_cache;
};

/* Errors name the line of the file; the image is not made then, but fetched bases stay. */
int dockerfile_build(const struct dockerfile_request *q, struct err *e);

#endif
