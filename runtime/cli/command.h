/*
 * command - what every sub-command looks like to main.
 *
 * Runs: every command of `glovebox`.
 */
#ifndef GLOVEBOX_CLI_COMMAND_H
#define GLOVEBOX_CLI_COMMAND_H

#include <stdbool.h>

#include "base/err.h"

#define EXIT_OURS 125 /* docker's status for its own failures */

struct setting;

struct command {
	const char *name;
	const char *synopsis;
	const char *help; /* one line */
	/* @argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
	const struct command *rows;     /* its own commands; NULL: none */
	const struct setting *settings; /* its own flags; NULL: none, or told elsewhere */
};

extern const struct command commands[]; /* ends with a null name */
extern const struct command session_commands[];
extern const struct command warm_commands[];

int command_run(int argc, char **argv);
int command_image(int argc, char **argv);
int command_session(int argc, char **argv);
int command_warm(int argc, char **argv);
int command_agent(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_help(int argc, char **argv);
int command_version(int argc, char **argv);
int print_version_line(void); /* --version */
int command_info(int argc, char **argv);
int command_images(int argc, char **argv);
int command_pull(int argc, char **argv);
int command_generate(int argc, char **argv);

/* We were started under the name "docker". */
bool invoked_as_docker(void);

/* Print "glovebox: <error>" (or docker's form) on stderr. Returns EXIT_OURS. */
int fail_with(const struct err *e);

/* The same, pointing to the --help of @command, which lists the flags, if a flag is unknown. */
int fail_with_help(const struct err *e, const char *command);

/* For commands without arguments: an error that names the first one. 0: there is none. */
int no_arguments(int argc, char **argv);

/* Run the row that argv[1] names, or print all for --help. @complaint: for anything else. */
int run_subcommand(const struct command *rows, int argc, char **argv, const char *complaint);

/*
 * Replace this process by another program in our directory (glovebox-image). Returns only on
 * failure.
 */
int exec_sibling(const char *program, int argc, char **argv);

#endif
