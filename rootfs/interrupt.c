/*
 * interrupt - SIGINT, SIGTERM and SIGHUP as a flag that long loops look at.
 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static void note(int number)
{
	if (!caught)
		caught = number;
}

static void set_all(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

void interrupt_setup(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	set_all(note);
	/* A closed pipe is an error of the write, not the end of a half-made tree. */
	sigaction(SIGPIPE, &ignore, NULL);
}

void interrupt_reset(void)
{
	struct sigaction deflt = {.sa_handler = SIG_DFL};

	set_all(SIG_DFL);
	sigaction(SIGPIPE, &deflt, NULL);
}

int interrupt_signal(void)
{
	return caught;
}

int interrupt_check(struct err *e)
{
	return caught ? err_set(e, ERR_SYSTEM, "interrupted") : 0;
}
