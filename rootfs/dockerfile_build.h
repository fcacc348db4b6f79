/*
 * dockerfile_build - an image from a Dockerfile and a directory.
 *
 * Theory of operation. The file is parsed (dockerfile.h) and becomes a plan (dockerfile_plan.h),
 * before anything is made. The stages that are needed are then made in scratch (dockerfile_room.h):
 * the base's tree is unpacked, files are copied, and each RUN is a chamber in which a program of
 * the root runs, with the hosts of --egress. What a RUN has changed is kept under its key, and a
 * later build applies that instead, up to the first key that is not there. The last root leaves as
 * a stream that is unpacked into the store as any archive is (extract.h), so owners and set-id bits
 * do not come along. The image is nobody's to vouch for: like an import it has no recipe.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_BUILD_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_BUILD_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"
#include "spec/spec.h"

struct dockerfile_request {
	const char *context;         /* a directory; "-": none, and the file is standard input */
	const char *file;            /* "": Dockerfile in the context; "-": standard input */
	const struct list *tags;     /* as typed; none: the directory's name */
	const struct list *given;    /* NAME=VALUE, or NAME: the caller's variable */
	const char *target;          /* a stage; NULL: the last */
	struct sandbox_spec *spec;   /* only its network is used */
	const struct limits *limits; /* of each RUN; the result does not depend on them */
	bool quiet;                  /* print the name of the image alone */
	bool pull;                   /* fetch bases even if they are here */
	bool no_cache;
};

/* Errors name the line of the file; nothing is made then, but bases that were fetched stay. */
int dockerfile_build(const struct dockerfile_request *q, struct err *e);

#endif
