/*
 * session_freeze - `glovebox session freeze, thaw`: a waiting session costs no CPU time.
 */
#include <stdio.h>

#include "base/own.h"
#include "cli/command.h"
#include "cli/session_command.h"
#include "client/client.h"
#include "client/session.h"

#define MIB(bytes) ((unsigned long long)(((bytes) + (1u << 19)) >> 20))

static void session_freeze_print_frozen(const struct cgroup_memory *m)
{
	if (m->has_swap)
		printf("frozen; %llu MiB in swap, %llu MiB stay in memory\n", MIB(m->swapped_bytes),
		       MIB(m->resident_bytes));
	else
		printf("frozen; no swap on this machine: %llu MiB stay in memory\n",
		       MIB(m->resident_bytes));
}

static int session_freeze_with_freezer(int argc, char **argv,
				       int (*act)(struct session *, struct err *))
{
	auto_fd int connection = -1;
	struct session session;
	struct err e;
	struct err ignored;
	int bad;

	if (argc != 2) {
		err_input(&e, "session %s NAME", argv[0]);
		return fail_with(&e);
	}
	if (client_borrow_to_freeze(NULL, argv[1], &session, &connection, &e))
		return fail_with(&e);
	bad = act(&session, &e);
	(void)client_return(NULL, &session, false, &connection, &ignored);
	return bad ? fail_with(&e) : 0;
}

static int session_freeze_one(struct session *session, struct err *e)
{
	struct cgroup_memory memory;

	if (session_freeze(session, &memory, e))
		return -1;
	session_freeze_print_frozen(&memory);
	return 0;
}

int session_freeze_command(int argc, char **argv)
{
	return session_freeze_with_freezer(argc, argv, session_freeze_one);
}

int session_thaw_command(int argc, char **argv)
{
	return session_freeze_with_freezer(argc, argv, session_thaw);
}
