/*
 * multipart_header - headers of multipart/form-data: the boundary in Content-Type, and what the
 * headers of a part say (RFC 7578, RFC 2183).
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MULTIPART_HEADER_H
#define GLOVEBOX_SERVE_MULTIPART_HEADER_H

#include <stdbool.h>

#include "base/err.h"

#define MULTIPART_BOUNDARY_MAX 70 /* RFC 2046, 5.1.1 */

/* The meaning of one part's headers; all zero before the first. */
struct multipart_part {
	char *name;              /* owned; NULL: none */
	char *filename;          /* the same */
	char *extended_filename; /* the same: filename*, encoded */
	bool has_disposition;
	bool is_mixed; /* multipart/mixed: several files in one part (RFC 2388) */
};

/*
 * multipart_header_boundary - the boundary, out of a Content-Type.
 *
 * Any printable ASCII is taken, not only what RFC 2046 lists: Android's "*****" is well known.
 * Errors: ERR_INPUT.
 */
int multipart_header_boundary(const char *content_type, char out[MULTIPART_BOUNDARY_MAX + 1],
			      struct err *e);

/*
 * multipart_header_take - the next header of a part.
 * @line  unfolded, without its line end; changed.
 * Errors: ERR_INPUT.
 */
int multipart_header_take(struct multipart_part *part, char *line, struct err *e);

/*
 * multipart_header_end - after the last one.
 *
 * filename* (RFC 5987) has precedence over filename, as in ASP.NET, Go and busboy: .NET
 * writes an encoded word as the filename beside it. Where filename* cannot be decoded, filename
 * counts. Errors: ERR_INPUT: the part cannot be taken.
 */
int multipart_header_end(struct multipart_part *part, struct err *e);

/* multipart_part_fini - free what is owned; all zero afterwards. */
void multipart_part_fini(struct multipart_part *part);

#endif
