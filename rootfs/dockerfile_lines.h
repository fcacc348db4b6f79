/*
 * dockerfile_lines - the lines of a Dockerfile: directives, comments, continued lines, heredocs.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_LINES_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct dockerfile_lines {
	const char *at; /* the rest of the text; borrowed */
	const char *end;
	unsigned line; /* of what was read last; the first is 1 */
	char escape;
};

/* Begin, behind the directives at the top. Errors: ERR_INPUT, ERR_UNSUPPORTED with the line. */
int dockerfile_lines_begin(struct dockerfile_lines *l, const char *text, size_t length,
			   struct err *e);

/*
 * dockerfile_lines_next - the next instruction as one line, without comments.
 * @out   replaced
 * @line  where it begins
 * False at the end.
 */
bool dockerfile_lines_next(struct dockerfile_lines *l, struct buf *out, unsigned *line);

/* A heredoc that a line announces: <<NAME, <<-NAME, <<"NAME". */
struct dockerfile_heredoc {
	const char *word; /* where it stands in the line */
	size_t length;    /* of all of it */
	const char *name;
	size_t name_length;
	bool literal; /* the name is quoted */
	bool tabs;    /* <<-: tabs at the beginning of its lines are removed */
};

/* The next one at or behind `line`: true and *out. */
bool dockerfile_lines_heredoc(const char *line, struct dockerfile_heredoc *out);

/*
 * dockerfile_lines_body - read the lines of a heredoc that was announced last.
 * @out  replaced by them. -1: its end does not come.
 */
int dockerfile_lines_body(struct dockerfile_lines *l, const struct dockerfile_heredoc *h,
			  struct buf *out);

#endif
