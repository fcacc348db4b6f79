/*
 * ask - a client's connection to the monitor of a sandbox that stays.
 */
#include "monitor/ask.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "loop/fd.h"
#include "net/unix_address.h"

#define PATIENCE_S 10 /* a monitor that is stopped does not answer */

void ask_set_patience(int fd, time_t seconds)
{
	const struct timeval time = {.tv_sec = seconds};

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

int ask_connect(const struct record *r, struct err *e)
{
	struct sockaddr_un address;
	auto_fd int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		ask_set_patience(fd, PATIENCE_S);
	(void)unix_address_in(r->dir, RECORD_SOCKET, &address);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return take_fd(&fd);
	return errno == ECONNREFUSED || errno == ENOENT
		       ? err_set(e, ERR_GONE, "container %.100s is not running", record_name(r))
		       : err_sys(e, "connect to the monitor of %.100s", record_name(r));
}

/* @seconds  that it may take to answer; 0: for ever. */
static int ask_connect_for(const struct record *r, time_t seconds, struct err *e)
{
	const int fd = ask_connect(r, e);

	if (fd >= 0)
		ask_set_patience(fd, seconds);
	return fd;
}

int ask_pidfd(const struct record *r, pid_t *pid, struct err *e)
{
	auto_fd int monitor = ask_connect(r, e);
	auto_fd int pidfd = -1;
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (monitor < 0)
		return -1;
	/* The kernel names the process that listens; it lives as long as the connection does. */
	if (!getsockopt(monitor, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	if (pidfd < 0 || fd_is_ready(monitor, POLLIN))
		return err_set(e, ERR_GONE, "%.100s has ended", record_name(r));
	*pid = peer.pid;
	return take_fd(&pidfd);
}

static int ask_send_text(int monitor, const struct buf *text, const int *fds, unsigned count,
			 struct err *e)
{
	if (!wire_send(monitor, text->data, text->length, fds, count, e))
		return 0;
	return e->number == EPIPE || e->number == ECONNRESET
		       ? err_set(e, ERR_GONE, "the sandbox has ended")
		       : -1;
}

int ask_send(int monitor, const struct monitor_request *request, struct err *e)
{
	auto_buf struct buf text = {0};

	form_write(&monitor_request_form, NULL, request, &text);
	if (text.length > WIRE_MAX_TEXT)
		return err_input(
			e, "the command is larger than %u KiB: pass it through standard input",
			WIRE_MAX_TEXT >> 10);
	return ask_send_text(monitor, &text, NULL, 0, e);
}

int ask_receive(int monitor, struct monitor_answer *out, struct wire_message *m, struct err *e)
{
	auto_json struct json *document = NULL;

	return ask_receive_texts(monitor, out, m, &document, e);
}

int ask_receive_texts(int monitor, struct monitor_answer *out, struct wire_message *m,
		      struct json **document, struct err *e)
{
	int n = wire_receive(monitor, m, e);

	/* The monitor has left a request unread: what it said comes after that error. */
	if (n < 0 && e->number == ECONNRESET)
		n = wire_receive(monitor, m, e);
	if (n < 0 && e->number == EAGAIN)
		return err_set(e, ERR_BUSY, "the monitor of the sandbox does not answer");
	if (n <= 0)
		return n;
	*document = json_parse(buf_string(&m->text), m->text.length, e);
	if (!*document || form_read(&monitor_answer_form, *document, NULL, out, e))
		return -1;
	if (*out->kind)
		return err_set(e, err_kind_of(out->kind), "%s", out->error);
	return 1;
}

int ask_await_end(const struct record *r, int *exit_code, struct err *e)
{
	struct monitor_answer answer = {0};
	struct wire_message m = {0};
	auto_fd int socket = ask_connect_for(r, 0, e);
	int n;

	if (socket < 0)
		return -1;
	n = ask_receive(socket, &answer, &m, e);
	wire_fini(&m);
	form_fini(&monitor_answer_form, &answer);
	if (n < 0)
		return -1;
	*exit_code = (int)answer.status;
	return n ? 0
		 : err_set(e, ERR_GONE, "%.100s was lost: its monitor has been killed",
			   record_name(r));
}

int ask_once(const struct record *r, const struct monitor_request *request,
	     struct monitor_answer *out, struct err *e)
{
	return ask_once_within(r, request, PATIENCE_S, out, e);
}

/* The one answer, without descriptors. */
static int ask_take_only(const struct record *r, int monitor, struct monitor_answer *out,
			 struct err *e)
{
	struct wire_message m = {0};
	const int n = ask_receive(monitor, out, &m, e);

	wire_fini(&m);
	if (n == 0 || (n == 1 && out->ended))
		return err_set(e, ERR_GONE, "%.100s has ended", record_name(r));
	return n < 0 ? -1 : 0;
}

int ask_once_within(const struct record *r, const struct monitor_request *request, time_t seconds,
		    struct monitor_answer *out, struct err *e)
{
	auto_fd int monitor = ask_connect_for(r, seconds, e);

	*out = (struct monitor_answer){0};
	if (monitor < 0 || ask_send(monitor, request, e))
		return -1;
	return ask_take_only(r, monitor, out, e);
}

int ask_once_with(const struct record *r, const struct buf *text, const int *fds, unsigned count,
		  time_t seconds, struct err *e)
{
	struct monitor_answer answer = {0};
	auto_fd int monitor = ask_connect_for(r, seconds, e);
	int bad;

	if (monitor < 0 || ask_send_text(monitor, text, fds, count, e))
		return -1;
	bad = ask_take_only(r, monitor, &answer, e);
	form_fini(&monitor_answer_form, &answer);
	return bad;
}
