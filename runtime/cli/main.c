/*
 * main - the table of commands, and the dispatch to them.
 *
 * Theory of operation: ARCHITECTURE.md. In short: a command fills a spec (spec/), a sandbox is made
 * from it (host/sandbox.c), pid 1 of the sandbox confines itself (inside/confine.c) and executes
 * the program, one loop watches (host/watch.c), and the verdict becomes the exit status.
 */
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/command.h"
#include "spec/setting_words.h"

/* Returns where the operands are, or -1. */
const struct command commands[] = {
	{"run",      "run [FLAGS] IMAGE [COMMAND [ARG...]]",                                "run a program in a sandbox",                           command_run,
	 NULL,																					 NULL},
	{"image",    "image build|import|ls|rm|verify|tag|inspect ...",                     "build and manage images",
	 command_image,																	      NULL,             NULL},
	{"warm",     "warm start|serve|status|stop [FLAGS]",
	 "keep a warm Python from which runs start at once",											command_warm,    warm_commands,    NULL},
	{"session",
	 "session new|exec|ls|rm|files|put|get|delete|checkpoint|rollback|freeze|thaw ...", "Python that keeps its state from call to call",        command_session, session_commands, NULL},
	{"agent",    "agent [FLAGS] [TASK]",
	 "give a task to a local model that writes Python and runs it in a sandbox",                                                                command_agent,
	 NULL,																					 NULL},
	{"doctor",   "doctor",							      "what this host offers, what it lacks, and the remedy", command_doctor,
	 NULL,																					 NULL},
	{"help",     "help [COMMAND]",						      "this text, or everything about one command",           command_help,    NULL,
	 NULL																					      },
	{"version",  "version",							     "print versions",                                       command_version, NULL,             NULL},
	{"info",     "info",								"facts about this host, as in docker info",             command_info,    NULL,             NULL},
	{"images",   "images",							      "list images",                                          command_images,  NULL,             NULL},
	{"pull",     "pull IMAGE",							  "say how to get an image",                              command_pull,    NULL,             NULL},
	{"generate", "generate man|bash-completion",                                        "print the manual page or the bash completion",
	 command_generate,																	   NULL,             NULL},
	{NULL,       NULL,								  NULL,						   NULL,            NULL,             NULL},
};
/* its rows are refused by name */

static bool as_docker;

bool invoked_as_docker(void)
{
	return as_docker;
}

int fail_with_help(const struct err *e, const char *command)
{
	char text[1024];

	fprintf(stderr, "%s: %s\n", as_docker ? "docker" : "glovebox",
		err_string(e, text, sizeof(text)));
	if (e->kind == ERR_USAGE)
		fprintf(stderr, "Run '%s %s --help' for more information\n",
			as_docker ? "docker" : "glovebox", command);
	return EXIT_OURS;
}

int fail_with(const struct err *e)
{
	return fail_with_help(e, "run");
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

/* Options that stand before docker's sub-command: they choose a daemon, and there is none. */
struct ignored {
	const char *text;
	bool flag;
};

#define TEXT SETTING_TEXT, offsetof(struct ignored, text), NULL, .help = "-"
#define FLAG SETTING_FLAG, offsetof(struct ignored, flag), NULL, .help = "-"

/* Returns where the operands are, or -1. */
static const struct setting docker_settings[] = {
	{"config",    0,   "DIR",   GROUP_DOCKER, FACE_RUN, TEXT},
	{"context",   'c', "NAME",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"debug",     'D', NULL,    GROUP_DOCKER, FACE_RUN, FLAG},
	{"host",      'H', "LIST",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"log-level", 'l', "LEVEL", GROUP_DOCKER, FACE_RUN, TEXT},
	{"tls",       0,   NULL,    GROUP_DOCKER, FACE_RUN, FLAG},
	{"tlscacert", 0,   "FILE",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"tlscert",   0,   "FILE",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"tlskey",    0,   "FILE",  GROUP_DOCKER, FACE_RUN, TEXT},
	{"tlsverify", 0,   NULL,    GROUP_DOCKER, FACE_RUN, FLAG},
	SETTING_END,
};
/* its rows are refused by name */

static int main_skip_docker_options(int argc, char **argv)
{
	struct ignored ignored;
	const struct settings settings = {.face = FACE_RUN,
					  .tables = {{docker_settings, &ignored, NULL}}};
	struct err e;
	int used = 0;

	/* What is none of them is for us, or no command. */
	if (as_docker && argc > 1)
		(void)setting_words(&settings, argc - 1, argv + 1, &used, &e);
	return argc > 1 ? used + 1 : argc;
}

/* If our output could not be written, the command has failed. */
static int main_finish(int status)
{
	int error = io_flush_output();
	struct err e;

	if (!error)
		return status;
	if (error == EPIPE)
		return 128 + SIGPIPE; /* the reader has left: end as a pipeline does */
	errno = error;
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
	at = main_skip_docker_options(argc, argv);
	if (at >= argc)
		return main_finish(command_help(0, argv));
	if (!strcmp(argv[at], "--version") || !strcmp(argv[at], "-v"))
		return main_finish(print_version_line());
	if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
		return main_finish(command_help(0, argv));
	for (const struct command *c = commands; c->name; c++) {
		if (!strcmp(c->name, argv[at]))
			return main_finish(c->run(argc - at, argv + at));
	}
	err_input(&e, "\"%.100s\" is not a command; \"glovebox help\" lists them", argv[at]);
	return fail_with(&e);
}
