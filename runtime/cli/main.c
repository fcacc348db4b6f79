/*
 * main - the table of commands, and the dispatch to them.
 *
 * Theory of operation: runtime/sandbox/README.md. In short: a command fills a spec (spec/), a
 * sandbox is made from it (sandbox/sandbox.c), pid 1 of the sandbox confines itself
 * (inside/confine.c) and executes the program, one loop watches (sandbox/watch.c), and the verdict
 * becomes the exit status.
 */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/told.h"
#include "cli/command.h"
#include "cli/docker_verbs.h"
#include "cli/format.h"
#include "cli/script_here.h"
#include "flags/kernel_settings.h"
#include "flags/mcp_settings.h"
#include "flags/serve_settings.h"
#include "flags/setting_words.h"
#include "spec/policy.h"
#include "spec/setting_sources.h"

#define MORE_OF_RUN                                                                                \
	"Flags have docker run's grammar and meaning; defaults, in brackets, are the strict "      \
	"ones.\n"                                                                                  \
	"Exit status: the program's; 123 if that would be 0 but output was cut, 124 for "          \
	"--timeout,\n"                                                                             \
	"125 for a failure of glovebox, 126 and 127 for a command that cannot be executed or "     \
	"found,\n"                                                                                 \
	"137 for the memory limit and --cpu-time, 128+n for a signal.\n"                           \
	"With --code the file is /code/script.py, and what follows IMAGE are its arguments, "      \
	"unless\n"                                                                                 \
	"--entrypoint names another program.\n"
/* Differences that a user of docker run would not expect. */
#define DIFFERENCES                                                                                \
	"\nWhere it differs from docker run:\n"                                                    \
	"  by default     no network (loopback only), 512 MiB and no swap, 1 CPU, 64 processes,\n" \
	"                 uid 1000, half of --memory in /tmp, 64 MiB each in /dev/shm and HOME\n"  \
	"  always         no capability, no set-uid, fewer system calls, --init; no daemon, no\n"  \
	"                 volume without name\n"                                                   \
	"  without -d     a read-only root, and --rm\n"                                            \
	"  /tmp           and /dev/shm and HOME are noexec; --tmpfs /tmp:exec lets programs "      \
	"start\n"                                                                                  \
	"  -v DIR         is used with the rights of its owner; if it is missing, glovebox run\n"  \
	"                 refuses, and docker run makes it only where nobody else can write\n"     \
	"  a signal       ends glovebox run and its program; docker run forwards it\n"             \
	"  output         is cut at 64 MiB by glovebox run (--output-limit), never by docker "     \
	"run\n"                                                                                    \
	"  images         are built, imported or pulled (glovebox image), never by a run\n"

#define MORE_OF_KILL                                                                               \
	"NAME is a name or the beginning of an id. A run passes the signal to its program, and "   \
	"reports and\ncollects as at any other end; a session ends; an agent, a server and "       \
	"others "                                                                                  \
	"get the signal.\n"
#define MORE_OF_WATCH                                                                              \
	"DIRECTORY begins at the root, and leads through no link. The first line, \"watched\", "   \
	"says that it has\nbegun. The others are created (or moved to there), written, removed, "  \
	"moved (away) and changed (mode,\nowner, times). It ends with an error when the "          \
	"directory "                                                                               \
	"or the sandbox does.\n"
#define MORE_OF_USAGE                                                                              \
	"PATH begins at the root (the default), and leads through no link. What is mounted below " \
	"it does not\ncount, and a file of several names counts once. \"allocated\" is what the "  \
	"file system has for them.\n"
#define MORE_OF_UPDATE                                                                             \
	"What is not named stays as it is. One that runs has its limits changed at once, all of "  \
	"them or\nnone; \"start\" starts it with them.\n"
#define MORE_OF_DOCTOR                                                                             \
	"Each row is tried for the user who asks: \"ok\", \"NO\" for what no sandbox can do "      \
	"without, with the\nremedy, or \"-\" for what makes one stronger. Exit status: 0 if "      \
	"sandboxes with the default limits\ncan be made, else 1.\n"
#define MORE_OF_SELFTEST                                                                           \
	"Sandboxes are made, and attacked from inside and looked at from outside; it takes some "  \
	"seconds.\nExit status: 0 if every layer that is promised holds, 1 if one does not, 125 "  \
	"if something could\nnot be tried.\n"
#define MORE_OF_SERVE                                                                              \
	"Each request runs in a cell of its own; docs/serve.md has the interface. With --keys "    \
	"callers need a\nkey, which \"glovebox serve key add NAME\" makes.\n"
#define MORE_OF_ENGINE                                                                             \
	"With DOCKER_HOST=unix:PATH clients of Docker use it: docs/engine.md. It may be ended at " \
	"any time:\nwhat it has started goes on.\n"
#define MORE_OF_MCP                                                                                \
	"It speaks on standard input and output, to the program that started it; docs/mcp.md "     \
	"has what\nto write into a client's settings. Its sessions end with it.\n"
#define MORE_OF_KERNEL                                                                             \
	"kernel install writes a kernelspec: JupyterLab, VS Code, nbclient, papermill and others " \
	"offer\n\"Python (sandboxed)\" then, and start the kernel with the flags that were "       \
	"given. "                                                                                  \
	"docs/notebooks.md has\nwhat cells can do.\n"
#define MORE_OF_SETUP                                                                              \
	"Limits and what building images needs are given for good. What is done is printed "       \
	"before "                                                                                  \
	"it is done.\n"

/* clang-format off */
const struct command commands[] = {
	{"run", "run [FLAGS] IMAGE [COMMAND [ARG...]]", "run a program in a sandbox", command_run, .all = run_all_settings, .own_help = true, .operands = OPERANDS_IMAGE, .more = MORE_OF_RUN, .end = DIFFERENCES},
	{"create", "create [FLAGS] IMAGE [COMMAND [ARG...]]", "make a sandbox that stays, for start", command_create, .all = run_all_settings, .operands = OPERANDS_IMAGE, .runs = true},
	{"ps", "ps [FLAGS]", "list your runs, sessions, agents and servers", command_ps, .settings = ps_settings},
	{"kill", "kill [--signal SIGNAL] NAME...", "end what ps lists, at once, or send it a signal", command_kill, .settings = kill_settings, .operands = OPERANDS_RUNNING, .more = MORE_OF_KILL},
	{"stop", "stop [--signal SIGNAL] [--time SECONDS] NAME...", "ask what ps lists to end, and kill it after a grace", command_stop, .settings = stop_settings, .operands = OPERANDS_RUNNING, .more = MORE_OF_KILL},
	{"exec", "exec [FLAGS] NAME COMMAND [ARG...]", "start a further program in a sandbox that stays", command_exec, .settings = exec_settings, .operands = OPERANDS_KEPT, .runs = true},
	{"logs", "logs [FLAGS] NAME", "print what a sandbox that stays has printed", command_logs, .settings = logs_settings, .operands = OPERANDS_KEPT},
	{"attach", "attach [FLAGS] NAME", "print what a sandbox that stays prints, and type into it", command_attach, .settings = attach_settings, .operands = OPERANDS_KEPT},
	{"start", "start [FLAGS] NAME...", "start sandboxes that have ended anew", command_start, .settings = start_settings, .operands = OPERANDS_ALL_KEPT},
	{"restart", "restart [--time SECONDS] NAME...", "end sandboxes that stay, and start them anew", command_restart, .settings = restart_settings, .operands = OPERANDS_ALL_KEPT},
	{"cp", "cp NAME:PATH PATH|- | cp PATH|- NAME:PATH", "copy files into a sandbox that stays, or out of it", command_cp, .settings = cp_settings},
	{"watch", "watch [FLAGS] NAME DIRECTORY", "print what changes in a directory of a sandbox that stays, or a session", command_watch, .settings = watch_settings, .operands = OPERANDS_KEPT, .more = MORE_OF_WATCH},
	{"usage", "usage [--json] NAME [PATH]", "tell how much files of a sandbox that stays, or a session, take", command_usage, .settings = usage_settings, .operands = OPERANDS_ALL_KEPT, .more = MORE_OF_USAGE},
	{"diff", "diff [--json] NAME", "list what a sandbox that stays has changed in its root", command_diff, .settings = diff_settings, .operands = OPERANDS_ALL_KEPT},
	{"export", "export [--output FILE] NAME", "write the root of a sandbox that stays as a tar", command_export, .settings = export_settings, .operands = OPERANDS_ALL_KEPT},
	{"commit", "commit [FLAGS] NAME IMAGE[:TAG]", "make an image of the root of a sandbox that stays", command_commit, .settings = commit_settings, .operands = OPERANDS_ALL_KEPT},
	{"stats", "stats [FLAGS] [NAME...]", "tell what sandboxes that stay use", command_stats, .settings = stats_settings, .operands = OPERANDS_ALL_KEPT},
	{"top", "top [--json] NAME", "list the processes of a sandbox that stays", command_top, .settings = top_settings, .operands = OPERANDS_KEPT},
	{"port", "port NAME [PORT]", "list the published ports of a sandbox that stays", command_port, .operands = OPERANDS_KEPT},
	{"events", "events [FLAGS]", "tell what becomes of sandboxes that stay", command_events, .settings = events_settings},
	{"update", "update [FLAGS] NAME...", "change the limits of sandboxes that stay, now and for their next start", command_update, .all = update_all_settings, .operands = OPERANDS_ALL_KEPT, .more = MORE_OF_UPDATE},
	{"pause", "pause NAME...", "freeze sandboxes that stay", command_pause, .operands = OPERANDS_ALL_KEPT},
	{"hibernate", "hibernate NAME...", "the same for long: their root is kept on the disk, and memory goes to swap", command_hibernate, .operands = OPERANDS_ALL_KEPT},
	{"unpause", "unpause NAME...", "let them go on", command_pause, .operands = OPERANDS_ALL_KEPT},
	{"wait", "wait NAME...", "wait for the end of sandboxes that stay, and print their exit codes", command_wait, .operands = OPERANDS_ALL_KEPT},
	{"rename", "rename OLD NEW", "give a sandbox that stays another name", command_rename, .operands = OPERANDS_KEPT},
	{"rm", "rm [--force] NAME...", "remove what is kept of sandboxes that have stayed", command_rm, .settings = rm_settings, .operands = OPERANDS_REMOVED},
	{"prune", "prune [--force]", "remove what is kept of all sandboxes that have ended", command_prune, .settings = prune_settings},
	{"inspect", "inspect [--format TEMPLATE] [--type TYPE] NAME...", "describe sandboxes that stay, images or volumes", command_inspect, .settings = inspect_settings, .operands = OPERANDS_INSPECTED},
	{"image", "image build|df|import|load|ls|prune|pull|rm|save|share|tag|verify|inspect ...", "build and manage images", command_image, .own_help = true},
	{"volume", "volume create|ls|inspect|rm|prune ...", "directories by name, for -v, that outlive sandboxes", command_volume, .rows = volume_commands},
	{"warm", "warm start|serve|status|stop [FLAGS]", "keep a warm Python from which runs start at once", command_warm, .rows = warm_commands},
	{"session", "session new|exec|repl|ls|rm|files|put|get|delete|checkpoint|checkpoints|rollback|egress|freeze|thaw ...", "Python that keeps its state from call to call", command_session, .rows = session_commands},
	{"mcp", "mcp [FLAGS]", "sandboxes for clients of the Model Context Protocol", command_mcp, .settings = mcp_settings, .all = mcp_command_settings, .more = MORE_OF_MCP},
	{"kernel", "kernel -f FILE [FLAGS] | kernel install [FLAGS]", "a kernel for Jupyter, whose cells run in a sandbox", command_kernel, .settings = kernel_settings, .all = kernel_command_settings, .more = MORE_OF_KERNEL},
	{"agent", "agent [FLAGS] [TASK]", "give a task to a local model that writes Python and runs it in a sandbox", command_agent, .own_help = true},
	{"serve", "serve [FLAGS] | serve key add|ls|rm ...", "sandboxes for programs that speak HTTP", command_serve, .settings = serve_settings, .all = serve_command_settings, .own_help = true, .more = MORE_OF_SERVE},
	{"engine", "engine [FLAGS]", "the socket of Docker's Engine, for clients of its API", command_engine, .settings = engine_settings, .more = MORE_OF_ENGINE},
	{"doctor", "doctor [--json]", "what this host offers, what it lacks, and the remedy", command_doctor, .settings = doctor_settings, .more = MORE_OF_DOCTOR},
	{"selftest", "selftest [--json] [--image IMAGE] [--only LAYER] [--verbose]", "try whether the layers of a sandbox hold on this kernel", command_selftest, .settings = selftest_settings, .more = MORE_OF_SELFTEST},
	{"setup", "setup user NAME [FLAGS]", "as root: give an ordinary user limits, and what building images needs", command_setup, .settings = setup_settings, .more = MORE_OF_SETUP},
	{"help", "help [COMMAND [COMMAND]]", "this text, or everything about one command", command_help, .operands = OPERANDS_COMMAND},
	{"version", "version [--format TEMPLATE]", "print versions", command_version, .settings = format_settings},
	{"info", "info [--format TEMPLATE]", "facts about this host, as in docker info", command_info, .settings = format_settings},
	{"images", "images [--quiet] [NAME[:TAG]]", "list images", command_images, .settings = images_settings, .operands = OPERANDS_IMAGE},
	{"pull", "pull IMAGE", "fetch an image unless it is here", command_pull, .operands = OPERANDS_IMAGE},
	{"generate", "generate man|bash-completion|zsh-completion|unit ...", "print the manual page, a shell's completion, or a unit of systemd", command_generate, .rows = generate_commands},
	{.name = NULL},
};
/* clang-format on */

static bool as_docker;

bool invoked_as_docker(void)
{
	return as_docker;
}

void invoke_as_docker(bool docker)
{
	as_docker = docker;
}

const char *our_name(void)
{
	return as_docker ? "docker" : "glovebox";
}

int fail_with_help(const struct err *e, const char *command)
{
	char text[1024];

	if (told_error(e))
		return EXIT_OURS;
	fprintf(stderr, "%s: %s\n", our_name(), err_string(e, text, sizeof(text)));
	if (e->kind == ERR_USAGE)
		fprintf(stderr, "Run '%s %s --help' for more information\n", our_name(), command);
	return EXIT_OURS;
}

int fail_with(const struct err *e)
{
	return fail_with_help(e, "run");
}

int fail_as_daemon(const struct err *e)
{
	char text[600];

	if (!invoked_as_docker())
		return fail_with(e);
	if (told_error(e))
		return 1;
	fprintf(stderr, "Error response from daemon: %s\n", err_string(e, text, sizeof(text)));
	return 1;
}

int no_arguments(int argc, char **argv)
{
	struct err e;

	if (argc <= 1)
		return 0;
	err_input(&e, "%s takes no argument: %.100s", argv[0], argv[1]);
	return fail_with(&e);
}

/* Options before docker's sub-command: they choose a daemon, which we do not have. */
struct endpoint {
	const char *host;
	const char *context;
	const char *ignored;
	bool flag;
};

#define PLACE(field) SETTING_TEXT, offsetof(struct endpoint, field), NULL, .help = "-"
#define TEXT         PLACE(ignored)
#define FLAG         SETTING_FLAG, offsetof(struct endpoint, flag), NULL, .help = "-"

/* The same from the environment: DOCKER_HOST, DOCKER_CONTEXT. */
static const struct setting endpoint_settings[] = {
	{"context", 'c', "NAME", GROUP_DOCKER, FACE_RUN, PLACE(context)},
	{"host",    'H', "LIST", GROUP_DOCKER, FACE_RUN, PLACE(host)   },
	SETTING_END,
};

static const struct setting client_settings[] = {
	{"config",    0,   "DIR",   GROUP_DOCKER, FACE_RUN, TEXT},
	{"debug",     'D', NULL,    GROUP_DOCKER, FACE_RUN, FLAG},
	{"log-level", 'l', "LEVEL", GROUP_DOCKER, FACE_RUN, TEXT},
	{"tls",       0,   NULL,    GROUP_DOCKER, FACE_RUN, FLAG},
	{"tlscacert", 0,   "FILE",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"tlscert",   0,   "FILE",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"tlskey",    0,   "FILE",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"tlsverify", 0,   NULL,    GROUP_DOCKER, FACE_RUN, FLAG},
	SETTING_END,
};

/* Returns the index of the command, up to argc. */
static int main_read_docker_options(int argc, char **argv, struct endpoint *d)
{
	struct settings settings = {.face = FACE_RUN, .tables = {{endpoint_settings, d, NULL}}};
	struct err e;
	int used = 0;

	if (!as_docker || argc < 2)
		return argc > 1 ? 1 : argc;
	(void)settings_from_environment(&settings, "DOCKER_", &e);
	settings.tables[1] = (struct setting_table){client_settings, d, NULL};
	/* A word that is not one of these options is our own flag, or an invalid command. */
	(void)setting_words(&settings, argc - 1, argv + 1, &used, &e);
	return used + 1;
}

/* Code that is meant for another machine must not run here. A local socket means this machine. */
static int main_check_endpoint(const struct endpoint *d, struct err *e)
{
	if (d->host && *d->host && strncmp(d->host, "unix://", 7) != 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "-H, DOCKER_HOST: %.200s is not this machine, and sandboxes run on "
			       "this one only: leave it out, or call a docker client by its path",
			       d->host);
	if (d->context && *d->context && strcmp(d->context, "default") != 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "-c, --context, DOCKER_CONTEXT: %.200s is a daemon's, and sandboxes "
			       "run on this machine without one: leave it out",
			       d->context);
	return 0;
}

/* A command that starts nothing reads no ceiling: it must not work where the others refuse. */
static int main_check_ceiling(struct err *e)
{
	auto_policy struct policy policy = {.file_count = 0};

	return getenv(POLICY_VARIABLE) ? policy_read(&policy, e) : 0;
}

static bool main_asks_version(const char *word)
{
	return !strcmp(word, "--version") || !strcmp(word, "-v") || !strcmp(word, "-V");
}

static int main_run_command(int argc, char **argv)
{
	struct err e;
	const struct command *command = find_command(commands, "", argv[0], &e);
	auto_free char *runs = NULL;
	int status;

	if (command)
		return run_command(command, argc, argv);
	status = docker_verb(argc, argv);
	if (status < 0 && (runs = script_command(argv[0], NULL)))
		err_input(&e, "%.100s is a program here, and not a command: \"%s\" runs it",
			  argv[0], runs);
	return status < 0 ? fail_with(&e) : status;
}

int main(int argc, char **argv)
{
	struct endpoint endpoint = {0};
	struct err e;
	int at;

	io_fill_standard();
	if (argc > 0)
		as_docker = !strcmp(basename(strdupa(argv[0])), "docker");
	at = main_read_docker_options(argc, argv, &endpoint);
	if (at >= argc)
		return io_finish(command_help(0, argv), fail_with);
	if (main_asks_version(argv[at]))
		return io_finish(print_version_line(), fail_with);
	if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
		return io_finish(command_help(0, argv), fail_with);
	if (main_check_endpoint(&endpoint, &e) || main_check_ceiling(&e))
		return fail_with(&e);
	return io_finish(main_run_command(argc - at, argv + at), fail_with);
}
