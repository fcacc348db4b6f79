/*
 * chunks - read a body that comes in chunks (RFC 9112, 7.1).
 *
 * Extensions and trailers are read and dropped. Lines end with CR LF, and are bounded.
 *
 * No side effects, no allocation. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_CHUNKS_H
#define GLOVEBOX_WEB_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#define CHUNKS_LINE_BYTES    256  /* of the line before a chunk */
#define CHUNKS_TRAILER_BYTES 4096 /* of all lines behind the last one */

/* All zero at first. */
struct chunks {
	enum {
		CHUNKS_IN_SIZE,
		CHUNKS_IN_EXTENSION,
		CHUNKS_AT_SIZE_END, /* behind CR */
		CHUNKS_IN_DATA,
		CHUNKS_AT_DATA_END,
		CHUNKS_BEHIND_DATA, /* behind CR */
		CHUNKS_AT_TRAILER,  /* at the beginning of a line */
		CHUNKS_IN_TRAILER,
		CHUNKS_AT_TRAILER_END, /* behind CR */
		CHUNKS_AT_END,         /* behind CR */
	} state;
	unsigned line; /* bytes of this line, or of the trailers */
	uint64_t left; /* of the data of this chunk */
};

enum chunks_event {
	CHUNKS_MORE, /* all bytes were read */
	CHUNKS_DATA,
	CHUNKS_END,
	CHUNKS_BAD, /* they are no chunks: the end of the body is unknown */
};

/*
 * chunks_read - read up to the end of the next piece of data, or of the body.
 *
 * @bytes, @length  in and out: what there is, and what is left of it.
 * @data, @size     for CHUNKS_DATA: the piece, among these bytes.
 */
enum chunks_event chunks_read(struct chunks *c, const char **bytes, size_t *length,
			      const char **data, size_t *size);

#endif
