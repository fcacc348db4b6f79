/*
 * stopping - end a program by a signal, and kill it after a grace.
 */
#include "sandbox/stopping.h"

#include <signal.h>

#include "base/process.h"
#include "host/omit.h"
#include "loop/clock.h"
#include "sandbox/spawn.h"
#include "spec/run_settings.h"

#define NEVER            UINT64_MAX
#define DOCKERS_GRACE_MS 10000
#define INSISTED         3 /* docker's client forwards two, and exits at the third */

struct stopping stopping_none(void)
{
	return (struct stopping){.kill_at = NEVER};
}

uint64_t stopping_deadline(const struct limits *l, uint64_t from_us)
{
	return l->wall_time_ms == SPEC_UNLIMITED || host_omits("deadline")
		       ? NEVER
		       : from_us + l->wall_time_ms * 1000;
}

static bool stopping_ask(struct stopping *s, int control, enum order_kind kind, int number,
			 uint64_t grace_ms)
{
	bool begun = s->kill_at != NEVER;

	s->kill_at = NEVER;
	if (begun || !grace_ms)
		return false;
	child_order(control, kind, number);
	s->kill_at = monotonic_us() + grace_ms * 1000;
	return true;
}

bool stopping_at_deadline(struct stopping *s, const struct sandbox_spec *spec, int control)
{
	return stopping_ask(s, control, ORDER_GROUP, spec->deadline_signal,
			    spec->deadline_grace_ms);
}

static bool stopping_forward(struct stopping *s, const struct sandbox_spec *spec, int control,
			     int number)
{
	bool for_the_end = number == SIGTERM || number == SIGINT;

	if (for_the_end && (++s->asked == INSISTED || !spec->stop_timeout_ms))
		return false;
	child_order(control, ORDER_SIGNAL, number);
	if (for_the_end && s->kill_at == NEVER && spec->stop_timeout_ms != SPEC_UNLIMITED)
		s->kill_at = monotonic_us() + spec->stop_timeout_ms * 1000;
	return true;
}

static bool stopping_order(struct stopping *s, const struct sandbox_spec *spec, bool gone,
			   int control, int order, int *by)
{
	bool given = setting_given(run_settings, spec->given, "stop-timeout");
	bool stop = order == PROCESS_STOP;

	s->late |= stop || order == SIGKILL;
	if (order == SIGKILL || (stop && gone)) {
		*by = *by ? *by : SIGKILL;
		return gone;
	}
	/* With --sig-proxy, report the status of a program that ends by itself in time. */
	if (stop && !spec->sig_proxy)
		*by = *by ? *by : spec->stop_signal;
	if (stop && s->kill_at == NEVER)
		return stopping_ask(s, control, ORDER_SIGNAL, spec->stop_signal,
				    given ? spec->stop_timeout_ms : DOCKERS_GRACE_MS);
	if (!gone)
		child_order(control, ORDER_SIGNAL,
			    stop || order == PROCESS_STOP_SIGNAL ? spec->stop_signal : order);
	return true;
}

bool stopping_is_meant(int number)
{
	return number != SIGUSR1 && number != SIGUSR2 && number != SIGCONT && number != SIGTSTP &&
	       number != SIGWINCH && number < PROCESS_ORDERED;
}

bool stopping_signal(struct stopping *s, const struct sandbox_spec *spec, bool gone, int control,
		     int number, int *by)
{
	bool forward = spec->sig_proxy && !gone;

	if (number >= PROCESS_ORDERED)
		return stopping_order(s, spec, gone, control, number - PROCESS_ORDERED, by);
	if (forward ? stopping_forward(s, spec, control, number) : !stopping_is_meant(number))
		return true;
	*by = *by ? *by : number;
	return !forward &&
	       stopping_ask(s, control, ORDER_SIGNAL, spec->stop_signal, spec->stop_timeout_ms);
}

bool stopping_is_over(struct stopping *s, uint64_t now_us, int *by)
{
	if (now_us < s->kill_at)
		return false;
	s->kill_at = NEVER;
	*by = *by ? *by : SIGKILL;
	return true;
}
