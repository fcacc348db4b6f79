/*
 * calls - check the system call filter, call by call.
 *
 * glovebox has computed the filter's answer to each number when all arguments are ones; here we
 * make each call that it refuses. For most calls the kernel's own answer to such arguments differs;
 * calls for which it is the same are refused nevertheless. We also make each allowed call, if a run
 * without a filter has shown that its own answer differs from a filter's.
 */
#include <errno.h>
#include <signal.h>

#include "inside/sys.h"
#include "probe/probe.h"

#define X32_BIT 0x40000000

static long calls_make(long number)
{
	return sys_call6(number, -1, -1, -1, -1, -1, -1);
}

/* "number:errno,number:errno..." */
static void calls_refused(const char *list)
{
	long wrong = 0;
	long first = PROBE_NO_NUMBER;
	long count = 0;

	for (; *list; count++) {
		long number = probe_digits(&list);
		long answer;

		list += *list == ':';
		answer = probe_digits(&list);
		list += *list == ',';
		if (calls_make(number) == -answer)
			continue;
		first = wrong++ ? first : number;
	}
	if (wrong)
		probe_say("seccomp", "every call that is refused", false,
			  "answered otherwise, first number", first);
	else
		probe_say("seccomp", "every call that is refused", count > 0, "calls:", count);
}

/* The errors with which the policy refuses. */
static bool calls_looks_refused(long answer)
{
	return answer == -EPERM || answer == -ENOSYS || answer == -EOPNOTSUPP;
}

/* Make it in a process of its own: some calls change the process. */
static long calls_make_allowed(long argument)
{
	const char *list = probe_option("allowed");
	long count = 0;
	long wrong = 0;
	long first = 0;

	(void)argument;
	for (; *list; count++) {
		long number = probe_digits(&list);

		list += *list == ',';
		if (calls_looks_refused(calls_make(number)))
			first = wrong++ ? first : number;
	}
	probe_say("seccomp", "every call that is allowed", !wrong && count,
		  wrong ? "refused, first number" : "calls:", wrong ? first : count);
	return 0;
}

static void calls_allowed(void)
{
	long status = probe_in_child(calls_make_allowed, 0);

	if (status)
		probe_say("seccomp", "every call that is allowed", false, "ended by", status);
}

static void calls_put(const char *before, long number)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	sys_write(1, before, sys_strlen(before));
	sys_write(1, &digits[at], sizeof(digits) - at);
}

static long calls_tell(long argument)
{
	const char *list = probe_option("allowed");
	const char *before = "fit=";

	(void)argument;
	while (*list) {
		long number = probe_digits(&list);

		list += *list == ',';
		if (calls_looks_refused(calls_make(number)))
			continue;
		calls_put(before, number);
		before = ",";
	}
	sys_write(1, "\n", 1);
	return 0;
}

void calls_tell_own(void)
{
	long status = probe_in_child(calls_tell, 0);

	if (status)
		probe_say("seccomp", "every call, without a filter", false, "ended by", status);
}

/* "number:argument:argument:argument:argument:answer,..." */
static void calls_conditions(const char *list)
{
	long wrong = 0;
	long first = 0;
	long count = 0;

	for (; *list; count++) {
		long words[6];
		long answer;
		bool held;

		for (int i = 0; i < 6; i++) {
			words[i] = probe_digits(&list);
			list += *list == ':';
		}
		list += *list == ',';
		answer = sys_call6(words[0], words[1], words[2], words[3], words[4], 0, 0);
		held = words[5] == PROBE_ALLOWED ? !calls_looks_refused(answer)
						 : answer == -words[5];
		if (!held)
			first = wrong++ ? first : count;
	}
	probe_say(
		"seccomp", "every call that depends on its arguments", !wrong && count,
		wrong ? "answered otherwise, first of the list:" : "calls:", wrong ? first : count);
}

static void calls_killed(void)
{
#if defined(__x86_64__)
	long status = probe_in_child(calls_make, X32_BIT | __NR_getpid);

	probe_say("seccomp", "a call of another ABI (x32) kills", (status & 127) == SIGSYS,
		  "signal", status & 127);
#endif
}

void calls_check(void)
{
	const char *list = probe_option("refused");
	const char *conditions = probe_option("conditions");

	if (!list)
		return;
	calls_refused(list);
	if (probe_option("allowed"))
		calls_allowed();
	if (conditions)
		calls_conditions(conditions);
	calls_killed();
}
