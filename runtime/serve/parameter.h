/*
 * parameter - the parameters of a MIME header: "; KEY=VALUE", as in Content-Type and
 * Content-Disposition (RFC 2045, 5.1).
 *
 * A value is a quoted string, or the text up to the next semicolon: clients leave the quotes out of
 * values that are not tokens, too. Comments in parentheses may stand between words (RFC 822). In a
 * quoted string \" and \\ are escapes; before any other character a backslash is itself, since
 * browsers do not escape it.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_PARAMETER_H
#define GLOVEBOX_SERVE_PARAMETER_H

#include <stdbool.h>

#include "base/err.h"

/* In one header. A comment may be read anew for each of them, so this bounds the time, too. */
#define PARAMETERS_MAX 16

struct parameter {
	unsigned number; /* this is the first, the second, ...; 0 before */
	char *key;
	char *value; /* without its quotes */
	bool was_quoted;
};

/* parameter_skip_blank - behind blanks and comments. A comment that does not end is text. */
char *parameter_skip_blank(char *at);

/*
 * parameter_next - the next one, taken apart in place.
 *
 * @p   all zero at first.
 * @at  where the last one ended; at first the semicolon behind the header's first word, or the end.
 * 1; 0: there are no more; -1: it is malformed (ERR_INPUT).
 */
int parameter_next(char **at, struct parameter *p, struct err *e);

#endif
