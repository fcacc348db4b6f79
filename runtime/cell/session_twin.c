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

/* When a process began, field 22 of its status line (proc(5)); 0: it is gone. */
static uint64_t start_of(pid_t process)
{
	char path[64];
	char text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
	if (io_peek(AT_FDCWD, path, text, sizeof(text)))
		return 0;
	at = strrchr(text, ')'); /* the end of its name, which is field 2 */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* A process that is to be found, or processes that are to be kept. */
struct purge {
	const struct session *session;
	unsigned kept; /* so many checkpoints, the oldest */
	uint32_t pid;
	uint64_t start;
};

static int note_start(void *context, pid_t process, int pidfd)
{
	struct purge *purge = context;

	(void)pidfd;
	if (pid_inside(process) != purge->pid)
		return 0;
	purge->start = start_of(process);
	return 1;
}

static uint64_t find_start(const struct session *s, uint32_t pid)
{
	struct purge purge = {.session = s, .pid = pid};

	(void)cgroup_each_process(s->groups[0], s->group, note_start, &purge);
	return purge.start;
}

static bool is_kept(const struct purge *purge, pid_t process, uint32_t inside)
{
	for (unsigned i = 0; i < purge->kept; i++) {
		const struct session_twin *twin = &purge->session->twins[i];

		if (twin->pid == inside && twin->start == start_of(process))
			return true;
	}
	return false;
}

/*
 * Checkpoints that were made later than the one that goes on end, too: they were made of code that
 * is to be forgotten, and could be anything. Returns 1 for who is to be gone.
 */
static int end_one(void *context, pid_t process, int pidfd)
{
	const struct purge *purge = context;
	uint32_t inside = pid_inside(process);
	int number = is_kept(purge, process, inside) ? SIGCONT : SIGKILL;

	if (inside <= 1) /* pid 1, or gone */
		return 0;
	syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0);
	return number == SIGKILL;
}

static int wake_one(void *context, pid_t process, int pidfd)
{
	const struct purge *purge = context;

	if (pid_inside(process) == purge->pid)
		syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
	return 0;
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
	if (session_hand(session, session->fds[SESSION_CHANNEL], request, strlen(request),
			 take_fd(&theirs), call, e) ||
	    read_refusal(call, "no checkpoint", e) || twin_ping(twin.socket, call, &twin.pid, e)) {
		own_close(&twin.socket);
		return -1;
	}
	twin.start = find_start(session, twin.pid);
	twin.is_new = true;
	snprintf(twin.name, sizeof(twin.name), "%s", name);
	session->twins[session->twin_count++] = twin;
	return 0;
}

/* -- back to one --------------------------------------------------------------------------- */

static int end_all(struct purge *purge, struct err *e)
{
	const struct session *s = purge->session;

	for (int tries = 0; tries < END_MS; tries++) {
		if (!cgroup_each_process(s->groups[0], s->group, end_one, purge))
			return 0;
		poll(NULL, 0, 1);
	}
	return err_set(e, ERR_SYSTEM, "processes of the old state do not end");
}

/* Nobody may be born meanwhile, so that nobody is missed. */
static int end_others(const struct session *s, unsigned kept, struct err *e)
{
	struct purge purge = {.session = s, .kept = kept};
	char limits[CGROUP_MAX_FDS][32];
	bool held[CGROUP_MAX_FDS] = {false};
	int bad;

	for (unsigned i = 0; i < s->group_count; i++)
		held[i] = !io_peek(s->groups[i], "pids.max", limits[i], sizeof(limits[i])) &&
			  !io_put(s->groups[i], "pids.max", "0");
	bad = end_all(&purge, e);
	for (unsigned i = 0; i < s->group_count; i++) {
		if (held[i] && io_put(s->groups[i], "pids.max", limits[i]))
			bad = err_sys(e, "let the session have processes again");
	}
	return bad;
}

/* It is a process of the code's own, which can kill or stop it, as the memory limit can kill it. */
static int check_twin(const struct session *s, const struct session_twin *twin,
		      struct session_call *call, struct err *e)
{
	struct purge purge = {.session = s, .pid = twin->pid};
	uint32_t pid;

	(void)cgroup_each_process(s->groups[0], s->group, wake_one, &purge);
	if (twin_ping(twin->socket, call, &pid, e))
		return -1;
	if (pid != twin->pid || find_start(s, pid) != twin->start)
		return err_set(e, ERR_SYSTEM, "the checkpoint has ended (memory limit?)");
	return 0;
}

/* What is left in the old channel was asked of code that is forgotten: it gets a new one. */
static int ask_to_return(struct session *session, const struct session_twin *twin,
			 struct session_call *call, struct err *e)
{
	static const char request[] = "\"op\":\"rollback\"";
	auto_fd int ours = -1;
	auto_fd int theirs = -1;

	if (message_pair_down(&ours, &theirs)) {
		err_sys(e, "make the session's socket");
		session_kill(session);
		call->lost = true;
		return err_prefix(e, "the session is lost");
	}
	if (session_hand(session, twin->socket, request, strlen(request), take_fd(&theirs), call,
			 e))
		return -1;
	own_close(&session->fds[SESSION_CHANNEL]);
	session->fds[SESSION_CHANNEL] = take_fd(&ours);
	session->has_new_channel = true;
	return 0;
}

/* Its own copy waits in its place. Without one it was the last time. */
static void note_successor(struct session *session, struct session_twin *twin,
			   struct session_call *call)
{
	struct err none;

	if (twin_ping(twin->socket, call, &twin->pid, &none))
		twin->pid = 1;
	twin->start = find_start(session, twin->pid);
}

int session_rollback(struct session *session, const char *name, struct session_call *call,
		     struct err *e)
{
	struct session_twin *twin = find_twin(session, name);
	struct child child = child_none();
	unsigned kept;

	if (!twin)
		return err_input(e, "there is no checkpoint %.60s", name);
	if (check_twin(session, twin, call, e))
		return -1;
	kept = (unsigned)(twin - session->twins) + 1;
	/* From here on its own end is the session's, not the old worker's. */
	child.control = session->fds[SESSION_CONTROL];
	child_order(&child, ORDER_PROGRAM, (int)twin->pid);
	if (end_others(session, kept, e)) {
		session_kill(session);
		call->lost = true;
		return err_prefix(e, "the session is lost");
	}
	while (session->twin_count > kept)
		own_close(&session->twins[--session->twin_count].socket);
	if (ask_to_return(session, twin, call, e))
		return -1;
	note_successor(session, twin, call);
	return read_refusal(call, "rolled back, but not all files could be put back", e);
}
