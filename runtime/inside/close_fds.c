/*
 * close_fds - keep the standard streams and the control socket, close the rest.
 *
 * Otherwise open files, directories and sockets of glovebox's caller would enter the sandbox: a
 * directory descriptor is a way out. close_range(2), Linux 5.9.
 */
#include "inside/confine.h"
#include "inside/overlay.h"
#include "inside/sys.h"

static long close_fds_between(int first, int last)
{
	return first > last ? 0 : sys3(__NR_close_range, first, last, 0);
}

/* Close all from `first` on, except two, which may be the same. */
static int close_fds_but(int first, int kept, int also, struct err *e)
{
	int low = kept < also ? kept : also;
	int high = kept < also ? also : kept;
	long n = close_fds_between(first, low - 1);

	if (n >= 0)
		n = close_fds_between(low + 1, high - 1);
	if (n >= 0)
		n = sys3(__NR_close_range, high + 1, ~0u, 0);
	return n < 0 ? inside_fail(e, n, "close inherited descriptors", NULL) : 0;
}

int confine_close_fds(const struct inside_plan *plan, struct err *e)
{
	return close_fds_but(plan->channel_fd >= 0 ? CHANNEL_FD + 1 : 3, plan->control_fd,
			     plan->control_fd, e);
}

/* pid 1 needs no streams; it keeps the layers of a root for a Landlock rule (landlock.c). */
int confine_init_close_fds(const struct inside_plan *plan, struct err *e)
{
	const int also = overlay_layers() < 0 ? plan->control_fd : overlay_layers();

	return close_fds_but(0, plan->control_fd, also, e);
}
