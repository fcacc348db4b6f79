/*
 * session_door - the door of a session.
 */
#include "client/session_door.h"

#include "base/own.h"
#include "sandbox/plan_image.h"

struct ask *session_door_ask(const char *where, const char *name)
{
	const struct door_request request = {name, plan_image_layout()};

	return ask_start(where, -1, OP_DOOR, &request, NULL, 0);
}

int session_door_receive(struct ask *x, struct session_door *out, struct err *e)
{
	struct session_door d = session_door_none();
	struct op_answer answer;
	int bad;

	if (ask_end(x, &d.connection, &answer, e))
		return -1;
	bad = op_answer_check_fds(&answer, e);
	if (!bad) {
		d.control = wire_take(&answer.message, 0);
		d.plan = wire_take(&answer.message, 1);
		d.host_uid = (uint32_t)answer.door.uid;
		d.exec = (uint32_t)answer.door.exec;
	}
	op_answer_fini(&answer);
	if (bad)
		session_door_close(&d);
	else
		*out = d;
	return bad ? -1 : 0;
}

int session_door_open(const char *where, const char *name, struct session_door *out, struct err *e)
{
	struct ask *x = session_door_ask(where, name);

	while (!ask_step(x))
		loop_wait(ask_loop(x), -1);
	return session_door_receive(x, out, e);
}

int session_door_order(const struct session_door *d, const struct door_wish *wish,
		       struct child *child, struct err *e)
{
	uint64_t bytes;
	const struct inside_plan *plan = door_map(d->plan, &bytes, e);
	const struct door door = {plan, d->control, d->host_uid, true};
	int bad;

	if (!plan)
		return -1;
	bad = door_check(wish, e) || door_exec(&door, d->exec, wish, child, e);
	door_unmap(bytes);
	return bad ? -1 : 0;
}

void session_door_close(struct session_door *d)
{
	own_close(&d->connection);
	own_close(&d->control);
	own_close(&d->plan);
}
