/*
 * interrupt - turn SIGINT, SIGTERM and SIGHUP into a flag that long loops check.
 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "loop/clock.h"
#include "loop/loop.h"

static volatile sig_atomic_t caught;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};

/*
 * The signal may come just after a check of the flag and before a read that blocks: so interrupt
 * that read, too, a second later, and every later one.
 */
static void interrupt_note(int number)
{
	if (!caught && number != SIGALRM)
		caught = number;
	alarm(1);
}

static void interrupt_set_all(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

void interrupt_setup(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	interrupt_set_all(interrupt_note);
	/*
	 * Report a closed pipe as an error of the write: SIGPIPE would end us with an incomplete
	 * tree.
	 */
	sigaction(SIGPIPE, &ignore, NULL);
}

void interrupt_reset(void)
{
	struct sigaction deflt = {.sa_handler = SIG_DFL};

	alarm(0);
	interrupt_set_all(SIG_DFL);
	sigaction(SIGPIPE, &deflt, NULL);
}

int interrupt_signal(void)
{
	return caught;
}

bool interrupt_await(int fd)
{
	struct pollfd p = {fd, POLLIN, 0};
	struct loop l = loop_none();

	loop_arrange(&l, &p, 1, monotonic_us() + INTERRUPT_LOOK_MS * 1000);
	loop_wait(&l, -1);
	return p.revents;
}

int interrupt_check(struct err *e)
{
	return caught ? err_set(e, ERR_SYSTEM, "interrupted") : 0;
}
