/*
 * dockerfile - parse a Dockerfile into a list of instructions.
 *
 * It reads comments, continued lines, the directives "escape" and "syntax", heredocs, flags and the
 * JSON form as docker's parser does. It refuses an unsupported instruction with its line, before a
 * build starts. dockerfile_words.h expands variables later: their values come from bases and from
 * earlier instructions.
 *
 * The text is not trusted. No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/list.h"

#define DOCKERFILE_BYTES_MAX        (1u << 20)
#define DOCKERFILE_INSTRUCTIONS_MAX 1000

enum instruction_kind {
	INSTRUCTION_ADD,
	INSTRUCTION_ARG,
	INSTRUCTION_CMD,
	INSTRUCTION_COPY,
	INSTRUCTION_ENTRYPOINT,
	INSTRUCTION_ENV,
	INSTRUCTION_EXPOSE,
	INSTRUCTION_FROM,
	INSTRUCTION_HEALTHCHECK,
	INSTRUCTION_LABEL,
	INSTRUCTION_MAINTAINER,
	INSTRUCTION_RUN,
	INSTRUCTION_SHELL,
	INSTRUCTION_STOPSIGNAL,
	INSTRUCTION_USER,
	INSTRUCTION_WORKDIR,
};

struct heredoc {
	char *name;
	char *text;   /* its lines, as the program or the file receives them */
	bool literal; /* its name was quoted: COPY does not expand variables in it */
};

struct instruction {
	enum instruction_kind kind;
	const char *name;  /* "RUN" */
	unsigned line;     /* where it begins; the first is 1 */
	struct list flags; /* "chown=1000", as written */
	bool is_json;      /* `words` holds the strings of a list; `text` is not used */
	struct list words; /* of a JSON list */
	char *text;        /* text after the flags; for RUN with the lines of its heredocs */
	struct heredoc *heredocs;
	size_t heredoc_count;
};

struct dockerfile {
	struct instruction *items;
	size_t count;
	char escape; /* '\\' or '`' */
};

/*
 * dockerfile_parse - read a whole file.
 * @out  owned, also on errors: end with dockerfile_fini().
 * Errors: ERR_INPUT, ERR_UNSUPPORTED; the text begins with "line N: ".
 */
int dockerfile_parse(const char *text, size_t length, struct dockerfile *out, struct err *e);
void dockerfile_fini(struct dockerfile *d);
#define auto_dockerfile __attribute__((cleanup(dockerfile_fini)))

/* The value of a flag, "" for one without; NULL: not given. */
const char *instruction_flag(const struct instruction *i, const char *name);

/* Put "line N: RUN: " before a message. Returns -1. */
int instruction_error(const struct instruction *i, struct err *e);

#endif
