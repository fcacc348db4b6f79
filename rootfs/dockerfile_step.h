/*
 * dockerfile_step - what a plan is made of: steps, stages, and what a build was asked for.
 *
 * Plain data, which dockerfile_plan.h makes.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_STEP_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/encode.h"
#include "base/err.h"
#include "base/list.h"
#include "dockerfile.h"
#include "dockerfile_ignore.h"
#include "dockerfile_state.h"
#include "host/image.h"
#include "spec/egress.h"
#include "store.h"

#define DOCKERFILE_STAGES_MAX 64

enum plan_kind {
	PLAN_COPY,
	PLAN_RUN,
	PLAN_DIRECTORY, /* only `directories` */
};

struct plan_copy {
	int archive;  /* owned; -1: it comes from another stage */
	size_t stage; /* that one */
	struct list sources;
	char *to;          /* absolute */
	bool is_directory; /* `to`, whatever is copied */
	bool is_archive;   /* of ADD: `archive` is one that a stranger made */
	char *owner;       /* "user", "user:group"; NULL: root */
	bool has_mode;
	mode_t mode;
};

struct plan_run {
	struct list argv;
	struct list env;
	struct list empty; /* directories that are a file system of their own meanwhile */
	char *user;
	char *workdir;
	const struct egress_spec *egress; /* borrowed; NULL: no network */
	const char *ca;                   /* certificates that it trusts, too; borrowed; NULL */
};

struct plan_step {
	enum plan_kind kind;
	const struct instruction *at; /* borrowed */
	char key[DIGEST_HEX];         /* of the root behind it */
	struct list directories;      /* absolute: made first, if they are missing */
	struct plan_copy copy;
	struct plan_run run;
};

struct plan_stage {
	const struct instruction *at;
	char *name;  /* NULL: it has none */
	char *base;  /* as written, expanded */
	bool needed; /* by the stage that is built */
	bool has_image;
	struct image image;       /* of what it begins with, if it is one */
	const struct image *root; /* that, or of the first stage below it; NULL: scratch */
	struct plan_step **steps; /* owned by the plan: those of a stage that it begins with, too */
	size_t step_count;
	struct dockerfile_state state; /* at its end */
	struct list pending;           /* directories that the next step makes */
	char key[DIGEST_HEX];
};

struct plan {
	struct plan_stage *stages;
	size_t stage_count;
	size_t target;
	struct plan_step **steps;
	size_t step_count;
};

struct plan_request {
	const struct dockerfile *file;
	struct dockerfile_arguments *arguments;
	int context_fd; /* borrowed; -1: there is none */
	const struct dockerfile_ignore *ignore;
	const struct store *store;        /* for what is copied: files without a name */
	uint64_t *room;                   /* bytes that may still be copied; borrowed */
	const struct egress_spec *egress; /* what RUN may reach; NULL: nothing */
	const char *ca;                   /* certificates (PEM) that it trusts, too; NULL */
	const char *target;               /* a stage; NULL: the last */
	/* Open an image, and fetch it if it is nowhere. */
	int (*open_image)(const char *name, struct image *out, struct err *e);
};

#endif
