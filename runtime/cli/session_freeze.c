/*
 * session_freeze - `glovebox session freeze, thaw`: a waiting session costs no CPU time.
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/session_command.h"
#include "service/notebook_wait.h"

#define MIB(bytes) ((unsigned long long)(((bytes) + (1u << 19)) >> 20))

void session_freeze_print(const char *what, const struct cgroup_memory *m)
{
	if (m->has_swap)
		printf("%s; %llu MiB in swap, %llu MiB stay in memory\n", what,
		       MIB(m->swapped_bytes), MIB(m->resident_bytes));
	else
		printf("%s; no swap on this machine: %llu MiB stay in memory\n", what,
		       MIB(m->resident_bytes));
}

void session_say_waits(const char *name)
{
	fprintf(stderr,
		"glovebox: waiting for the session %s: another client has it, or the warm "
		"supervisor does not answer\n",
		name);
}

static int session_freeze_with(int argc, char **argv, enum notebook_action action)
{
	const struct notebook_wait wait = {.signal_fd = -1, .waits = session_say_waits};
	struct notebook_request request = {.action = action};
	struct notebook_result result = {0};
	struct err e;
	int status = 0;

	if (argc != 2)
		err_input(&e, "session %s NAME", argv[0]);
	request.name = argv[1];
	if (argc != 2 || notebook_wait(&request, &wait, &result, &e))
		status = fail_with(&e);
	else if (action == NOTEBOOK_FREEZE)
		session_freeze_print("frozen", &result.memory);
	notebook_result_fini(&result);
	return status;
}

int session_thaw(const char *name, struct err *e)
{
	const struct notebook_wait wait = {.signal_fd = -1, .waits = session_say_waits};
	const struct notebook_request request = {.action = NOTEBOOK_THAW, .name = name};
	struct notebook_result result = {0};
	const int bad = notebook_wait(&request, &wait, &result, e);

	notebook_result_fini(&result);
	return bad;
}

int session_freeze_command(int argc, char **argv)
{
	return session_freeze_with(argc, argv, NOTEBOOK_FREEZE);
}

int session_thaw_command(int argc, char **argv)
{
	return session_freeze_with(argc, argv, NOTEBOOK_THAW);
}
