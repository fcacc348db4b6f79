/*
 * dockerfile_room - the roots of a build's stages, in a scratch directory, and the actions on them,
 * each in a chamber of its own (chamber.h).
 *
 * Stage N has its root in directory N. The store never contains files under foreign ids: we keep
 * results of RUN as archives (kept.h), and the last root leaves as a stream.
 *
 * Runs: glovebox-image. Needs: those of a chamber.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_ROOM_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "dockerfile_step.h"
#include "rootfs/chamber/chamber.h"
#include "rootfs/chamber/scratch.h"
#include "rootfs/chamber/subids.h"
#include "rootfs/store/kept.h"

struct dockerfile_room {
	const struct limits *limits; /* of each RUN; borrowed */
	struct scratch scratch;
	struct subids ids;
	const char *share;  /* directory with hooks/; borrowed */
	struct kept layers; /* without a path: keep no results */
};

/* @layers: owned by the call. End with dockerfile_room_close(), also on errors. */
int dockerfile_room_open(const char *share, struct kept *layers, struct dockerfile_room *out,
			 struct err *e);
void dockerfile_room_close(struct dockerfile_room *r);

/*
 * Make the root of a stage from its base; @image NULL: empty. A recipe's user "sandbox" is removed
 * until the root leaves: a Dockerfile makes its own.
 */
int dockerfile_room_begin(struct dockerfile_room *r, size_t stage, const struct image *image,
			  struct err *e);

/* Perform a step of PLAN_COPY or PLAN_DIRECTORY. @archive: its files, or -1; borrowed */
int dockerfile_room_unpack(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			   int archive, struct err *e);

/* Pack the files that a step copies from another stage, as an owned archive; -1 with *e. */
int dockerfile_room_take(struct dockerfile_room *r, size_t from, const struct plan_step *step,
			 int archive, struct err *e);

/* Run the program of a step. */
int dockerfile_room_run(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			struct err *e);

/*
 * Note the present state, before a step to be kept; keep the changes of a step since then under its
 * key.
 */
int dockerfile_room_note(struct dockerfile_room *r, size_t stage, struct err *e);
int dockerfile_room_keep(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			 struct err *e);

/* Apply a step's kept changes to the root. */
int dockerfile_room_apply(struct dockerfile_room *r, size_t stage, const struct plan_step *step,
			  struct err *e);

/*
 * Start to write a root that was made from `image`; out_fd of *out is the stream, and
 * chamber_finish() ends it.
 */
int dockerfile_room_export(struct dockerfile_room *r, size_t stage, const struct image *image,
			   struct chamber *out, struct err *e);

#endif
