/*
 * session_twin - checkpoints of a session: copies of the interpreter that wait.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/message.h"
#include "base/own.h"
#include "cell/frame.h"
#include "cell/hello.h"
#include "cell/session.h"
#include "host/spawn.h"

static struct session_twin *find_twin(struct session *s, const char *name)
{
	for (unsigned i = 0; i < s->twin_count; i++) {
		if (!strcmp(s->twins[i].name, name))
			return &s->twins[i];
	}
	return NULL;
}

static int read_pid(const struct session_call *call, uint32_t *pid, struct err *e)
{
	auto_json struct json *answer =
		json_parse(buf_string(&call->answer), call->answer.length, e);
	uint64_t value = 0;

	if (!answer || json_get_uint(answer, "pid", &value, e))
		return -1;
	if (value < 1 || value > UINT32_MAX)
		return err_input(e, "the session names a pid that cannot be");
	*pid = (uint32_t)value;
	return 0;
}

/* -1 if the answer has an "error": *e is that, after @what. The session goes on. */
static int read_refusal(const struct session_call *call, const char *what, struct err *e)
{
	auto_json struct json *answer =
		json_parse(buf_string(&call->answer), call->answer.length, e);
	const char *why = NULL;

	if (!answer || json_get_string(answer, "error", &why, e))
		return -1;
	return why ? err_set(e, ERR_SYSTEM, "%s: %.300s", what, why) : 0;
}

int session_checkpoint(struct session *session, const char *name, struct session_call *call,
		       struct err *e)
{
	static const char request[] = "\"op\":\"checkpoint\"";
	struct session_twin *twin = find_twin(session, name);
	uint32_t pid;

	if (twin || session->twin_count == SESSION_MAX_TWINS)
		return err_input(e,
				 twin ? "there is a checkpoint %.60s already"
				      : "no room for %.60s: 8 checkpoints at most",
				 name);
	if (session_ask(session, session->fds[SESSION_CHANNEL], request, strlen(request), call,
			e) ||
	    read_refusal(call, "no checkpoint", e))
		return -1;
	if (call->received_fd < 0)
		return err_set(e, ERR_SYSTEM, "the session made no checkpoint");
	twin = &session->twins[session->twin_count++];
	snprintf(twin->name, sizeof(twin->name), "%s", name);
	twin->socket = call->received_fd;
	call->received_fd = -1;
	if (!hello_await(twin->socket, "the checkpoint", &pid, e)) {
		twin->pid = pid;
		return 0;
	}
	own_close(&twin->socket);
	session->twin_count--;
	return -1;
}

/* The pid inside, the last of "NSpid:" (proc(5)); 0 when it is gone. */
static uint32_t pid_inside(uint32_t host_pid)
{
	char path[64];
	char line[256];
	uint32_t inside = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", host_pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			inside = (uint32_t)strtoul(last, NULL, 10);
	}
	if (file)
		fclose(file);
	return inside;
}

/* Whether a process is in its control group. */
static bool has(const struct session *s, uint32_t host_pid)
{
	char path[64];
	char text[4096];

	snprintf(path, sizeof(path), "/proc/%u/cgroup", host_pid);
	return !io_peek(AT_FDCWD, path, text, sizeof(text)) && strstr(text, s->group);
}

static bool stays(const struct session *s, uint32_t inside)
{
	bool found = inside <= 1; /* pid 1, or gone */

	for (unsigned i = 0; i < s->twin_count; i++)
		found |= s->twins[i].pid == inside;
	return found;
}

/* Only members of the cell's own group are looked at, so no number that the cell named can lead
 * anywhere else. Returns how many. */
static unsigned kill_once(const struct session *s)
{
	int fd = openat(s->groups[0], "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned killed = 0;
	char line[32];

	while (file && fgets(line, sizeof(line), file)) {
		uint32_t pid = (uint32_t)strtoul(line, NULL, 10);
		/* First the descriptor, then the look: a number may be somebody else's by now. */
		auto_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

		if (pidfd < 0 || !has(s, pid) || stays(s, pid_inside(pid)))
			continue;
		syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
		killed++;
	}
	if (file)
		fclose(file);
	return killed;
}

/* Every process of its cell but pid 1 and the checkpoints; for a second, if they multiply. */
static void kill_others(const struct session *session)
{
	for (int tries = 0; kill_once(session) && tries < 1000; tries++)
		poll(NULL, 0, 1);
}

/* A checkpoint is a process of the code's own, which can kill it, as can the memory limit. */
static int ping(const struct session_twin *twin, struct err *e)
{
	static const char request[] = "{\"id\":0,\"op\":\"ping\"}";
	unsigned char header[FRAME_HEADER];
	uint32_t pid;

	frame_header(sizeof(request) - 1, header);
	if (message_send(twin->socket, header, sizeof(header), NULL, 0, MSG_DONTWAIT) < 0 ||
	    message_send(twin->socket, request, sizeof(request) - 1, NULL, 0, MSG_DONTWAIT) < 0)
		return err_set(e, ERR_SYSTEM, "the checkpoint has ended (memory limit?)");
	return hello_await(twin->socket, "the checkpoint", &pid, e);
}

int session_rollback(struct session *session, const char *name, struct session_call *call,
		     struct err *e)
{
	static const char request[] = "\"op\":\"rollback\"";
	struct session_twin *twin = find_twin(session, name);
	struct child child = child_none();
	uint32_t next;

	if (!twin)
		return err_input(e, "there is no checkpoint %.60s", name);
	if (ping(twin, e))
		return -1;
	/* From here on its own end is the session's, not the old worker's. */
	child.control = session->fds[SESSION_CONTROL];
	child_order(&child, ORDER_PROGRAM, (int)twin->pid);
	kill_others(session);
	if (session_ask(session, twin->socket, request, strlen(request), call, e) ||
	    read_pid(call, &next, e))
		return -1;
	twin->pid = next;
	buf_fini(&call->answer);
	/* The new worker answers the same request once more, when the files are back. */
	if (session_await(session, call, e))
		return -1;
	return read_refusal(call, "rolled back, but not all files could be put back", e);
}
