/*
 * hibernating - put a sandbox that stays and whose processes stand still on the disk.
 */
#include "monitor/hibernating.h"

#include <sys/epoll.h>

#include "loop/clock.h"

static void hibernating_go_on(struct hibernating *h)
{
	void (*next)(struct hibernating * h) = h->next;

	h->next = NULL;
	hub_unwatch(h->hub, &h->watch);
	hub_silence(h->hub, &h->late);
	next(h);
}

static void hibernating_ready(void *context, uint32_t events)
{
	(void)events;
	hibernating_go_on(context);
}

static void hibernating_ring(void *context)
{
	hibernating_go_on(context);
}

/* Have `next` called when a child has ended, or is late. */
static void hibernating_await(struct hibernating *h, int pidfd, uint64_t most_us,
			      void (*next)(struct hibernating *h))
{
	struct err ignored;

	h->next = next;
	h->watch = (struct hub_watch){.ready = hibernating_ready, .context = h, .fd = -1};
	h->late = (struct hub_timer){.ring = hibernating_ring, .context = h};
	hub_ring(h->hub, &h->late, monotonic_us() + most_us);
	(void)hub_watch(h->hub, &h->watch, pidfd, EPOLLIN, &ignored);
}

static void hibernating_after_swap(struct hibernating *h)
{
	swapping_end(&h->swapping, hub_endings(h->hub));
	h->done(h->context, NULL);
}

static void hibernating_swap(struct hibernating *h)
{
	const struct cgroup_ref *group = &run_sandbox(h->run)->cgroup.ref;
	struct cgroup_memory memory;

	cgroup_read_memory(group, &memory);
	if (memory.has_swap && swapping_begin(group, &h->swapping))
		hibernating_await(h, h->swapping.pidfd, SWAPPING_MOST_US, hibernating_after_swap);
	else
		hibernating_after_swap(h);
}

static void hibernating_fail(struct hibernating *h, struct err *e)
{
	(void)err_prefix(e, "what was changed in the root cannot be kept");
	h->done(h->context, e);
}

static void hibernating_after_layer(struct hibernating *h)
{
	struct err e;

	if (layer_keep_end(&h->layer, true, &e))
		hibernating_fail(h, &e);
	else
		hibernating_swap(h);
}

void hibernating_begin(struct hibernating *h)
{
	struct err e;

	h->swapping = swapping_none();
	if (layer_keep_begin(h->record_dir, h->run, &h->layer, &e))
		hibernating_fail(h, &e);
	else if (h->layer.child)
		hibernating_await(h, h->layer.pidfd, LAYER_KEEP_US, hibernating_after_layer);
	else
		hibernating_swap(h);
}

void hibernating_end(struct hibernating *h)
{
	if (!h->next)
		return;
	h->next = NULL;
	hub_unwatch(h->hub, &h->watch);
	hub_silence(h->hub, &h->late);
	layer_keep_drop(&h->layer);
	swapping_end(&h->swapping, hub_endings(h->hub));
}
