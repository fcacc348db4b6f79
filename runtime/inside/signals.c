/*
 * signals - set default dispositions and an empty mask.
 *
 * Ignored signals and blocked masks survive execve (signal(7)); nohup and service managers leave
 * both behind.
 *
 * Handlers do not survive execve, but a cell's program is a copy of its nursery. There we keep the
 * C library's own handlers: it uses two signals, invisible to programs, to cancel threads and to
 * set the ids of all threads; glibc before 2.34 installs their handlers only at the start of a
 * process.
 */
#include "inside/confine.h"
#include "inside/sys.h"

#include <signal.h>

#define LIBC_FIRST 32 /* SIGCANCEL (nptl(7)) */
#define LIBC_LAST  33 /* SIGSETXID */

/* The kernel's own layout (asm/signal.h): handler, flags, restorer, mask. */
struct kernel_sigaction {
	unsigned long handler;
	unsigned long flags;
	unsigned long restorer;
	unsigned long mask;
};

int confine_signals(const struct inside_plan *plan, struct err *e)
{
	const struct kernel_sigaction reset = {0};
	unsigned long none = 0;
	long n;

	for (int number = 1; number <= 64; number++) {
		if (number == SIGKILL || number == SIGSTOP)
			continue;
		if (plan->is_cell && number >= LIBC_FIRST && number <= LIBC_LAST)
			continue;
		n = sys4(__NR_rt_sigaction, number, &reset, NULL, sizeof(reset.mask));
		if (n < 0)
			return inside_fail(e, n, "reset signal dispositions", NULL);
	}
	n = sys4(__NR_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
	return n < 0 ? inside_fail(e, n, "empty the signal mask", NULL) : 0;
}
