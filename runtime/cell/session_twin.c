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
#include "cell/session.h"
#include "cell/twin_ping.h"
#include "host/cgroup_members.h"
#include "host/spawn.h"

#define END_MS 2000 /* for what was killed to be gone */

static struct session_twin *find_twin(struct session *s, const char *name)
{
	for (unsigned i = 0; i < s->twin_count; i++) {
		if (!strcmp(s->twins[i].name, name))
			return &s->twins[i];
	}
	return NULL;
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
	struct session_twin twin = {.socket = -1};
	bool taken = find_twin(session, name) != NULL;
	auto_fd int theirs = -1;

	if (taken || session->twin_count == SESSION_MAX_TWINS)
		return err_input(e,
				 taken ? "there is a checkpoint %.60s already"
				       : "no room for %.60s: 8 checkpoints at most",
				 name);
	if (message_pair_down(&twin.socket, &theirs)) {
		own_close(&twin.socket);
		return err_sys(e, "make the socket of a checkpoint");
	}
	call->handed = &theirs;
	if (session_ask(session, session->fds[SESSION_CHANNEL], request, strlen(request), call,
			e) ||
	    read_refusal(call, "no checkpoint", e) || twin_ping(twin.socket, call, &twin.pid, e)) {
		own_close(&twin.socket);
		return -1;
	}
	snprintf(twin.name, sizeof(twin.name), "%s", name);
	session->twins[session->twin_count++] = twin;
	return 0;
}

/* The pid inside, the last of "NSpid:" (proc(5)); 0 when it is gone. */
static uint32_t pid_inside(pid_t process)
{
	char path[64];
	char line[256];
	uint32_t inside = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
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

/* -- the old state ends ---------------------------------------------------------------------- */

struct ending {
	const struct session *session;
	uint32_t next; /* pid inside of the checkpoint that goes on */
};

static bool is_twin(const struct session *s, uint32_t inside)
{
	for (unsigned i = 0; i < s->twin_count; i++) {
		if (s->twins[i].pid == inside)
			return true;
	}
	return false;
}

/*
 * Other checkpoints stand still until they are asked for: one that was made of code that is to be
 * forgotten could be anything by now. Returns 1 for who is to be gone.
 */
static int end_one(void *context, pid_t process, int pidfd)
{
	const struct ending *ending = context;
	uint32_t inside = pid_inside(process);
	bool other = is_twin(ending->session, inside);

	if (inside <= 1) /* pid 1, or gone */
		return 0;
	syscall(SYS_pidfd_send_signal, pidfd,
		inside == ending->next ? SIGCONT
		: other                ? SIGSTOP
				       : SIGKILL,
		NULL, 0);
	return inside != ending->next && !other;
}

static int wake_one(void *context, pid_t process, int pidfd)
{
	const struct ending *ending = context;

	if (pid_inside(process) == ending->next)
		syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
	return 0;
}

static int end_all(struct ending *ending, struct err *e)
{
	const struct session *s = ending->session;

	for (int tries = 0; tries < END_MS; tries++) {
		if (!cgroup_each_process(s->groups[0], s->group, end_one, ending))
			return 0;
		poll(NULL, 0, 1);
	}
	return err_set(e, ERR_SYSTEM, "processes of the old state do not end");
}

/* Nobody may be born meanwhile, so that nobody is missed. */
static int end_others(const struct session *s, uint32_t next, struct err *e)
{
	struct ending ending = {s, next};
	char limits[CGROUP_MAX_FDS][32];
	bool held[CGROUP_MAX_FDS];
	int bad;

	for (unsigned i = 0; i < s->group_count; i++)
		held[i] = !io_peek(s->groups[i], "pids.max", limits[i], sizeof(limits[i])) &&
			  !io_put(s->groups[i], "pids.max", "0");
	bad = end_all(&ending, e);
	for (unsigned i = 0; i < s->group_count; i++) {
		if (held[i] && io_put(s->groups[i], "pids.max", limits[i]))
			bad = err_sys(e, "let the session have processes again");
	}
	return bad;
}

/* A checkpoint stands still when another was gone back to. It is a process of the code's own, which
 * can kill it, as can the memory limit. */
static int wake(const struct session *s, struct session_twin *twin, struct session_call *call,
		struct err *e)
{
	struct ending ending = {s, twin->pid};

	(void)cgroup_each_process(s->groups[0], s->group, wake_one, &ending);
	return twin_ping(twin->socket, call, &twin->pid, e);
}

int session_rollback(struct session *session, const char *name, struct session_call *call,
		     struct err *e)
{
	static const char request[] = "\"op\":\"rollback\"";
	struct session_twin *twin = find_twin(session, name);
	struct child child = child_none();
	struct err none;
	uint32_t next;

	if (!twin)
		return err_input(e, "there is no checkpoint %.60s", name);
	if (wake(session, twin, call, e))
		return -1;
	/* From here on its own end is the session's, not the old worker's. */
	child.control = session->fds[SESSION_CONTROL];
	child_order(&child, ORDER_PROGRAM, (int)twin->pid);
	if (end_others(session, twin->pid, e)) {
		session_kill(session);
		call->lost = true;
		return err_prefix(e, "the session is lost");
	}
	if (session_ask(session, twin->socket, request, strlen(request), call, e))
		return -1;
	/* Its own copy waits in its place. Without one it was the last time. */
	if (twin_ping(twin->socket, call, &next, &none))
		next = 1;
	twin->pid = next;
	return read_refusal(call, "rolled back, but not all files could be put back", e);
}
