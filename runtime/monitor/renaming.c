/*
 * renaming - give a sandbox that stays another name.
 */
#include "monitor/renaming.h"

#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "monitor/ask.h"
#include "record/record_names.h"
#include "record/record_remove.h"
#include "spec/program_flags.h"

#define MOMENT_US 10000000 /* in which one that starts or ends has done so */

int renaming_do(struct record_kept *k, struct registration *place, const char *name, struct err *e)
{
	auto_free char *before = own_strdup(k->name);
	struct err ignored;

	if (program_name_check(name, e) || registry_rename(place, name, e))
		return -1;
	if (!record_names_change(k->dir, k->id, k->name, name, e))
		return 0;
	(void)registry_rename(place, before, &ignored);
	return -1;
}

/*
 * One that does not run has no place in the registry: its new name is held there until it has it. A
 * run in the foreground has its own there, and looks at the records after it has taken it.
 */
static int renaming_ended(struct record *r, const char *name, struct err *e)
{
	const struct registry_entry entry = {
		.kind = "rename", .id = "", .image = "", .command = "", .memory = ""};
	auto_registration held = registration_none();

	record_read_name(r); /* another process may have renamed it before the lock */
	/* First: it names the other one. */
	if (strcmp(r->name, name) != 0 && record_names_check(name, e))
		return -1;
	return registry_enter(name, &entry, &held, e) ||
			       record_names_change(r->dir, r->id, r->name, name, e)
		       ? -1
		       : 0;
}

/* ERR_GONE: its monitor is about to listen, or has just ended. */
static int renaming_once(struct record *r, const char *name, struct err *e)
{
	const struct monitor_request request = {.op = "rename", .name = name};
	struct monitor_answer answer = {0};
	auto_fd int lock = record_runs(r) ? -1 : record_lock(r);
	int bad;

	if (lock >= 0)
		return renaming_ended(r, name, e);
	if (!record_runs(r))
		return err_set(e, ERR_GONE, "%.100s is starting, or being removed", r->name);
	bad = ask_once(r, &request, &answer, e);
	form_fini(&monitor_answer_form, &answer);
	return bad ? -1 : 0;
}

int renaming_ask(const char *word, const char *name, struct err *e)
{
	const uint64_t until_us = monotonic_us() + MOMENT_US;
	auto_record struct record r = {.dir = -1};
	char id[RECORD_ID];

	if (program_name_check(name, e) || record_find(word, &r, e))
		return -1;
	memcpy(id, r.id, sizeof(id));
	while (renaming_once(&r, name, e)) {
		if (e->kind != ERR_GONE || monotonic_us() > until_us)
			return -1;
		clock_pause_us(1000);
		record_fini(&r);
		if (record_find(id, &r, e))
			return -1;
		if (!strcmp(r.name, name))
			return 0; /* it was done, and the monitor has ended before it said so */
	}
	return 0;
}
