/*
 * parameter - parse parameters of a MIME header: "; KEY=VALUE", as in Content-Type and
 * Content-Disposition (RFC 2045, 5.1).
 *
 * A value is a quoted string, or the text up to the next semicolon, since some clients leave out
 * quotes that are required. Comments in parentheses may stand between words (RFC 822). In a quoted
 * string \" and \\ are escapes; before any other character a backslash is literal, since browsers
 * do not escape it.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_PARAMETER_H
#define GLOVEBOX_WEB_PARAMETER_H

#include <stdbool.h>

#include "base/err.h"

/* Parameters of one header. Each may cost a scan of a comment, so this bounds the time as well. */
#define PARAMETERS_MAX 16

struct parameter {
	unsigned number; /* position in the header, from 1; 0: before the first */
	char *key;
	char *value; /* without quotes */
	bool was_quoted;
};

/* parameter_skip_blank - skip blanks and comments. An unterminated comment is text. */
char *parameter_skip_blank(char *at);

/*
 * parameter_next - parse the next parameter in place.
 *
 * @p   all zero at first.
 * @at  in: the semicolon behind the header's first word, or its end; out: behind the parameter.
 * 1; 0: the end; -1: malformed (ERR_INPUT).
 */
int parameter_next(char **at, struct parameter *p, struct err *e);

#endif
