/*
 * cgroup_update - change the limits of a group while its processes run.
 */
#include "cgroup/cgroup_update.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/parse.h"
#include "base/process.h"

#define FIRST_US 1000000 /* a write that reclaims memory takes no longer */
#define AGAIN_US 50000   /* the signal repeats, because the first may come before the call */

struct cgroup_change *cgroup_change_add(struct cgroup_changes *all, int dir, const char *file,
					const char *flag, const char *value)
{
	struct cgroup_change *x = &all->items[all->count];

	*x = (struct cgroup_change){.dir = dir, .file = file};
	snprintf(x->value, sizeof(x->value), "%s", value);
	if (dir < 0)
		all->missing = flag;
	else
		all->count++;
	return x;
}

struct cgroup_change *cgroup_change_number(struct cgroup_changes *all, int dir, const char *file,
					   const char *flag, uint64_t value, const char *none)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return cgroup_change_add(all, dir, file, flag, value == SPEC_UNLIMITED ? none : text);
}

/* While the processes take memory the kernel would reclaim it for ever: SIGALRM interrupts it. */
static void cgroup_update_limit_time(bool on)
{
	const struct itimerval time = {
		.it_value.tv_sec = on ? FIRST_US / 1000000 : 0,
		.it_interval.tv_usec = on ? AGAIN_US : 0,
	};

	if (process_has_alarm())
		setitimer(ITIMER_REAL, &time, NULL);
}

/* One write, which a signal ends. */
static int cgroup_update_write(const struct cgroup_change *x)
{
	auto_fd int fd = openat(x->dir, x->file, O_WRONLY | O_CLOEXEC);
	const ssize_t length = (ssize_t)strlen(x->value);

	return fd >= 0 && write(fd, x->value, (size_t)length) == length ? 0 : -1;
}

static int cgroup_update_refuse_memory(uint64_t used, uint64_t most, struct err *e)
{
	char uses[24];
	char gets[24];

	return err_set(e, ERR_BUSY,
		       "--memory: it uses %s, more than %s: give it more, or end some of its "
		       "programs first",
		       format_size(used, uses), format_size(most, gets));
}

static int cgroup_update_one(const struct cgroup *c, struct cgroup_change *x, uint64_t memory,
			     struct err *e)
{
	uint64_t used;

	if (io_peek(x->dir, x->file, x->before, sizeof(x->before)))
		return err_sys(e, "read cgroup limit %s", x->file);
	if (cgroup_update_write(x)) {
		err_sys(e, "set cgroup limit %s to %s", x->file, x->value);
		used = cgroup_number(c->ref.dirs[0], c->layout->resident_file, NULL);
		return e->number == EBUSY || e->number == EINTR
			       ? cgroup_update_refuse_memory(used, memory, e)
			       : -1;
	}
	used = x->most_bytes ? cgroup_number(x->dir, c->layout->resident_file, NULL) : 0;
	return used > x->most_bytes ? cgroup_update_refuse_memory(used, memory, e) : 0;
}

static int cgroup_update_all(const struct cgroup *c, struct cgroup_changes *all, uint64_t memory,
			     struct err *e)
{
	unsigned done = 0;

	while (done < all->count && !cgroup_update_one(c, &all->items[done], memory, e))
		done++;
	if (done == all->count)
		return 0;
	for (unsigned i = done + 1; i-- > 0;) {
		if (*all->items[i].before)
			(void)io_put(all->items[i].dir, all->items[i].file, all->items[i].before);
	}
	return -1;
}

int cgroup_update(const struct cgroup *c, const struct limits *now, const struct limits *next,
		  struct err *e)
{
	struct cgroup_changes all = {.count = 0};
	int bad;

	if (!c->layout && !cgroup_nothing_to_limit(next))
		return err_set(e, ERR_UNSUPPORTED,
			       "it was started without any limit, and has no control group: stop "
			       "it, update it, and start it");
	if (!c->layout)
		return 0;
	if (c->layout->list_changes(c, now, next, &all, e))
		return -1;
	if (all.missing)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: it was started without, and has no control group for it: stop "
			       "it, update it, and start it",
			       all.missing);
	cgroup_update_limit_time(true);
	bad = cgroup_update_all(c, &all, next->memory_bytes, e);
	cgroup_update_limit_time(false);
	return bad;
}
