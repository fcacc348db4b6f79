/*
 * frames - a message as it travels: several frames of bytes.
 */
#include "kernel/frames.h"

void frames_fini(struct frames *p)
{
	for (size_t i = 0; i < p->count; i++)
		buf_fini(&p->items[i]);
	p->count = 0;
}

void frames_add(struct frames *p, const void *bytes, size_t length)
{
	if (p->count == FRAMES_MAX)
		return;
	p->items[p->count] = (struct buf){0};
	buf_add(&p->items[p->count++], bytes, length);
}
