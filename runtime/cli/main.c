/*
 * main - the table of commands, and nothing else.
 *
 * Theory of operation: ARCHITECTURE.md. In short: a command fills a spec
 * (spec/), a sandbox is made from it (host/sandbox.c), pid 1 of the sandbox
 * confines itself (inside/confine.c) and executes the program, one loop
 * watches (host/watch.c), and the verdict becomes the exit status.
 */
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/command.h"

/* clang-format off */
const struct command commands[] = {
	{"run", "run [FLAGS] IMAGE [COMMAND [ARG...]]", "run a program in a sandbox", command_run, NULL, NULL},
	{"image", "image build|import|ls|rm|verify|tag|inspect ...", "make and manage images", command_image, NULL, NULL},
	{"warm", "warm start|serve|status|stop [FLAGS]", "keep a warm Python, from which runs start at once", command_warm, warm_commands, NULL},
	{"session", "session new|exec|ls|rm|files|put|get|delete|checkpoint|rollback|freeze|thaw ...", "Python that keeps its state from call to call", command_session, session_commands, NULL},
	{"agent", "agent [FLAGS] [TASK]", "a task for a local model that writes Python and runs it in a sandbox", command_agent, NULL, NULL},
	{"doctor", "doctor", "what this host offers, what is missing, and the remedy", command_doctor, NULL, NULL},
	{"help", "help [COMMAND]", "this, or everything about one command", command_help, NULL, NULL},
	{"version", "version", "versions", command_version, NULL, NULL},
	{"info", "info", "facts about this host, as docker info", command_info, NULL, NULL},
	{"images", "images", "list images", command_images, NULL, NULL},
	{"pull", "pull IMAGE", "say how images come here", command_pull, NULL, NULL},
	{"generate", "generate man|bash-completion", "print the manual page or the completion", command_generate, NULL, NULL},
	{NULL, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

static bool as_docker;

bool invoked_as_docker(void)
{
	return as_docker;
}

int fail_with(const struct err *e)
{
	char text[1024];

	fprintf(stderr, "%s: %s\n", as_docker ? "docker" : "glovebox",
		err_string(e, text, sizeof(text)));
	if (e->kind == ERR_INPUT && !strncmp(e->text, "unknown ", 8))
		fprintf(stderr, "Run '%s run --help' for more information\n",
			as_docker ? "docker" : "glovebox");
	return EXIT_OURS;
}

int no_arguments(int argc, char **argv)
{
	struct err e;

	if (argc <= 1)
		return 0;
	err_input(&e, "%s takes no argument: %.100s", argv[0], argv[1]);
	return fail_with(&e);
}

int exec_sibling(const char *program, int argc, char **argv)
{
	char self[PATH_MAX];
	char path[PATH_MAX + 64];
	struct err e;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)argc;
	if (n < 0) {
		err_sys(&e, "find the directory of glovebox");
		return fail_with(&e);
	}
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s", dirname(self), program);
	argv[0] = path;
	execv(path, argv);
	err_sys(&e, "run %s", path);
	return fail_with(&e);
}

/* Options that stand before docker's sub-command; they choose a daemon, and there is none. */
static int skip_docker_options(int argc, char **argv)
{
	static const char *const with_value[] = {"-H", "--host",      "-c",      "--context",
						 "-l", "--log-level", "--config"};
	int at = 1;

	while (as_docker && at < argc && argv[at][0] == '-') {
		bool takes_value = false;

		for (size_t i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++)
			takes_value |= !strcmp(argv[at], with_value[i]);
		if (!takes_value && strcmp(argv[at], "-D") && strcmp(argv[at], "--debug") &&
		    !strchr(argv[at], '='))
			break;
		at += takes_value ? 2 : 1;
	}
	return at < argc ? at : argc;
}

/* What was printed has arrived, or the command has failed. */
static int finish(int status)
{
	int error = fflush(stdout) ? errno : 0;
	struct err e;

	if (!error && !ferror(stdout))
		return status;
	if (error == EPIPE)
		return 128 + SIGPIPE; /* the reader has left: as a pipeline ends */
	errno = error ? error : EIO;
	err_sys(&e, "write to standard output");
	return fail_with(&e);
}

int main(int argc, char **argv)
{
	struct err e;
	int at;

	io_fill_standard();
	if (argc > 0)
		as_docker = !strcmp(basename(strdupa(argv[0])), "docker");
	at = skip_docker_options(argc, argv);
	if (at >= argc)
		return finish(command_help(0, argv));
	if (!strcmp(argv[at], "--version") || !strcmp(argv[at], "-v"))
		return finish(print_version_line());
	if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
		return finish(command_help(0, argv));
	for (const struct command *c = commands; c->name; c++) {
		if (!strcmp(c->name, argv[at]))
			return finish(c->run(argc - at, argv + at));
	}
	err_input(&e, "\"%.100s\" is not a command; \"glovebox help\" lists them", argv[at]);
	return fail_with(&e);
}
