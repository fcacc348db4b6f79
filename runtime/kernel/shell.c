/*
 * shell - the requests of a kernel's clients, by their types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "kernel/execute.h"
#include "kernel/kernel.h"
#include "kernel/looking.h"

#define TURN_MAX  64   /* messages of one socket in a turn */
#define ASIDE_MAX 1000 /* that a failed cell aborts */

/* -- replies that need no session ------------------------------------------------------------ */

static void shell_tell_kernel(struct kernel *k, enum kernel_socket socket,
			      const struct message *request)
{
	const char *version = k->version ? k->version : "3";
	auto_buf struct buf content = {0};
	char banner[300];

	snprintf(banner, sizeof(banner),
		 "Python %.40s of the image %.60s, in a sandbox (glovebox %s)", version, k->image,
		 GLOVEBOX_VERSION);
	json_put(&content,
		 "{status:'ok', protocol_version:'5.3', implementation:'glovebox', "
		 "implementation_version:%s, banner:%s, help_links:[], debugger:%i, "
		 "language_info:{name:'python', version:%s, mimetype:'text/x-python', "
		 "codemirror_mode:{name:'ipython', version:3}, pygments_lexer:'ipython3', "
		 "nbconvert_exporter:'python', file_extension:'.py'}}",
		 GLOVEBOX_VERSION, banner, false, version);
	kernel_reply(k, socket, request, &content);
}

static void shell_tell_history(struct kernel *k)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{status:'ok'");
	history_reply(&k->history, k->request.content, &content);
	buf_text(&content, "}");
	kernel_reply(k, SOCKET_SHELL, &k->request, &content);
}

static void shell_tell_comms(struct kernel *k)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{status:'ok', comms:{}}");
	kernel_reply(k, SOCKET_SHELL, &k->request, &content);
}

/* No target is known: close what a client opens, as the protocol asks. */
static void shell_close_comm(struct kernel *k)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{comm_id:%s, data:{}}", json_text_at(k->request.content, "comm_id"));
	kernel_publish(k, &k->request, "comm_close", &content);
}

static void shell_shut_down(struct kernel *k, enum kernel_socket socket,
			    const struct message *request)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{status:'ok', restart:%i}",
		 json_is_true(json_get(request->content, "restart")));
	kernel_reply(k, socket, request, &content);
	kernel_publish(k, request, "shutdown_reply", &content);
	k->is_over = true;
}

/* -- the shell socket ------------------------------------------------------------------------ */

static void shell_tell_itself(struct kernel *k)
{
	shell_tell_kernel(k, SOCKET_SHELL, &k->request);
}

static void shell_end_itself(struct kernel *k)
{
	shell_shut_down(k, SOCKET_SHELL, &k->request);
}

static void shell_execute(struct kernel *k)
{
	if (k->is_aborting) {
		execute_abort(k);
		kernel_is_done(k);
	} else {
		execute_start(k);
	}
}

static const struct {
	const char *type;
	void (*run)(struct kernel *k);
	bool is_later; /* kernel_is_done() follows by itself */
} shell_routes[] = {
	{"execute_request",     shell_execute,      true },
	{"complete_request",    looking_complete,   true },
	{"inspect_request",     looking_inspect,    true },
	{"is_complete_request", looking_judge,      true },
	{"kernel_info_request", shell_tell_itself,  false},
	{"history_request",     shell_tell_history, false},
	{"comm_info_request",   shell_tell_comms,   false},
	{"comm_open",           shell_close_comm,   false},
	{"shutdown_request",    shell_end_itself,   false},
};

/* A NUL, or too deep: cJSON would cut it, or our stack. */
static void shell_refuse(struct kernel *k, enum kernel_socket socket, const struct message *request)
{
	auto_buf struct buf content = {0};

	json_put(&content,
		 "{status:'error', ename:'ValueError', traceback:[], "
		 "evalue:'the message has a NUL, or JSON that is too deep'}");
	kernel_reply(k, socket, request, &content);
}

static void shell_run(struct kernel *k)
{
	k->is_busy = true;
	kernel_publish_status(k, &k->request, "busy");
	if (!k->request.content) {
		shell_refuse(k, SOCKET_SHELL, &k->request);
		kernel_is_done(k);
		return;
	}
	for (size_t i = 0; i < sizeof(shell_routes) / sizeof(shell_routes[0]); i++) {
		if (strcmp(shell_routes[i].type, k->request.type) != 0)
			continue;
		shell_routes[i].run(k);
		if (!shell_routes[i].is_later)
			kernel_is_done(k);
		return;
	}
	kernel_is_done(k); /* of a later version of the protocol */
}

void kernel_is_done(struct kernel *k)
{
	if (k->request.header)
		kernel_publish_status(k, &k->request, "idle");
	message_fini(&k->request);
	k->is_busy = false;
}

void kernel_abort_waiting(struct kernel *k)
{
	for (int i = 0; i < ASIDE_MAX; i++) {
		struct aside *aside = own_zeroed(1, sizeof(*aside));

		if (!sockets_receive(k->sockets, SOCKET_SHELL, &aside->parts)) {
			free(aside);
			return;
		}
		STAILQ_INSERT_TAIL(&k->aside, aside, link);
	}
}

/* Take the first that was received before its turn. */
static bool shell_take_aside(struct kernel *k, struct frames *out)
{
	struct aside *aside = STAILQ_FIRST(&k->aside);

	if (!aside)
		return false;
	STAILQ_REMOVE_HEAD(&k->aside, link);
	*out = aside->parts;
	free(aside);
	return true;
}

void kernel_forget_waiting(struct kernel *k)
{
	struct frames parts;

	while (shell_take_aside(k, &parts))
		frames_fini(&parts);
}

/* Messages that come while a request is done stay with libzmq. */
static void shell_receive(struct kernel *k)
{
	while (!k->is_busy && !k->is_over) {
		auto_frames struct frames parts = {0};

		k->is_aborting = shell_take_aside(k, &parts);
		if (!k->is_aborting && !sockets_receive(k->sockets, SOCKET_SHELL, &parts))
			return;
		if (message_read(&k->signer, &parts, &k->request))
			shell_run(k);
		else
			message_fini(&k->request);
	}
	sockets_settle(k->sockets, SOCKET_SHELL);
}

/* -- the others ------------------------------------------------------------------------------ */

static void shell_control(struct kernel *k, const struct message *request)
{
	auto_buf struct buf content = {0};

	kernel_publish_status(k, request, "busy");
	if (!strcmp(request->type, "interrupt_request")) {
		kernel_interrupt(k);
		json_put(&content, "{status:'ok'}");
		kernel_reply(k, SOCKET_CONTROL, request, &content);
	} else if (!strcmp(request->type, "kernel_info_request")) {
		shell_tell_kernel(k, SOCKET_CONTROL, request);
	} else if (!request->content) {
		shell_refuse(k, SOCKET_CONTROL, request);
	} else if (!strcmp(request->type, "shutdown_request")) {
		shell_shut_down(k, SOCKET_CONTROL, request);
	}
	kernel_publish_status(k, request, "idle");
}

static void shell_take_reply(struct kernel *k, const struct message *reply)
{
	if (!strcmp(reply->type, "input_reply"))
		execute_take_reply(k, reply);
}

/* Bounded, because strangers may send on these without the key. Returns whether more may be there.
 */
static bool shell_receive_from(struct kernel *k, enum kernel_socket socket,
			       void (*take)(struct kernel *k, const struct message *m))
{
	for (int i = 0; i < TURN_MAX && !k->is_over; i++) {
		auto_frames struct frames parts = {0};
		auto_message struct message m = {0};

		if (!sockets_receive(k->sockets, socket, &parts))
			return false;
		if (message_read(&k->signer, &parts, &m))
			take(k, &m);
	}
	return true;
}

static bool shell_beat(struct kernel *k)
{
	for (int i = 0; i < TURN_MAX; i++) {
		auto_frames struct frames parts = {0};

		if (!sockets_receive(k->sockets, SOCKET_HEARTBEAT, &parts))
			return false;
		sockets_send(k->sockets, SOCKET_HEARTBEAT, &parts);
	}
	return true;
}

bool kernel_receive(struct kernel *k)
{
	bool more = shell_beat(k);

	more |= shell_receive_from(k, SOCKET_CONTROL, shell_control);
	more |= shell_receive_from(k, SOCKET_STDIN, shell_take_reply);
	shell_receive(k);
	sockets_settle(k->sockets, SOCKET_IOPUB);
	return more;
}
