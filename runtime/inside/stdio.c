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
#include "inside/init.h"
#include "inside/sys.h"

/* A new devpts numbers from 0, and this is its first pty. */
#define FIRST_PTY "/dev/pts/0"

int confine_terminal(const struct inside_plan *plan, struct err *e)
{
	struct winsize size = {.ws_row = plan->tty_rows, .ws_col = plan->tty_columns};
	int unlock = 0;
	long master;
	long n;

	if (!plan->tty)
		return 0;
	master = sys_openat(AT_FDCWD, "/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC, 0);
	if (master < 0)
		return inside_fail(e, master, "open", "/dev/ptmx");
	n = sys3(__NR_ioctl, master, TIOCSPTLCK, &unlock);
	if (n >= 0)
		n = sys3(__NR_ioctl, master, TIOCSWINSZ, &size);
	if (n >= 0)
		n = inside_send_fd(plan, REPORT_FD_PTY, (int)master);
	sys_close((int)master);
	return n < 0 ? inside_fail(e, n, "set up the terminal", NULL) : 0;
}

static int stdio_place(int fd, int target, struct err *e)
{
	long n = sys3(__NR_dup3, fd, target, 0);

	return n < 0 ? inside_fail(e, n, "set up the standard streams", NULL) : 0;
}

static int stdio_take_terminal(struct err *e)
{
	long fd = sys_openat(AT_FDCWD, FIRST_PTY, O_RDWR | O_CLOEXEC | O_NOCTTY, 0);
	long n;

	if (fd < 0)
		return inside_fail(e, fd, "open", FIRST_PTY);
	n = sys3(__NR_ioctl, fd, TIOCSCTTY, 0);
	if (n < 0)
		return inside_fail(e, n, "take the terminal", FIRST_PTY);
	return stdio_place((int)fd, 0, e) || stdio_place((int)fd, 1, e) ||
			       stdio_place((int)fd, 2, e)
		       ? -1
		       : 0;
}

int confine_stdio(const struct inside_plan *plan, struct err *e)
{
	long input = plan->stdio[0];

	if (plan->channel_fd >= 0 && stdio_place(plan->channel_fd, CHANNEL_FD, e))
		return -1;
	if (plan->tty)
		return stdio_take_terminal(e);
	if (input < 0)
		input = sys_openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0);
	if (input < 0)
		return inside_fail(e, input, "open", "/dev/null");
	return stdio_place((int)input, 0, e) || stdio_place(plan->stdio[1], 1, e) ||
			       stdio_place(plan->stdio[2], 2, e)
		       ? -1
		       : 0;
}
