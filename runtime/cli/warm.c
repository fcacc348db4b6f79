/*
 * warm - `glovebox warm`: start, watch and stop the warm supervisor of this user.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/own.h"
#include "base/parse.h"
#include "cell/answer_await.h"
#include "cell/client.h"
#include "cell/pool.h"
#include "cell/supervisor.h"
#include "cell/wire.h"
#include "cli/command.h"
#include "cli/options.h"
#include "host/image.h"

#define DEFAULT_POOL    4
#define STOP_MS         60000 /* thousands of sessions end in seconds */
#define DEFAULT_IDLE_MS (15 * 60 * 1000)
#define FIRST_FD        3 /* of systemd's socket activation (sd_listen_fds(3)) */

struct flags {
	struct supervisor_options options;
	const char *image;
	const char *idle;
	const char *pool;
	char guest_dir[PATH_MAX];
	char *reference;     /* of the image; owned */
	char *image_preload; /* owned */
};

static void flags_fini(struct flags *f)
{
	free(f->reference);
	free(f->image_preload);
}

#define auto_flags __attribute__((cleanup(flags_fini)))

/* clang-format off */
static const struct option start_options[] = {
	{"--image", "IMAGE", offsetof(struct flags, image), "whose Python [python]"},
	{"--trust-image", NULL, offsetof(struct flags, options.nursery.trust_image), "take an imported image, too: the image's interpreter is as trusted as glovebox itself"},
	{"--preload", "MODULES", offsetof(struct flags, options.nursery.preload), "imported in advance: numpy,pandas [what the image's recipe names]"},
	{"--pool", "N", offsetof(struct flags, pool), "cells kept ready [4]"},
	{"--idle-exit", "DURATION|never", offsetof(struct flags, idle), "end after so long without a request, a program or a session [15m]"},
	{NULL, NULL, 0, NULL},
};
/* clang-format on */

/* -- flags ---------------------------------------------------------------------------------- */

/* Module names only: the list becomes an argument of our own Python. */
static int check_preload(const char *names, struct err *e)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_.,";

	if (names && names[strspn(names, allowed)])
		return err_input(e, "--preload: \"%.100s\" is not a list of modules: numpy,pandas",
				 names);
	return 0;
}

static int parse_pool(const char *text, unsigned *out, struct err *e)
{
	int64_t n = DEFAULT_POOL;

	if (text && parse_int(text, 1, POOL_MAX / 2, &n, e))
		return err_prefix(e, "--pool");
	*out = (unsigned)n;
	return 0;
}

static int parse_flags(int argc, char **argv, struct flags *f, struct err *e)
{
	struct supervisor_options *o = &f->options;
	int at;

	f->image = "python";
	at = options_take(start_options, f, argc, argv, e);
	if (at < 0)
		return -1;
	if (at < argc)
		return option_unknown(start_options, argv[at], argv[0], e);
	if (image_reference(f->image, &f->reference, e))
		return err_prefix(e, "--image");
	o->nursery.image = f->reference;
	if (f->idle && !strcmp(f->idle, "never"))
		o->idle_exit_ms = 0;
	else if (option_duration(f->idle, "--idle-exit", &o->idle_exit_ms, e))
		return -1;
	return parse_pool(f->pool, &o->pool, e) || check_preload(o->nursery.preload, e) ? -1 : 0;
}

/* Beside the program: bin/../guest in a build, bin/../lib/glovebox/guest when installed. */
static int find_guest(struct flags *f, struct err *e)
{
	static const char *const places[] = {"../guest", "../lib/glovebox/guest"};
	char self[PATH_MAX];
	char path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return err_sys(e, "find the directory of glovebox");
	self[n] = '\0';
	dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		if (realpath(path, f->guest_dir))
			return 0;
	}
	return err_input(e, "the guest's files are not beside %s: reinstall glovebox", self);
}

/* What the image's recipe names, or nothing. */
static int default_preload(struct flags *f, struct err *e)
{
	auto_buf struct buf list = {0};
	struct image image;

	if (image_open(f->options.nursery.image, &image, e))
		return -1;
	for (const char **p = image.config.preload; *p; p++)
		buf_printf(&list, "%s%s", list.length ? "," : "", *p);
	image_close(&image);
	f->image_preload = own_strdup(buf_string(&list));
	if (!f->options.nursery.preload)
		f->options.nursery.preload = f->image_preload;
	return 0;
}

static int make_options(int argc, char **argv, struct flags *f, struct err *e)
{
	f->options = (struct supervisor_options){.nursery.guest_dir = f->guest_dir,
						 .idle_exit_ms = DEFAULT_IDLE_MS,
						 .listen_fd = -1,
						 .ready_fd = -1};
	return parse_flags(argc, argv, f, e) || find_guest(f, e) || default_preload(f, e) ? -1 : 0;
}

/* -- commands -------------------------------------------------------------------------------- */

/* In the foreground, for systemd: the socket may be there already. */
static int serve(int argc, char **argv)
{
	const char *pid = getenv("LISTEN_PID");
	auto_flags struct flags f = {0};
	struct err e;

	if (make_options(argc, argv, &f, &e))
		return fail_with(&e);
	if (pid && strtol(pid, NULL, 10) == (long)getpid()) {
		f.options.listen_fd = FIRST_FD;
		if (fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) || fcntl(FIRST_FD, F_SETFL, O_NONBLOCK)) {
			err_sys(&e, "take the socket from systemd");
			return fail_with(&e);
		}
	}
	return supervisor_run(&f.options, &e) ? fail_with(&e) : 0;
}

/* Runs: the child. Its own session, no terminal, nothing of the caller's open. */
static int serve_detached(struct flags *f, int ready_fd)
{
	struct err e = {0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close(null);
	if (chdir("/"))
		return EXIT_OURS;
	f->options.ready_fd = ready_fd;
	return supervisor_run(&f->options, &e) ? EXIT_OURS : 0; /* the error went to ready_fd */
}

static int wait_until_ready(int fd)
{
	char line[1024];
	size_t used = 0;
	struct err e;
	ssize_t n;

	while ((n = read(fd, line + used, sizeof(line) - 1 - used)) > 0)
		used += (size_t)n;
	line[used] = '\0';
	if (!strcmp(line, "ready"))
		return 0;
	err_set(&e, ERR_SYSTEM, "%s",
		used ? line : "the warm supervisor ended before it was ready");
	return fail_with(&e);
}

static int start(int argc, char **argv)
{
	auto_flags struct flags f = {0};
	struct err e;
	int ready[2];

	if (make_options(argc, argv, &f, &e))
		return fail_with(&e);
	if (pipe2(ready, O_CLOEXEC)) {
		err_sys(&e, "make a pipe");
		return fail_with(&e);
	}
	switch (fork()) {
	case -1:
		err_sys(&e, "fork the warm supervisor");
		return fail_with(&e);
	case 0:
		close(ready[0]);
		_exit(serve_detached(&f, ready[1]));
	default:
		close(ready[1]);
		return wait_until_ready(ready[0]);
	}
}

/* One request without a body. Returns the exit status. */
static int ask(const char *op, int *socket, struct wire_message *answer)
{
	auto_buf struct buf request = {0};
	struct json *json;
	struct err e;

	buf_printf(&request, "{\"op\":\"%s\"}", op);
	if (client_connect(socket, &e) || client_ask(*socket, &request, NULL, 0, answer, &json, &e))
		return fail_with(&e);
	json_free(json);
	return 0;
}

static int status(int argc, char **argv)
{
	auto_fd int socket = -1;
	struct wire_message answer;
	int bad = no_arguments(argc, argv);

	if (bad || (bad = ask("status", &socket, &answer)))
		return bad;
	puts(buf_string(&answer.text));
	wire_fini(&answer);
	return 0;
}

/* It is gone when we return: it closes our connection last. */
static int stop(int argc, char **argv)
{
	auto_fd int socket = -1;
	struct wire_message answer;
	int bad = no_arguments(argc, argv);
	struct err e;

	if (bad || (bad = ask("stop", &socket, &answer)))
		return bad;
	wire_fini(&answer);
	if (!answer_has_come(socket, STOP_MS)) {
		err_set(&e, ERR_SYSTEM, "the warm supervisor is still ending what it has made");
		return fail_with(&e);
	}
	if (wire_receive(socket, &answer, &e) > 0)
		wire_fini(&answer);
	return 0;
}

/* clang-format off */
const struct command warm_commands[] = {
	{"start",  "warm start [FLAGS]",
	 "start a nursery and keep cells ready; returns when they are", start, NULL, start_options},
	{"serve",  "warm serve [FLAGS]", "the same in the foreground, for systemd", serve, NULL, start_options},
	{"status", "warm status", "what it does, as JSON", status, NULL, NULL},
	{"stop",   "warm stop", "end it, and every program and session that it has made", stop, NULL, NULL},
	{NULL, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

int command_warm(int argc, char **argv)
{
	return run_subcommand(warm_commands, argc, argv,
			      "warm takes one of: start, status, stop (and serve, for systemd)");
}
