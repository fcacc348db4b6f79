/*
 * client - requests to the warm supervisor of this user.
 */
#include "cell/client.h"

#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "cell/answer_await.h"
#include "cell/runtime_dir.h"
#include "cell/session_freeze.h"

#define ANSWER_MS 60000 /* longer than the supervisor lets anybody wait */

int client_connect(int *out_fd, struct err *e)
{
	int found = runtime_dir_connect(out_fd, e);

	if (found > 0)
		return err_set(e, ERR_NOT_FOUND,
			       "no warm supervisor is running; glovebox warm start makes one");
	return found;
}

int client_ask(int socket, const struct buf *request, const int *fds, unsigned fd_count,
	       struct wire_message *answer, struct json **json, struct err *e)
{
	const char *error = NULL;

	if (wire_send(socket, request->data, request->length, fds, fd_count, e) ||
	    answer_await(socket, ANSWER_MS, answer, e))
		return -1;
	*json = json_parse(buf_string(&answer->text), answer->text.length, e);
	if (*json && !json_get_string(*json, "error", &error, e) && !error)
		return 0;
	if (error)
		err_input(e, "%.400s", error);
	json_free(*json);
	wire_fini(answer);
	return -1;
}

int client_keep(const char *name, const struct session *session, const struct session_terms *terms,
		struct err *e)
{
	auto_buf struct buf request = {0};
	auto_fd int socket = -1;
	int fds[SESSION_FDS + CGROUP_MAX_FDS];
	struct wire_message answer;
	struct json *json;

	buf_text(&request, "{\"op\":\"keep\",\"name\":");
	buf_json_text(&request, name);
	buf_printf(&request,
		   ",\"group\":\"%s\",\"uid\":%u,\"gid\":%u,\"idle_ms\":%llu,\"ttl_ms\":%llu",
		   session->group, session->host_uid, session->host_gid,
		   (unsigned long long)terms->idle_ms, (unsigned long long)terms->ttl_ms);
	session_write_memory(session, &request);
	buf_text(&request, "}");
	memcpy(fds, session->fds, sizeof(session->fds));
	memcpy(fds + SESSION_FDS, session->groups, session->group_count * sizeof(fds[0]));
	if (client_connect(&socket, e) ||
	    client_ask(socket, &request, fds, SESSION_FDS + session->group_count, &answer, &json,
		       e))
		return -1;
	json_free(json);
	wire_fini(&answer);
	return 0;
}

/* Descriptors: the session's, its groups', its twins'. */
static int take_session(struct wire_message *m, const struct json *answer, struct session *out,
			struct err *e)
{
	const struct json *twins = json_get(answer, "twins");
	const char *group = "";
	uint64_t uid = 0;
	uint64_t gid = 0;
	uint64_t groups = 0;
	unsigned at = 0;

	if (json_get_string(answer, "group", &group, e) || json_get_uint(answer, "uid", &uid, e) ||
	    json_get_uint(answer, "gid", &gid, e) || json_get_uint(answer, "groups", &groups, e) ||
	    session_read_memory(answer, out, e))
		return -1;
	if (groups > CGROUP_MAX_FDS || json_count(twins) > SESSION_MAX_TWINS ||
	    m->fd_count != SESSION_FDS + groups + json_count(twins))
		return err_set(e, ERR_SYSTEM, "the warm supervisor broke the protocol");
	out->frozen = json_is_true(json_get(answer, "frozen"));
	snprintf(out->group, sizeof(out->group), "%.79s", group);
	out->host_uid = (uint32_t)uid;
	out->host_gid = (uint32_t)gid;
	for (unsigned i = 0; i < SESSION_FDS; i++)
		out->fds[i] = wire_take(m, at++);
	while (out->group_count < groups)
		out->groups[out->group_count++] = wire_take(m, at++);
	for (const struct json *n = json_first(twins); n; n = json_next(n)) {
		struct session_twin *twin = &out->twins[out->twin_count++];
		const char *name = json_string(json_get(n, "name"));
		uint64_t pid = 0;

		json_number(json_get(n, "pid"), &pid);
		json_number(json_get(n, "start"), &twin->start);
		snprintf(twin->name, sizeof(twin->name), "%.63s", name ? name : "");
		twin->pid = (uint32_t)pid;
		twin->socket = wire_take(m, at++);
	}
	return 0;
}

/* @how  members of the request, each with a comma behind it. */
static int borrow(const char *name, const char *how, uint64_t wait_ms, struct session *out,
		  int *connection, struct err *e)
{
	auto_buf struct buf request = {0};
	struct wire_message answer;
	struct json *json;
	int bad;

	*out = session_none();
	if (wait_ms > SESSION_WAIT_MS)
		wait_ms = SESSION_WAIT_MS;
	buf_printf(&request, "{\"op\":\"borrow\",%s\"wait_ms\":%llu,\"name\":", how,
		   (unsigned long long)wait_ms);
	buf_json_text(&request, name);
	buf_text(&request, "}");
	if (client_connect(connection, e) ||
	    client_ask(*connection, &request, NULL, 0, &answer, &json, e))
		return -1;
	bad = take_session(&answer, json, out, e);
	json_free(json);
	wire_fini(&answer);
	if (bad)
		session_close(out);
	return bad;
}

static int borrow_awake(const char *name, uint64_t wait_ms, struct session *out, int *connection,
			struct err *e)
{
	struct err ignored;

	if (borrow(name, "", wait_ms, out, connection, e))
		return -1;
	if (!session_thaw(out, e))
		return 0;
	(void)client_return(out, false, connection, &ignored);
	return -1;
}

int client_borrow(const char *name, bool files, uint64_t wait_ms, struct session *out,
		  int *connection, struct err *e)
{
	return files ? borrow(name, "\"files\":true,", wait_ms, out, connection, e)
		     : borrow_awake(name, wait_ms, out, connection, e);
}

int client_borrow_to_freeze(const char *name, struct session *out, int *connection, struct err *e)
{
	return borrow(name, "\"files\":true,\"freeze\":true,", SESSION_WAIT_MS, out, connection, e);
}

void client_lose(struct session *session, const struct session_call *call, int *connection,
		 struct err *e)
{
	static const size_t prefix = sizeof(SESSION_IS_LOST) - 1;
	bool given = !strncmp(e->text, SESSION_IS_LOST, prefix);
	auto_buf struct buf request = {0};
	struct wire_message answer;
	const char *why = NULL;
	struct err gone;
	struct json *json;

	buf_text(&request, "{\"op\":\"return\",\"lost\":true,\"why\":");
	buf_json_text(&request, given ? e->text + prefix : e->text);
	buf_text(&request, "}");
	if (!client_ask(*connection, &request, NULL, 0, &answer, &json, &gone)) {
		why = json_string_at(json, "why");
		if (why)
			err_set(e, ERR_SYSTEM, SESSION_IS_LOST "it %.200s", why);
		json_free(json);
		wire_fini(&answer);
	} else if (call->died) {
		err_set(e, ERR_SYSTEM,
			SESSION_IS_LOST "the warm supervisor has ended, and it with it");
	}
	own_close(connection);
	session_close(session);
}

int client_return(struct session *session, bool lost, int *connection, struct err *e)
{
	auto_buf struct buf request = {0};
	struct wire_message answer;
	struct json *json;
	int fds[SESSION_MAX_TWINS + 1];
	unsigned count = 0;
	int bad;

	if (session->has_new_channel)
		fds[count++] = session->fds[SESSION_CHANNEL];

	buf_printf(&request,
		   "{\"op\":\"return\",\"lost\":%s,\"frozen\":%s,\"channel\":%s,\"twins\":[",
		   lost ? "true" : "false", session->frozen ? "true" : "false",
		   session->has_new_channel ? "true" : "false");
	for (unsigned i = 0; i < session->twin_count; i++) {
		const struct session_twin *twin = &session->twins[i];

		buf_printf(&request,
			   "%s{\"pid\":%u,\"start\":%llu,\"new\":%s,\"name\":", i ? "," : "",
			   twin->pid, (unsigned long long)twin->start,
			   twin->is_new ? "true" : "false");
		buf_json_text(&request, twin->name);
		buf_text(&request, "}");
		if (twin->is_new)
			fds[count++] = twin->socket;
	}
	buf_text(&request, "]}");
	bad = client_ask(*connection, &request, fds, count, &answer, &json, e);
	if (!bad) {
		json_free(json);
		wire_fini(&answer);
	}
	own_close(connection);
	session_close(session);
	return bad;
}
