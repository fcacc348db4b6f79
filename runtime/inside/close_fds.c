/*
 * close_fds - keep the standard streams and the control socket, close the rest.
 *
 * What the caller of glovebox had open (files, directories, sockets) would
 * otherwise cross into the sandbox: a directory descriptor is a way out.
 * close_range(2), Linux 5.9.
 */
#include "inside/confine.h"
#include "inside/sys.h"

static int close_but_control(const struct inside_plan *plan, unsigned first, struct err *e)
{
	unsigned control = (unsigned)plan->control_fd;
	long n = 0;

	if (control > first)
		n = sys3(__NR_close_range, first, control - 1, 0);
	if (n >= 0)
		n = sys3(__NR_close_range, control + 1, ~0u, 0);
	return n < 0 ? inside_fail(e, n, "close inherited descriptors", NULL) : 0;
}

int confine_close_fds(const struct inside_plan *plan, struct err *e)
{
	return close_but_control(plan, plan->channel_fd >= 0 ? CHANNEL_FD + 1 : 3, e);
}

/* pid 1 needs no streams. */
int confine_init_close_fds(const struct inside_plan *plan, struct err *e)
{
	return close_but_control(plan, 0, e);
}
