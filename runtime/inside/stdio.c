/*
 * stdio - the program's three streams, and the terminal of -t.
 *
 * The program never gets a descriptor that the caller opened: its streams are pipes of the monitor,
 * /dev/null of the sandbox, or a pty of the sandbox's own devpts, whose master we send to the
 * monitor.
 */
#include <asm/termbits.h>
#include <fcntl.h>
#include <sys/ioctl.h>

#include "inside/confine.h"
#include "inside/report.h"
#include "inside/sys.h"

/* A new devpts numbers from 0, and this is its first pty. */
#define FIRST_PTY "/dev/pts/0"

/* Make a pty, and send its master. Returns the program's end, if it is wanted, or -1. */
static int stdio_make_terminal(const struct inside_plan *plan, bool want_peer, struct err *e)
{
	struct winsize size = {.ws_row = plan->tty_rows, .ws_col = plan->tty_columns};
	int unlock = 0;
	long peer = 0;
	long master;
	long n;

	master = sys_openat(AT_FDCWD, "/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC, 0);
	if (master < 0)
		return inside_fail(e, master, "open", "/dev/ptmx");
	n = sys3(__NR_ioctl, master, TIOCSPTLCK, &unlock);
	if (n >= 0)
		n = sys3(__NR_ioctl, master, TIOCSWINSZ, &size);
	if (n >= 0 && want_peer)
		n = peer = sys3(__NR_ioctl, master, TIOCGPTPEER, O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (n >= 0)
		n = inside_send_fd(plan, REPORT_FD_PTY, (int)master);
	sys_close((int)master);
	return n < 0 ? inside_fail(e, n, "set up the terminal", NULL) : (int)peer;
}

/* Behind the door each program has a pty of its own: confine_stdio() makes it. */
int confine_terminal(const struct inside_plan *plan, struct err *e)
{
	return !plan->tty || plan->stays ? 0 : stdio_make_terminal(plan, false, e);
}

static int stdio_place(int fd, int target, struct err *e)
{
	long n = fd == target ? sys3(__NR_fcntl, fd, F_SETFD, 0) : sys3(__NR_dup3, fd, target, 0);

	return n < 0 ? inside_fail(e, n, "set up the standard streams", NULL) : 0;
}

static int stdio_open_terminal(const struct inside_plan *plan, struct err *e)
{
	long fd;

	if (plan->stays)
		return stdio_make_terminal(plan, true, e);
	fd = sys_openat(AT_FDCWD, FIRST_PTY, O_RDWR | O_CLOEXEC | O_NOCTTY, 0);
	return fd < 0 ? inside_fail(e, fd, "open", FIRST_PTY) : (int)fd;
}

static int stdio_take_terminal(const struct inside_plan *plan, struct err *e)
{
	int fd = stdio_open_terminal(plan, e);
	long n;

	if (fd < 0)
		return -1;
	n = sys3(__NR_ioctl, fd, TIOCSCTTY, 0);
	if (n < 0)
		return inside_fail(e, n, "take the terminal", NULL);
	return stdio_place(fd, 0, e) || stdio_place(fd, 1, e) || stdio_place(fd, 2, e) ? -1 : 0;
}

/* A stream that nobody has is the sandbox's /dev/null. */
static int stdio_place_stream(int fd, int target, struct err *e)
{
	long own = fd;

	if (fd < 0)
		own = sys_openat(AT_FDCWD, "/dev/null", (target ? O_WRONLY : O_RDONLY) | O_CLOEXEC,
				 0);
	return own < 0 ? inside_fail(e, own, "open", "/dev/null")
		       : stdio_place((int)own, target, e);
}

int confine_stdio(const struct inside_plan *plan, struct err *e)
{
	if (plan->channel_fd >= 0 && stdio_place(plan->channel_fd, CHANNEL_FD, e))
		return -1;
	if (plan->tty)
		return stdio_take_terminal(plan, e);
	for (int i = 0; i < 3; i++) {
		if (stdio_place_stream(plan->stdio[i], i, e))
			return -1;
	}
	return 0;
}
