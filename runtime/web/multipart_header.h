/*
 * multipart_header - parse headers of multipart/form-data: the boundary in Content-Type, and the
 * headers of a part (RFC 7578, RFC 2183).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_MULTIPART_HEADER_H
#define GLOVEBOX_WEB_MULTIPART_HEADER_H

#include <stdbool.h>

#include "base/err.h"

#define MULTIPART_BOUNDARY_MAX 70 /* RFC 2046, 5.1.1 */

/* The headers of one part; all zero before the first. */
struct multipart_part {
	char *name;              /* owned; NULL: none */
	char *filename;          /* owned; NULL: none */
	char *extended_filename; /* owned; NULL: none; filename*, encoded */
	bool has_disposition;
	bool is_mixed; /* multipart/mixed: several files in one part (RFC 2388) */
};

/*
 * multipart_header_boundary - extract the boundary from a Content-Type.
 *
 * Accepts any printable ASCII, not only what RFC 2046 lists: Android sends "*****".
 * Errors: ERR_INPUT.
 */
int multipart_header_boundary(const char *content_type, char out[MULTIPART_BOUNDARY_MAX + 1],
			      struct err *e);

/*
 * multipart_header_take - parse the next header of a part.
 * @line  unfolded, without its line end; modified.
 * Errors: ERR_INPUT.
 */
int multipart_header_take(struct multipart_part *part, char *line, struct err *e);

/*
 * multipart_header_end - all headers of a part are parsed.
 *
 * filename* (RFC 5987) takes precedence over filename, as in ASP.NET, Go and busboy: .NET writes an
 * encoded word as the filename beside it. A malformed filename* is ignored. Errors: ERR_INPUT: the
 * part is unusable.
 */
int multipart_header_end(struct multipart_part *part, struct err *e);

/* multipart_part_fini - free the texts; all zero afterwards. */
void multipart_part_fini(struct multipart_part *part);

#endif
