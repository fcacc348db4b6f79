/*
 * exec - `glovebox exec`: start a further program in a sandbox that stays.
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "base/told.h"
#include "cli/command.h"
#include "cli/run.h"
#include "container/named.h"
#include "flags/setting_words.h"
#include "monitor/exec.h"
#include "monitor/session_find.h"
#include "spec/program_flags.h"

/* The variables and the directory are read as a run's are: into a spec, of which nothing else
 * counts. */
struct exec_options {
	struct sandbox_spec spec;
	bool detach;
	bool keep;
	uint64_t log_bytes;
};

#define SPEC(field) (offsetof(struct exec_options, spec) + offsetof(struct sandbox_spec, field))
#define LOG_LEAST   4096
#define LOG_BYTES   "1m"
#define ONE_USER    "every program of a sandbox has its user: run --user chooses it"

/* clang-format off */
const struct setting exec_settings[] = {
	{"interactive", 'i', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, SPEC(interactive), NULL, .help = "pass standard input to the program"},
	{"tty", 't', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, SPEC(tty), NULL, .help = "give the program a terminal made inside the sandbox"},
	{"detach", 'd', NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct exec_options, detach), NULL, .help = "do not wait for its end; what it prints is lost, unless --keep"},
	{"keep", 0, NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct exec_options, keep), NULL, .help = "with --detach: keep what it prints, and print its name, NAME/NUMBER, for logs, attach, wait and kill"},
	{"output-limit", 0, "SIZE", GROUP_LIMITS, FACE_RUN, SETTING_BYTES, offsetof(struct exec_options, log_bytes), LOG_BYTES, .min = LOG_LEAST, .max = 256 << 20, .help = "with --keep: of what it prints; the oldest is dropped"},
	{"env", 'e', "KEY[=VALUE]", GROUP_PROGRAM, FACE_RUN, SETTING_OWN, 0, NULL, .parse = program_flag_env, .repeated = true, .help = "set a variable, over those of the sandbox; a bare KEY is copied from your environment"},
	{"env-file", 0, "FILE", GROUP_PROGRAM, FACE_RUN, SETTING_OWN, 0, NULL, .parse = program_flag_env_file, .repeated = true, .help = "read KEY=VALUE lines"},
	{"workdir", 'w', "PATH", GROUP_PROGRAM, FACE_RUN, SETTING_OWN, 0, NULL, .parse = program_flag_workdir, .words = "the sandbox's", .help = "working directory"},
	{"user", 'u', "USER", GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = ONE_USER},
	{"privileged", 0, NULL, GROUP_REFUSED, FACE_RUN, SETTING_MOOT, 0, NULL, .help = "nothing may open a sandbox to the host"},
	{"detach-keys", 0, "KEYS", GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: no keys detach"},
	SETTING_END,
};
/* clang-format on */

/* As docker does, a program with a terminal is told of one. */
static struct door_wish exec_wish(struct exec_options *o, int argc, char **argv)
{
	const bool mute = o->detach && !o->keep;
	struct string_list env = {0};

	if (o->spec.tty)
		spec_list_add(&o->spec, &env, "TERM=xterm");
	for (size_t i = 0; i < o->spec.env_file.count; i++)
		spec_list_add(&o->spec, &env, o->spec.env_file.items[i]);
	for (size_t i = 0; i < o->spec.env.count; i++)
		spec_list_add(&o->spec, &env, o->spec.env.items[i]);
	return (struct door_wish){
		.argv = {argv, (size_t)argc},
		.env = env,
		.workdir = o->spec.workdir,
		.interactive = o->spec.interactive && !mute,
		.tty = o->spec.tty && !mute,
		.mute = mute
        };
}

/* The first signal goes to the program; by the second of the kind its client leaves. */
static int exec_pass_signals(struct exec *x, int signals, int *last)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		const int number = process_signal_of(&info);

		if (number == *last)
			return 128 + number;
		exec_signal(x, number);
		*last = number == SIGWINCH ? *last : number;
	}
	return 0;
}

/* Returns the exit status with which its client leaves before the end; 0: it has ended. */
static int exec_drive(struct exec *x, bool mute, int signals)
{
	int last = 0;
	int left = 0;
	bool over;

	do {
		if (loop_wait(exec_loop(x), signals))
			left = exec_pass_signals(x, signals, &last);
		over = exec_step(x) || (mute && exec_has_started(x));
	} while (!left && !over);
	return left;
}

static int exec_run(const struct record *r, const struct door_wish *wish)
{
	const struct run_io io = {
		STDIN_FILENO, {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}}
        };
	auto_fd int signals = -1;
	struct exec *x;
	struct err e;
	int status = 0;
	int left;

	if (process_signals(&signals, &e))
		return fail_with(&e);
	if (exec_start(r, wish, &io, &x, &e))
		return e.kind == ERR_GONE || e.kind == ERR_BUSY ? fail_as_daemon(&e)
								: fail_with_help(&e, "exec");
	left = exec_drive(x, wish->mute, signals);
	if (exec_end(x, &status, &e))
		return run_failed(&e, true);
	/* With -d it has started, and may have ended. */
	return left ? left : wish->mute ? 0 : process_exit_code(status);
}

static int exec_in_background(const struct record *r, const struct door_wish *wish,
			      uint64_t log_bytes)
{
	uint32_t number;
	struct err e;

	if (exec_keep(r, wish, log_bytes, &number, &e))
		return run_failed(&e, true);
	printf("%s/%u\n", record_name(r), number);
	return 0;
}

static int exec_check(const struct exec_options *o, const struct record *r, struct err *e)
{
	if (o->keep && !o->detach)
		return err_input(e,
				 "exec: --keep is for --detach: the output of a program that is "
				 "attached is yours");
	if (o->keep && r->is_session)
		return err_input(e,
				 "exec: --keep: a session has no monitor that could keep it: "
				 "start the program in a sandbox of run --detach");
	return 0;
}

static int exec_with(struct exec_options *o, int argc, char **argv)
{
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_BUNDLED,
					  .keeper = &o->spec,
					  .tables = {{exec_settings, o, NULL}},
					  .hint = ""};
	auto_record struct record record = {.dir = -1};
	struct door_wish wish;
	struct err e;
	int status;
	int used;

	setting_defaults(&settings.tables[0], &o->spec);
	if (setting_words(&settings, argc - 1, argv + 1, &used, &e))
		return err_prefix(&e, "exec"), fail_with_help(&e, "exec");
	argv += 1 + used;
	argc -= 1 + used;
	if (argc < 2) {
		err_input(&e,
			  "exec: a name and a command are needed: %s exec [FLAGS] NAME COMMAND "
			  "[ARG...]",
			  our_name());
		return fail_with(&e);
	}
	if (o->spec.tty && o->spec.interactive && !o->detach && told_fd() < 0 &&
	    !isatty(STDIN_FILENO)) {
		fputs("the input device is not a TTY\n", stderr);
		return 1;
	}
	if (session_find(argv[0], &record, &e))
		return named_explain("exec", argv[0], &e), fail_as_daemon(&e);
	if (exec_check(o, &record, &e))
		return fail_with(&e);
	wish = exec_wish(o, argc - 1, argv + 1);
	status = o->keep ? exec_in_background(&record, &wish, o->log_bytes)
			 : exec_run(&record, &wish);
	free(wish.env.items); /* its texts are the spec's */
	return status;
}

int command_exec(int argc, char **argv)
{
	struct exec_options o = {.log_bytes = 0};
	int status;

	spec_init(&o.spec);
	status = exec_with(&o, argc, argv);
	spec_fini(&o.spec);
	return status;
}
