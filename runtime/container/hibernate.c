/*
 * hibernate - `hibernate`: sandboxes that stay stand still, with their root on the disk, and
 * sessions, with their files there; their memory goes to swap.
 */
#include <stdio.h>

#include "base/own.h"
#include "cli/command.h"
#include "cli/session_command.h"
#include "cli/words.h"
#include "monitor/ask.h"
#include "monitor/session_find.h"
#include "monitor/session_kept.h"
#include "service/notebook_wait.h"

#define HIBERNATE_S 90 /* to stand still, to write the root, to move the memory; and a reserve */

static void hibernate_print(const struct record *r, const struct monitor_answer *answer)
{
	const bool writable = json_get(r->what, "writable") != NULL;
	const struct cgroup_memory memory = {.has_swap = answer->has_swap,
					     .resident_bytes = answer->memory_bytes,
					     .swapped_bytes = answer->swapped_bytes};
	auto_free char *what =
		own_printf("%s hibernates%s", record_name(r), writable ? ", its root is kept" : "");

	session_freeze_print(what, &memory);
}

static int hibernate_do(const char *name, enum notebook_action action, struct cgroup_memory *out,
			struct err *e)
{
	const struct notebook_wait wait = {.signal_fd = -1, .waits = session_say_waits};
	const struct notebook_request request = {.action = action, .name = name};
	struct notebook_result result = {0};
	int bad = notebook_wait(&request, &wait, &result, e);

	*out = result.memory;
	notebook_result_fini(&result);
	return bad;
}

/* A program in it reads the files: they are kept before it stands still. */
static int hibernate_session(const struct record *r, struct err *e)
{
	auto_free char *what = own_printf("%s hibernates, its files are kept", r->name);
	struct cgroup_memory memory;

	if (hibernate_do(r->name, NOTEBOOK_THAW, &memory, e) || session_kept_write(r, e) < 0 ||
	    hibernate_do(r->name, NOTEBOOK_FREEZE, &memory, e))
		return -1;
	session_freeze_print(what, &memory);
	return 1;
}

static int hibernate_one(void *context, const char *word, struct err *e)
{
	const struct monitor_request request = {.op = "hibernate"};
	auto_record struct record r = {.dir = -1};
	struct monitor_answer answer = {0};
	int bad;

	(void)context;
	if (session_find(word, &r, e))
		return -1;
	if (r.is_session)
		return hibernate_session(&r, e);
	bad = ask_once_within(&r, &request, HIBERNATE_S, &answer, e);
	if (!bad)
		hibernate_print(&r, &answer);
	form_fini(&monitor_answer_form, &answer);
	return bad ? -1 : 1;
}

int command_hibernate(int argc, char **argv)
{
	struct err e;
	int at = words_read(argc, argv, NULL, NULL, 1, WORDS_ANY, &e);

	return at < 0 ? fail_with(&e) : words_each(argc, argv, at, hibernate_one, NULL);
}
