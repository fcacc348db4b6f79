/*
 * dockerfile_state - the state of a stage after its instructions: variables, user, command.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_STATE_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_STATE_H

#include "base/err.h"
#include "base/list.h"
#include "dockerfile.h"
#include "dockerfile_words.h"
#include "rootfs/archive/meta.h"

/* Values of the command line, and of ARG before the first FROM: NAME=VALUE. */
struct dockerfile_arguments {
	struct list given;
	struct list used; /* names that an ARG has used */
	struct list global;
	size_t expanded; /* dockerfile_words.h */
};

void dockerfile_arguments_fini(struct dockerfile_arguments *a);

struct dockerfile_state {
	struct meta meta; /* owned; the image's future configuration */
	struct list args; /* NAME=VALUE */
	struct list shell;
	bool has_cmd; /* its own: an ENTRYPOINT removes the base's */
	char escape;
	struct dockerfile_arguments *arguments; /* borrowed */
};

void dockerfile_state_init(struct dockerfile_state *s, char escape,
			   struct dockerfile_arguments *arguments);
void dockerfile_state_fini(struct dockerfile_state *s);

/* Copy another state, before the first instruction; its arguments are not copied. */
void dockerfile_state_inherit(struct dockerfile_state *s, const struct dockerfile_state *from);

/* The current rules for expanding words; valid as long as *s. */
struct dockerfile_words dockerfile_state_words(const struct dockerfile_state *s);

/*
 * dockerfile_state_apply - apply an instruction that makes no files: all but FROM, RUN, COPY and
 * ADD. ARG before the first FROM belongs to no stage: its value is global.
 * Errors: ERR_INPUT, without the line.
 */
int dockerfile_state_apply(struct dockerfile_state *s, const struct instruction *i, struct err *e);
int dockerfile_state_global(struct dockerfile_state *s, const struct instruction *i, struct err *e);

/* The words of RUN, CMD, ENTRYPOINT: the list, or a shell with the text. */
void dockerfile_state_command(const struct dockerfile_state *s, const struct instruction *i,
			      struct list *out);

/* The environment of RUN. Errors: the variables of all RUN together are too long. */
int dockerfile_state_environment(const struct dockerfile_state *s, struct list *out, struct err *e);

/* "b" in /a is "/a/b". Owned. NULL: too long. */
char *dockerfile_state_path(const struct dockerfile_state *s, const char *path);

#endif
