/*
 * endings - track killed cells, sessions and nurseries until they have ended.
 */
#include "sandbox/endings.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "base/own.h"
#include "cgroup/cgroup_members.h"
#include "cgroup/cgroup_network.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define SOON_MS 5       /* most end within a few milliseconds */
#define SOON_US 1000000 /* a process is stuck after this */
#define NETWORK_US                                                                                 \
	2000000 /* for glovebox-egress to exit by itself; END_US of its starter is the same */
#define LATER_MS   250
#define FAREWELL_S 10

struct ending ending_none(void)
{
	return (struct ending){.pidfd = -1, .since_us = monotonic_us()};
}

void ending_share_group(struct ending *ending, const struct cgroup *group)
{
	cgroup_copy_name(ending->group.name, group->ref.name);
	for (unsigned i = 0; i < group->ref.count; i++) {
		int fd = openat(group->ref.dirs[i], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0) {
			/*
			 * Leave all of it to a sweep, which would not find the rest of a group that
			 * we remove in part.
			 */
			cgroup_ref_close(&ending->group);
			return;
		}
		ending->group.dirs[ending->group.count++] = fd;
	}
}

void ending_take_child(struct ending *ending, struct child *child)
{
	child_kill(child); /* kill first: a child that is not admitted yet shares our descriptors */
	ending->pidfd = take_fd(&child->pidfd);
	ending->child = child->adopted ? 0 : child->pid;
	child->pid = 0;
	child_end(child);
}

static void endings_kill_all(const struct ending *ending)
{
	struct child child = child_none();

	child.pidfd = ending->pidfd;
	child_kill(&child);
	cgroup_kill(&ending->group);
}

void endings_take(struct endings *endings, struct ending *ending)
{
	if (endings->count == endings->capacity) {
		endings->capacity = endings->capacity ? 2 * endings->capacity : 16;
		endings->items =
			own_resize(endings->items, endings->capacity, sizeof(*endings->items));
	}
	ending->since_us = monotonic_us();
	endings->items[endings->count++] = *ending;
	*ending = ending_none();
}

void endings_add(struct endings *endings, struct ending *ending)
{
	endings_kill_all(ending);
	endings_take(endings, ending);
}

void endings_add_process(struct endings *endings, pid_t child, int *pidfd)
{
	struct ending ending = ending_none();

	ending.child = child;
	ending.pidfd = take_fd(pidfd);
	endings_add(endings, &ending);
}

static bool endings_has_ended(const struct ending *ending)
{
	if (ending->child && waitpid(ending->child, NULL, WNOHANG) == 0)
		return false;
	return ending->pidfd < 0 || fd_is_ready(ending->pidfd, POLLIN);
}

/* true: nothing is left. Kills a process that was just being forked. */
static bool endings_look_at(struct ending *ending)
{
	struct err ignored;

	if (ending->frozen && cgroup_thaw_once(&ending->group, &ignored) > 0)
		ending->frozen = false;
	if (!endings_has_ended(ending))
		return false;
	ending->child = 0;
	own_close(&ending->pidfd);
	ending->held = ending->group.count && flock(ending->group.dirs[0], LOCK_EX | LOCK_NB);
	if (ending->held)
		return false; /* its client still reads its usage, and removes it */
	if (cgroup_remove_once(&ending->group))
		return true;
	cgroup_kill(&ending->group);
	/*
	 * glovebox-egress finishes its log and exits when its control socket is closed; kill it
	 * when late.
	 */
	if (monotonic_us() - ending->since_us > NETWORK_US)
		cgroup_network_kill(&ending->group);
	return false;
}

static void endings_forget(struct ending *ending)
{
	own_close(&ending->pidfd);
	cgroup_ref_close(&ending->group);
}

void endings_take_group(struct endings *endings, struct cgroup *group)
{
	struct ending ending = ending_none();

	ending.group = cgroup_hand_over(group);
	if (endings_look_at(&ending))
		endings_forget(&ending);
	else
		endings_take(endings, &ending);
}

void endings_look(struct endings *endings)
{
	/* Go backwards: the last entry replaces a removed one. */
	for (unsigned i = endings->count; i-- > 0;) {
		if (!endings_look_at(&endings->items[i]))
			continue;
		endings_forget(&endings->items[i]);
		endings->items[i] = endings->items[--endings->count];
	}
}

int endings_timeout_ms(const struct endings *endings)
{
	uint64_t now_us = monotonic_us();

	for (unsigned i = 0; i < endings->count; i++) {
		if (now_us - endings->items[i].since_us < SOON_US)
			return SOON_MS;
	}
	return endings->count ? LATER_MS : -1;
}

static bool endings_are_due(const struct endings *endings)
{
	unsigned held = 0;

	for (unsigned i = 0; i < endings->count; i++)
		held += endings->items[i].held;
	return endings->count > held;
}

void endings_fini(struct endings *endings)
{
	const uint64_t end_us = monotonic_us() + FAREWELL_S * 1000000ull;

	for (endings_look(endings); endings_are_due(endings) && monotonic_us() < end_us;
	     endings_look(endings))
		fd_await(-1, 0, monotonic_us() + SOON_MS * 1000ull);
	while (endings->count)
		endings_forget(&endings->items[--endings->count]);
	free(endings->items);
	*endings = (struct endings){0};
}
