/*
 * multipart - a body of multipart/form-data (RFC 7578), part by part, as it comes.
 *
 * The body comes in pieces of any size. A part's content is passed on at once: never more is held
 * than the headers of one part, at most MULTIPART_HEAD_MAX bytes. What stands before the first
 * boundary and behind the last one is skipped.
 *
 * Lines end with CR LF alone, as RFC 2046 has it: a file may contain LF, and dashes behind it.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_SERVE_MULTIPART_H
#define GLOVEBOX_SERVE_MULTIPART_H

#include <stddef.h>

#include "base/err.h"

#define MULTIPART_HEAD_MAX 8192 /* bytes of one part's headers */
#define MULTIPART_HEADERS  32   /* of one part */
#define MULTIPART_PARTS    100  /* of one body: each may cost its taker a file */

struct multipart;

/*
 * A part begins, if length is 0, or goes on. A file for which nothing was chosen (an empty filename
 * and no content, as browsers send it) does not begin.
 * @filename  NULL: none.
 */
typedef void multipart_taker(void *context, const char *name, const char *filename,
			     const char *bytes, size_t length);

/*
 * multipart_open - begin to read a body.
 *
 * @content_type  of the request, multipart/form-data.
 * @out           owned: multipart_close().
 * Errors: ERR_INPUT: it has no boundary, or one that cannot be.
 */
int multipart_open(const char *content_type, multipart_taker *take, void *context,
		   struct multipart **out, struct err *e);

/* multipart_add - the next piece. Errors: ERR_INPUT: it is malformed; only close it then. */
int multipart_add(struct multipart *m, const char *bytes, size_t length, struct err *e);

/* multipart_end - all of the body has been added. Errors: ERR_INPUT: parts are missing. */
int multipart_end(const struct multipart *m, struct err *e);

/* multipart_close - free it. Safe on NULL. */
void multipart_close(struct multipart *m);

#endif
