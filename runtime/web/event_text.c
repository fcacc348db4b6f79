/*
 * event_text - make the output of a program valid UTF-8, piece by piece.
 */
#include "web/event_text.h"

/* Count the bytes at the end that begin an incomplete character. */
static size_t event_text_cut(const unsigned char *bytes, size_t length)
{
	for (size_t back = 1; back <= 3 && back <= length; back++) {
		unsigned char c = bytes[length - back];
		size_t wanted = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

		if (c >= 0x80 && c < 0xc0)
			continue; /* a continuation byte */
		return wanted > back ? back : 0;
	}
	return 0;
}

void event_text_take(struct event_text *t, const char *bytes, size_t length, bool is_last,
		     struct buf *out)
{
	struct buf all = t->rest;
	size_t cut;

	t->rest = (struct buf){0};
	buf_add(&all, bytes, length);
	cut = is_last ? 0 : event_text_cut((const unsigned char *)all.data, all.length);
	buf_add(out, all.data, all.length - cut);
	if (cut)
		buf_add(&t->rest, all.data + all.length - cut, cut);
	buf_fini(&all);
}

void event_text_fini(struct event_text *t)
{
	buf_fini(&t->rest);
}
