/*
 * client - send requests to a warm supervisor.
 */
#include "client/client.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "base/utf8.h"
#include "client/ask.h"
#include "loop/clock.h"

static int client_await(struct ask *x, int *connection, struct op_answer *out, struct err *e)
{
	while (!ask_step(x))
		loop_wait(ask_loop(x), -1);
	return ask_end(x, connection, out, e);
}

int client_ask(const char *where, int socket, enum op op, const void *fields, const int *fds,
	       unsigned fd_count, struct op_answer *out, struct err *e)
{
	return client_await(ask_start(where, socket, op, fields, fds, fd_count), NULL, out, e);
}

int client_ask_once(const char *where, enum op op, const void *fields, struct op_answer *out,
		    struct err *e)
{
	return client_ask(where, -1, op, fields, NULL, 0, out, e);
}

int client_ask_and_stay(const char *where, enum op op, const void *fields, int *connection,
			struct op_answer *out, struct err *e)
{
	return client_await(ask_start(where, -1, op, fields, NULL, 0), connection, out, e);
}

static bool client_is_name(const char *name)
{
	return *name && strlen(name) < SESSION_NAME_MAX && utf8_is_valid(name, strlen(name));
}

/* The supervisor's error for a name that it cannot accept. */
static int client_no_session(const char *name, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND,
		       "there is no session %.60s; glovebox session ls lists them", name);
}

int client_check_name(const char *name, struct err *e)
{
	return client_is_name(name) ? 0 : client_no_session(name, e);
}

int client_drop(const char *where, const char *name, struct err *e)
{
	const struct drop_request request = {name};
	struct op_answer answer;

	if (!client_is_name(name))
		return client_no_session(name, e);
	if (client_ask_once(where, OP_DROP, &request, &answer, e))
		return -1;
	op_answer_fini(&answer);
	return 0;
}

int client_checkpoints(const char *where, const char *name, struct op_answer *out, struct err *e)
{
	const struct checkpoints_request request = {name};

	return client_is_name(name) ? client_ask_once(where, OP_CHECKPOINTS, &request, out, e)
				    : client_no_session(name, e);
}

int client_check_new_name(const char *name, struct err *e)
{
	return client_is_name(name)
		       ? 0
		       : err_input(e, "a session needs a name of at most %d bytes of UTF-8",
				   SESSION_NAME_MAX - 1);
}

struct ask *client_ask_to_keep(const char *where, const char *name, const struct session *session,
			       const struct session_terms *terms, int fds[CLIENT_KEEP_FDS],
			       struct err *e)
{
	const struct keep_request request = {.name = name,
					     .group = session->group.name,
					     .uid = session->host_uid,
					     .gid = session->host_gid,
					     .idle_ms = terms->idle_ms,
					     .ttl_ms = terms->ttl_ms,
					     .memory = session->memory_bytes,
					     .network = session->network >= 0};
	unsigned count = SESSION_FDS + session->group.count;

	if (client_check_new_name(name, e))
		return NULL;
	memcpy(fds, session->fds, sizeof(session->fds));
	memcpy(fds + SESSION_FDS, session->group.dirs, session->group.count * sizeof(fds[0]));
	if (request.network)
		fds[count++] = session->network;
	return ask_start(where, -1, OP_KEEP, &request, fds, count);
}

/* Take the descriptors: the session's, its groups', its checkpoints'. */
static int client_take_session(struct op_answer *answer, struct session *out, struct err *e)
{
	const struct borrow_answer *a = &answer->borrow;
	const struct checkpoint_entry *checkpoints = a->checkpoints.items;
	struct wire_message *m = &answer->message;
	unsigned at = 0;

	if (!m->lacks_fds && m->fd_count != SESSION_FDS + a->groups + a->checkpoints.count)
		return err_set(e, ERR_SYSTEM, "the warm supervisor broke the protocol");
	out->frozen = a->frozen;
	out->memory_bytes = a->memory;
	out->has_network = a->network;
	cgroup_copy_name(out->group.name, a->group);
	out->host_uid = (uint32_t)a->uid;
	out->host_gid = (uint32_t)a->gid;
	for (unsigned i = 0; i < SESSION_FDS; i++)
		out->fds[i] = wire_take(m, at++);
	while (out->group.count < a->groups)
		out->group.dirs[out->group.count++] = wire_take(m, at++);
	for (unsigned i = 0; i < a->checkpoints.count; i++) {
		struct session_checkpoint *checkpoint = &out->checkpoints[out->checkpoint_count++];

		snprintf(checkpoint->name, sizeof(checkpoint->name), "%s", checkpoints[i].name);
		checkpoint->pid = (uint32_t)checkpoints[i].pid;
		checkpoint->start = checkpoints[i].start;
		checkpoint->socket = wire_take(m, at++);
	}
	return op_answer_check_fds(answer, e);
}

int client_receive_borrowed(struct ask *x, struct session *out, int *connection, struct err *e)
{
	struct op_answer answer;
	int bad;

	*out = session_none();
	*connection = -1;
	if (ask_end(x, connection, &answer, e))
		return -1;
	bad = client_take_session(&answer, out, e);
	op_answer_fini(&answer);
	return bad;
}

enum borrow_use client_use(size_t length)
{
	/* The rest of the frame is small. */
	return length <= SESSION_WHOLE_MAX - 128 ? BORROW_CALL : BORROW_STEPS;
}

struct ask *client_ask_to_return(const char *where, const struct session *session, bool lost,
				 int connection, int fds[CLIENT_RETURN_FDS])
{
	struct checkpoint_entry checkpoints[SESSION_MAX_CHECKPOINTS];
	const struct return_request request = {
		.lost = lost,
		.frozen = session->frozen,
		.channel = session->has_new_channel,
		.checkpoints = {checkpoints, session->checkpoint_count}
        };
	unsigned count = 0;

	if (session->has_new_channel)
		fds[count++] = session->fds[SESSION_CHANNEL];
	for (unsigned i = 0; i < session->checkpoint_count; i++) {
		const struct session_checkpoint *checkpoint = &session->checkpoints[i];

		checkpoints[i] = (struct checkpoint_entry){checkpoint->name, checkpoint->pid,
							   checkpoint->start, checkpoint->is_new};
		if (checkpoint->is_new)
			fds[count++] = checkpoint->socket;
	}
	return ask_start(where, connection, OP_RETURN, &request, fds, count);
}
