/*
 * warm - `glovebox warm`: start, watch and stop the warm supervisor of this user.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/scope.h"
#include "client/client.h"
#include "flags/setting_words.h"
#include "image/image.h"
#include "image/image_reference.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "spec/preload.h"
#include "warm/guest.h"
#include "warm/pool.h"
#include "warm/supervisor.h"

#define STOP_MS  60000 /* ending thousands of sessions takes seconds */
#define FIRST_FD 3     /* of systemd's socket activation (sd_listen_fds(3)) */

struct flags {
	struct supervisor_options options;
	const char *image;
	uint64_t idle_ms;
	uint64_t pool;
	bool json;
	char guest_dir[PATH_MAX];
	char *reference;     /* of the image; owned */
	char *image_preload; /* owned */
	uint64_t given[SETTING_GIVEN];
};

static void warm_flags_fini(struct flags *f)
{
	free(f->reference);
	free(f->image_preload);
}

#define auto_flags __attribute__((cleanup(warm_flags_fini)))

#define AT(field)  offsetof(struct flags, field)

/* clang-format off */
static const struct setting warm_start_settings[] = {
	{"image", 0, "IMAGE", GROUP_PROGRAM, FACE_WARM, SETTING_TEXT, AT(image), "python", .help = "the image whose Python to keep warm; says why if it cannot be"},
	{"trust-image", 0, NULL, GROUP_PROGRAM, FACE_WARM, SETTING_FLAG, AT(options.nursery.trust_image), NULL, .help = "accept an imported image: its interpreter is then as trusted as glovebox itself"},
	{"preload", 0, "MODULES", GROUP_PROGRAM, FACE_WARM, SETTING_TEXT, AT(options.nursery.preload), NULL, .words = PRELOAD_WORDS, .help = "modules to import in advance, such as numpy,pandas; \"\": none"},
	{"pool", 0, "N", GROUP_LIMITS, FACE_WARM, SETTING_COUNT, AT(pool), "4", .min = 1, .max = POOL_MAX / 2, .help = "cells to keep ready"},
	{"idle-exit", 0, "DURATION|never", GROUP_LIMITS, FACE_WARM, SETTING_DURATION, AT(idle_ms), "15m", .min = 1, .max = INT64_MAX / 1000, .none = "never", .help = "end after this long without a request, a program or a session"},
	{"json", 0, NULL, GROUP_RESULT, FACE_CALL, SETTING_FLAG, AT(json), NULL, .help = "of start: print JSON, which says if the image's Python cannot be kept warm"},
	SETTING_END,
};
/* clang-format on */

/* -- flags ---------------------------------------------------------------------------------- */

/* The image is a flag's value, or the operand. */
static int warm_read_image(int argc, char **argv, struct flags *f, struct err *e)
{
	const bool is_flag = setting_given(warm_start_settings, f->given, "image");

	if (argc > 1 || (argc && is_flag))
		return err_input(e, "%.60s: one image, as a word or as --image", argv[argc - 1]);
	f->image = argc ? argv[0] : f->image;
	return image_reference(f->image, &f->reference, e);
}

static int warm_parse_flags(int argc, char **argv, unsigned faces, struct flags *f, struct err *e)
{
	const struct settings settings = {.face = faces,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{warm_start_settings, f, f->given}},
					  .hint = ""};
	struct supervisor_options *o = &f->options;
	int at;

	setting_defaults(&settings.tables[0], NULL);
	if (setting_words(&settings, argc - 1, argv + 1, &at, e) ||
	    warm_read_image(argc - 1 - at, argv + 1 + at, f, e))
		return -1;
	if (preload_check(o->nursery.preload, e))
		return -1;
	o->nursery.image = f->reference;
	o->pool = (unsigned)f->pool;
	o->idle_exit_ms = f->idle_ms == SPEC_UNLIMITED ? 0 : f->idle_ms;
	return 0;
}

/* Use the preload list of the image's recipe, if it has one. */
static int warm_default_preload(struct flags *f, struct err *e)
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

/* @faces: FACE_WARM; also FACE_CALL for commands that print an answer. */
static int warm_make_options(int argc, char **argv, unsigned faces, struct flags *f, struct err *e)
{
	f->options = (struct supervisor_options){
		.nursery.guest_dir = f->guest_dir, .listen_fd = -1, .ready_fd = -1};
	return warm_parse_flags(argc, argv, faces, f, e) || guest_find(f->guest_dir, e) ||
			       warm_default_preload(f, e)
		       ? -1
		       : 0;
}

/* -- commands -------------------------------------------------------------------------------- */

/* Serve in the foreground, for systemd: the socket may exist already. */
static int warm_serve(int argc, char **argv)
{
	const char *pid = getenv("LISTEN_PID");
	auto_flags struct flags f = {0};
	struct err e;

	if (warm_make_options(argc, argv, FACE_WARM, &f, &e))
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

/* Runs: the child, in a session of its own, without a terminal or the caller's descriptors. */
static int warm_serve_detached(struct flags *f, int ready_fd)
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

static void warm_print_start(const struct supervisor_report *report)
{
	auto_buf struct buf text = {0};

	json_put_begin(&text, NULL, '{');
	json_put_text(&text, "state", report->makes_none ? "cold" : "ready");
	json_put_end(&text, '}');
	puts(buf_string(&text));
}

static int warm_wait_until_ready(int fd, bool json)
{
	struct supervisor_report report;

	/* The child writes it at once, so it arrives as a whole (pipe(7), PIPE_BUF). */
	if (read(fd, &report, sizeof(report)) != (ssize_t)sizeof(report))
		report = (struct supervisor_report){
			.e = {.kind = ERR_SYSTEM,
			      .text = "the warm supervisor ended before it was ready"}
                };
	if (!json)
		nursery_say_left_out(report.left_out);
	if (json && (report.makes_none || report.e.kind == ERR_NONE))
		warm_print_start(&report);
	return report.e.kind == ERR_NONE ? 0 : fail_with(&report.e);
}

static int warm_cmd_start(int argc, char **argv)
{
	auto_flags struct flags f = {0};
	struct err e;
	int ready[2];

	scope_enter();
	if (warm_make_options(argc, argv, FACE_WARM | FACE_CALL, &f, &e))
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
		_exit(warm_serve_detached(&f, ready[1]));
	default:
		close(ready[1]);
		return warm_wait_until_ready(ready[0], f.json);
	}
}

static void warm_print_count(const char *name, uint64_t count)
{
	printf("%-10s %llu\n", name, (unsigned long long)count);
}

static void warm_print_status(const struct status_answer *s)
{
	printf("%-10s ", "state");
	say_line(stdout, s->state);
	printf(" (pid %llu)\n%-10s ", (unsigned long long)s->pid, "image");
	say_line(stdout, s->image);
	printf("\n%-10s ", "Python");
	say_line(stdout, *s->python ? s->python : "-");
	printf("\n%-10s ", "preload");
	say_line(stdout, *s->preload ? s->preload : "-");
	for (const char *line = s->left_out; *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		printf("\n%-10s ", "left out");
		say_bytes(stdout, line, strcspn(line, "\n"));
	}
	printf("\n%-10s %llu of %llu ready, %llu under way\n", "cells",
	       (unsigned long long)s->ready, (unsigned long long)s->pool,
	       (unsigned long long)s->under_way);
	warm_print_count("waiting", s->waiting);
	warm_print_count("running", s->running);
	warm_print_count("sessions", s->sessions);
	printf("%-10s %llu; %llu made, %llu failed, %llu restarts\n", "served",
	       (unsigned long long)s->served, (unsigned long long)s->made,
	       (unsigned long long)s->failed, (unsigned long long)s->restarts);
}

static int warm_status(int argc, char **argv)
{
	auto_buf struct buf text = {0};
	struct op_answer answer;
	bool json;
	struct err e;
	int left = listing_read(argc, argv, &json, &e);
	int bad = left < 0 ? fail_with(&e) : no_arguments(left, argv);

	if (bad)
		return bad;
	if (client_ask_once(NULL, OP_STATUS, NULL, &answer, &e))
		return fail_with(&e);
	if (json) {
		op_answer_write(OP_STATUS, &answer.status, &text);
		puts(buf_string(&text));
	} else {
		warm_print_status(&answer.status);
	}
	op_answer_fini(&answer);
	return 0;
}

/* The supervisor closes our connection last: it has ended when we return. */
static int warm_cmd_stop(int argc, char **argv)
{
	auto_fd int socket = -1;
	struct op_answer answer;
	struct err e;
	int bad = no_arguments(argc, argv);

	if (bad)
		return bad;
	if (client_ask_and_stay(NULL, OP_STOP, NULL, &socket, &answer, &e))
		return fail_with(&e);
	op_answer_fini(&answer);
	if (!fd_await(socket, POLLIN, monotonic_us() + STOP_MS * 1000ull)) {
		err_set(&e, ERR_SYSTEM, "the warm supervisor is still ending what it has made");
		return fail_with(&e);
	}
	return 0;
}

/* clang-format off */
const struct command warm_commands[] = {
	{"start",  "warm start [FLAGS] [IMAGE]",
	 "start the warm supervisor: import modules once and keep cells ready", warm_cmd_start, .settings = warm_start_settings, .operands = OPERANDS_IMAGE},
	{"serve",  "warm serve [FLAGS] [IMAGE]", "the same in the foreground, for systemd", warm_serve, .settings = warm_start_settings, .operands = OPERANDS_IMAGE},
	{"status", "warm status [--json]", "print what the supervisor is doing", warm_status, .settings = listing_settings},
	{"stop",   "warm stop", "end the supervisor, with all of its programs and sessions", warm_cmd_stop, .rows = NULL},
	{.name = NULL},
};
/* clang-format on */

int command_warm(int argc, char **argv)
{
	return run_subcommand(warm_commands, argc, argv);
}
