/*
 * dockerfile_step - the parts of a plan: steps, stages, and the request of a build.
 *
 * Plain data; dockerfile_plan.h makes it.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_STEP_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/encode.h"
#include "base/err.h"
#include "base/list.h"
#include "dockerfile.h"
#include "dockerfile_ignore.h"
#include "dockerfile_state.h"
#include "image/image.h"
#include "netpolicy/egress.h"
#include "rootfs/store/store.h"

#define DOCKERFILE_STAGES_MAX 64

enum plan_kind {
	PLAN_COPY,
	PLAN_RUN,
	PLAN_DIRECTORY, /* only `directories` */
};

struct plan_copy {
	int archive;  /* owned; -1: it comes from another stage */
	size_t stage; /* the other stage */
	struct list sources;
	char *to;          /* absolute */
	bool is_directory; /* `to` is a directory, whatever is copied */
	bool is_archive;   /* ADD: `archive` comes from outside */
	char *owner;       /* "user", "user:group"; NULL: root */
	bool has_mode;
	mode_t mode;
};

struct plan_run {
	struct list argv;
	struct list env;
	struct list empty; /* directories that are an empty file system during the step */
	char *user;
	char *workdir;
	const struct egress_spec *egress; /* borrowed; NULL: no network */
	const char *ca;                   /* additional certificates to trust; borrowed; NULL */
};

struct plan_step {
	enum plan_kind kind;
	const struct instruction *at; /* borrowed */
	char key[DIGEST_HEX];         /* of the root after the step */
	struct list directories;      /* absolute: make missing ones first */
	struct plan_copy copy;
	struct plan_run run;
};

struct plan_stage {
	const struct instruction *at;
	char *name;  /* NULL: it has none */
	char *base;  /* as written, expanded */
	bool needed; /* by the stage to be built */
	bool has_image;
	struct image image;       /* the base, if it is an image */
	const struct image *root; /* the base, or that of the first stage below; NULL: scratch */
	struct plan_step **steps; /* owned by the plan: includes those of a base stage */
	size_t step_count;
	struct dockerfile_state state; /* at its end */
	struct list pending;           /* directories for the next step to make */
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
	int context_fd; /* borrowed; -1: none */
	const struct dockerfile_ignore *ignore;
	const struct store *store;        /* for files without a name, to copy */
	uint64_t *room;                   /* bytes that may still be copied; borrowed */
	const struct egress_spec *egress; /* hosts that RUN may reach; NULL: none */
	const char *ca;                   /* additional certificates (PEM) to trust; NULL */
	const char *target;               /* a stage; NULL: the last */
	/* Open an image; fetch it if no store has it. */
	int (*open_image)(const char *name, struct image *out, struct err *e);
};

#endif
