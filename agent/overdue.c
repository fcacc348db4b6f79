/*
 * overdue - end an agent that is stuck past its deadline.
 */
#include "agent/overdue.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t exit_status;

static void overdue_end(int number)
{
	(void)number;
	_exit(exit_status);
}

static void overdue_set_timer(uint64_t ms)
{
	const struct itimerval timer = {
		.it_value = {(time_t)(ms / 1000), (suseconds_t)(ms % 1000) * 1000}
        };

	setitimer(ITIMER_REAL, &timer, NULL);
}

void overdue_arm(uint64_t ms, int status)
{
	const struct sigaction action = {.sa_handler = overdue_end};
	sigset_t set;

	if (!ms)
		return;
	exit_status = status;
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	overdue_set_timer(ms);
}

void overdue_disarm(void)
{
	overdue_set_timer(0);
}
