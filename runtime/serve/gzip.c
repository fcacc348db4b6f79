/*
 * gzip - bytes, packed (RFC 1952).
 */
#include "serve/gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP_FORMAT (MAX_WBITS + 16) /* zlib.h: its header and trailer */
#define MEMORY      8                /* its default */

static bool gzip_run(z_stream *z, const struct buf *in, struct buf *out)
{
	const size_t most = in->length - 1;
	char *room = malloc(in->length);
	int done;

	if (!room)
		return false;
	z->next_in = (unsigned char *)in->data;
	z->avail_in = (unsigned)in->length;
	z->next_out = (unsigned char *)room;
	z->avail_out = (unsigned)most;
	done = deflate(z, Z_FINISH);
	if (done == Z_STREAM_END)
		buf_add(out, room, most - z->avail_out);
	free(room);
	return done == Z_STREAM_END;
}

bool gzip_pack(const struct buf *in, struct buf *out)
{
	z_stream z = {0};
	bool done;

	if (!in->length || in->length > UINT32_MAX ||
	    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, GZIP_FORMAT, MEMORY, Z_DEFAULT_STRATEGY) !=
		    Z_OK)
		return false;
	done = gzip_run(&z, in, out);
	(void)deflateEnd(&z);
	return done;
}
