/*
 * dockerfile_lines - read the lines of a Dockerfile: directives, comments, continued lines,
 * heredocs.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_LINES_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct dockerfile_lines {
	const char *at; /* the rest of the text; borrowed */
	const char *end;
	unsigned line; /* number of the last line read; the first is 1 */
	char escape;
};

/* Start, after the directives at the top. Errors: ERR_INPUT, ERR_UNSUPPORTED with the line. */
int dockerfile_lines_begin(struct dockerfile_lines *l, const char *text, size_t length,
			   struct err *e);

/*
 * dockerfile_lines_next - the next instruction as one line, without comments.
 * @out   replaced
 * @line  where it begins
 * Returns false at the end.
 */
bool dockerfile_lines_next(struct dockerfile_lines *l, struct buf *out, unsigned *line);

/* A heredoc that a line announces: <<NAME, <<-NAME, <<"NAME". */
struct dockerfile_heredoc {
	const char *word; /* its place in the line */
	size_t length;    /* of the whole word */
	const char *name;
	size_t name_length;
	bool literal; /* the name is quoted */
	bool tabs;    /* <<-: remove tabs at the beginning of its lines */
};

/* Find the next one at or after `line`: true and *out. */
bool dockerfile_lines_heredoc(const char *line, struct dockerfile_heredoc *out);

/*
 * dockerfile_lines_body - read the lines of the heredoc announced last.
 * @out  replaced by them. -1: its end is missing.
 */
int dockerfile_lines_body(struct dockerfile_lines *l, const struct dockerfile_heredoc *h,
			  struct buf *out);

#endif
