/*
 * fuzz_frame - a stream cut into any pieces gives the frames that it gives in one.
 *
 * Input: how many pieces (below 16), the size of each (used in turn), two bytes of maximum, the
 * stream.
 */
#include "fuzz.h"

#include "wire/frame.h"

#define PIECES 16

struct pieces {
	uint8_t sizes[PIECES];
	size_t count;
	size_t next;
};

static size_t next_size(struct pieces *pieces, size_t left)
{
	size_t size = pieces->count ? pieces->sizes[pieces->next++ % pieces->count] : left;

	/* Once through all that are empty, too; then on. */
	if (!size && pieces->next > pieces->count && pieces->next % (pieces->count + 1) == 0)
		size = 1;
	return size < left ? size : left;
}

/* What a frame that begins there is, read in one. */
static int expect(const uint8_t *at, size_t length, size_t max, size_t *size)
{
	if (length < FRAME_HEADER)
		return 0;
	*size = at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
	if (*size > max)
		return -1;
	return length - FRAME_HEADER >= *size;
}

static void check(const struct frame *f, const uint8_t *start, size_t had, size_t max, int result)
{
	unsigned char header[FRAME_HEADER];
	size_t size = 0;

	MUST(result == expect(start, had, max, &size));
	MUST(f->body.capacity <= 256 || f->body.capacity <= 2 * (f->body.length + 1));
	MUST(f->body.length == (had > FRAME_HEADER ? had - FRAME_HEADER : 0));
	MUST(!f->body.length || !memcmp(f->body.data, start + FRAME_HEADER, f->body.length));
	MUST(f->header_have == (had < FRAME_HEADER ? had : FRAME_HEADER));
	if (had < FRAME_HEADER)
		return;
	MUST(f->size == size);
	frame_header((uint32_t)size, header);
	MUST(!memcmp(header, start, FRAME_HEADER));
}

static void feed(struct pieces *pieces, const uint8_t *data, size_t length, size_t max)
{
	auto_frame struct frame f = {0};
	size_t start = 0; /* of the frame */
	size_t at = 0;

	while (at < length) {
		size_t size = next_size(pieces, length - at);
		uint8_t *piece = malloc(size ? size : 1); /* ASan sees every byte too far */
		struct err e = {0};
		size_t used = SIZE_MAX;
		int result;

		if (!piece)
			abort();
		memcpy(piece, data + at, size);
		result = frame_add(&f, piece, size, max, &used, &e);
		free(piece);
		MUST(used <= size);
		MUST(result || used == size);
		at += used;
		check(&f, data + start, at - start, max, result);
		if (result < 0) {
			fuzz_check_error(&e);
			MUST(!f.body.data);
			return;
		}
		if (result) {
			frame_fini(&f);
			MUST(!f.body.data && !f.header_have && !f.size);
			start = at;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pieces pieces = {0};
	size_t max;

	if (!size)
		return 0;
	pieces.count = data[0] % PIECES;
	if (size < 1 + pieces.count + 2)
		return 0;
	memcpy(pieces.sizes, data + 1, pieces.count);
	data += 1 + pieces.count;
	size -= 1 + pieces.count;
	max = data[0] | (size_t)data[1] << 8;
	feed(&pieces, data + 2, size - 2, max);
	return 0;
}
