/*
 * multipart - parse a body of multipart/form-data (RFC 7578) part by part, as it arrives.
 *
 * The body arrives in pieces of any size. A part's content is passed on at once; only the headers
 * of one part are held, at most MULTIPART_HEAD_MAX bytes. Preamble and epilogue are skipped.
 *
 * Lines end only with CR LF (RFC 2046): a file may contain LF followed by dashes.
 *
 * Runs: serve. Needs: nothing; no side effects.
 */
#ifndef GLOVEBOX_WEB_MULTIPART_H
#define GLOVEBOX_WEB_MULTIPART_H

#include <stddef.h>

#include "base/err.h"

#define MULTIPART_HEAD_MAX 8192 /* bytes of one part's headers */
#define MULTIPART_HEADERS  32   /* of one part */
#define MULTIPART_PARTS    100  /* of one body, since each may create a file */

struct multipart;

/*
 * A part begins, if length is 0, or continues. An empty file field (empty filename, no content:
 * browsers send it if no file was chosen) is skipped.
 * @filename  NULL: none.
 */
typedef void multipart_taker(void *context, const char *name, const char *filename,
			     const char *bytes, size_t length);

/*
 * multipart_open - begin to parse a body.
 *
 * @content_type  of the request, multipart/form-data.
 * @out           owned: multipart_close().
 * Errors: ERR_INPUT: no boundary, or a malformed one.
 */
int multipart_open(const char *content_type, multipart_taker *take, void *context,
		   struct multipart **out, struct err *e);

/*
 * multipart_add - parse a piece. Errors: ERR_INPUT: malformed; then only multipart_close() may
 * follow.
 */
int multipart_add(struct multipart *m, const char *bytes, size_t length, struct err *e);

/* multipart_end - the body is complete. Errors: ERR_INPUT: parts are missing. */
int multipart_end(const struct multipart *m, struct err *e);

/* multipart_close - free it. Safe on NULL. */
void multipart_close(struct multipart *m);

#endif
