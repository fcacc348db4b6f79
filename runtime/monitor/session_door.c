/*
 * session_door - start a program in a session, beside its Python.
 */
#include "monitor/session_door.h"

#include <stdio.h>

#include "base/own.h"
#include "client/client.h"
#include "sandbox/plan_image.h"
#include "sandbox/spawn.h"

/* 0; 1: no session has the name; -1 with *e. */
static int session_door_look(const char *name, struct err *e)
{
	struct op_answer answer;

	if (client_checkpoints(NULL, name, &answer, e))
		return e->kind == ERR_NOT_FOUND ? 1 : -1;
	op_answer_fini(&answer);
	return 0;
}

bool session_door_has(const char *name)
{
	struct err ignored;

	return !session_door_look(name, &ignored);
}

int session_door_find(const char *word, struct record *out, struct err *e)
{
	const int missing = record_find(word, out, e);
	struct err session;
	int found;

	if (missing ? e->kind != ERR_NOT_FOUND : record_runs(out))
		return missing;
	found = session_door_look(word, &session);
	if (found && !missing)
		return 0; /* the one that has ended */
	if (found < 0)
		*e = session;
	if (found)
		return -1;
	record_fini(out);
	*out = (struct record){.dir = -1, .is_session = true};
	snprintf(out->name, sizeof(out->name), "%s", word);
	return 0;
}

static int session_door_order(const struct op_answer *answer, int plan_fd, int control,
			      const struct door_wish *wish, struct child *child, struct err *e)
{
	uint64_t bytes;
	const struct inside_plan *plan = door_map(plan_fd, &bytes, e);
	const struct door door = {plan, control, (uint32_t)answer->door.uid, true};
	int bad;

	if (!plan)
		return -1;
	bad = door_check(wish, e) || door_exec(&door, (uint32_t)answer->door.exec, wish, child, e);
	door_unmap(bytes);
	return bad ? -1 : 0;
}

int session_door_exec(const char *name, const struct door_wish *wish, struct child *child,
		      struct session_door *out, struct err *e)
{
	const struct door_request request = {name, plan_image_layout()};
	struct session_door d = session_door_none();
	auto_fd int plan = -1;
	struct op_answer answer;
	int bad;

	if (client_ask_and_stay(NULL, OP_DOOR, &request, &d.connection, &answer, e))
		return -1;
	bad = op_answer_check_fds(&answer, e);
	if (!bad) {
		d.control = wire_take(&answer.message, 0);
		plan = wire_take(&answer.message, 1);
		d.exec = (uint32_t)answer.door.exec;
		bad = session_door_order(&answer, plan, d.control, wish, child, e);
	}
	op_answer_fini(&answer);
	if (bad)
		session_door_close(&d);
	else
		*out = d;
	return bad ? -1 : 0;
}

void session_door_close(struct session_door *d)
{
	own_close(&d->connection);
	own_close(&d->control);
}
