/*
 * update_ports - `update -p` and `--publish-rm`: which ports of one sandbox are published and
 * withdrawn, and which flags say so at its next start.
 */
#include "container/update_ports.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "container/ports.h"
#include "netpolicy/egress_publish.h"

/* -- the flags of the next start ------------------------------------------------------------- */

void update_ports_settle(const struct sandbox_spec *spec, struct list *flags)
{
	struct list settled = {0};

	for (size_t i = 0; i < flags->count; i++) {
		if (strncmp(flags->items[i], PORTS_FLAGS, strlen(PORTS_FLAGS)) != 0)
			list_add(&settled, flags->items[i]);
	}
	list_add(&settled, PORTS_FLAGS "-rm=" EGRESS_PUBLISH_ALL);
	for (size_t i = 0; i < spec->egress.published_count; i++) {
		auto_buf struct buf text = {0};

		egress_publish_write(&spec->egress.published[i], &text);
		list_addf(&settled, PORTS_FLAGS "=%s", buf_string(&text));
	}
	list_fini(flags);
	*flags = settled;
}

/* -- what one that runs has to change -------------------------------------------------------- */

/* @spec: zeroed; its array is the caller's to free, also on error. */
static int update_ports_read_more(const struct list *words, struct egress_spec *spec, struct err *e)
{
	for (size_t i = 0; i < words->count; i++) {
		if (egress_publish_add(spec, words->items[i], e))
			return -1;
	}
	return 0;
}

static int update_ports_add_less(const struct egress_published *now, size_t count, const char *word,
				 struct port_change *out, struct err *e)
{
	struct port_range range;

	if (egress_publish_range(word, &range, e))
		return -1;
	for (size_t i = 0; i < count; i++) {
		const bool named = now[i].port >= range.first && now[i].port <= range.last;

		if (named && egress_find_published(out->less, out->less_count, &now[i],
						   egress_same_published) == out->less_count)
			out->less[out->less_count++] = now[i];
	}
	return 0;
}

static void update_ports_drop(struct egress_published *ports, size_t *count, size_t at)
{
	memmove(ports + at, ports + at + 1, (--*count - at) * sizeof(*ports));
}

static void update_ports_drop_same(struct port_change *change)
{
	for (size_t i = 0; i < change->more_count;) {
		const size_t k = egress_find_published(change->less, change->less_count,
						       &change->more[i], egress_same_published);

		if (k < change->less_count) {
			update_ports_drop(change->more, &change->more_count, i);
			update_ports_drop(change->less, &change->less_count, k);
		} else {
			i++;
		}
	}
}

int update_ports_change(const struct record *r, const struct list *more, const struct list *less,
			struct port_change *out, struct err *e)
{
	struct egress_published now[EGRESS_MAX_PUBLISHED];
	const size_t count = ports_bound(r, now);
	struct egress_spec read = {0};
	int bad = update_ports_read_more(more, &read, e);

	*out = (struct port_change){.more_count = read.published_count};
	if (read.published_count)
		memcpy(out->more, read.published, read.published_count * sizeof(*out->more));
	free(read.published);
	for (size_t i = 0; !bad && i < less->count; i++)
		bad = update_ports_add_less(now, count, less->items[i], out, e);
	update_ports_drop_same(out);
	return bad;
}
