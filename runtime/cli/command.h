/*
 * command - the interface between main and every sub-command.
 *
 * Runs: every command of `glovebox`.
 */
#ifndef GLOVEBOX_CLI_COMMAND_H
#define GLOVEBOX_CLI_COMMAND_H

#include <stdbool.h>

#include "base/err.h"
#include "spec/setting.h"

#define EXIT_OURS     125 /* docker's exit status for its own failures */
#define EXIT_LEFT_OUT 1   /* of a copy: mover has said what it left out */

/* The kind of a command's operands, for the completion. */
enum operands {
	OPERANDS_OTHER, /* files, or words that only the user knows */
	OPERANDS_COMMAND,
	OPERANDS_IMAGE,   /* one image, then other words */
	OPERANDS_IMAGES,  /* any number of images */
	OPERANDS_SESSION, /* one session, then other words */
	OPERANDS_SESSIONS,
	OPERANDS_RUNNING,    /* any number of the names that ps lists */
	OPERANDS_KEPT,       /* one sandbox that stays, then other words */
	OPERANDS_ALL_KEPT,   /* any number of them */
	OPERANDS_REMOVED,    /* the same, and what ps lists */
	OPERANDS_INSPECTED,  /* the same as OPERANDS_ALL_KEPT, and images */
	OPERANDS_VOLUMES,    /* any number of volumes */
	OPERANDS_CHECKPOINT, /* one session, and one of its checkpoints */
};

/*
 * One command. Dispatch, help, manual page and completion come from the rows of these tables, which
 * end with a null name.
 */
struct command {
	const char *name;
	const char *synopsis;
	const char *help; /* one line */
	/* @argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
	const struct command *rows;     /* its own commands; NULL: none */
	const struct setting *settings; /* its own flags; NULL: none, or listed elsewhere */

	/* Named initializers: most rows set only a few of these. */
	struct settings (*all)(void); /* its own flags and those of other tables */
	enum operands operands;
	bool runs; /* words behind the first operand are a program's: --help is not ours there */
	bool own_help; /* it handles --help itself: without `all`, another program has the text */
	const char *more; /* more help: whole lines, as printed */
	const char *end;  /* the same, after the flags */
};

extern const struct command commands[]; /* ends with a null name */
extern const struct command session_commands[];
extern const struct command warm_commands[];
extern const struct command volume_commands[];
extern const struct command generate_commands[];
extern const struct setting images_settings[];
extern const struct setting ps_settings[];
extern const struct setting kill_settings[];
extern const struct setting stop_settings[];
extern const struct setting exec_settings[];
extern const struct setting logs_settings[];
extern const struct setting attach_settings[];
extern const struct setting start_settings[];
extern const struct setting restart_settings[];
extern const struct setting stats_settings[];
extern const struct setting top_settings[];
extern const struct setting diff_settings[];
extern const struct setting cp_settings[];
extern const struct setting watch_settings[];
extern const struct setting usage_settings[];
extern const struct setting events_settings[];
extern const struct setting engine_settings[];
extern const struct setting unit_settings[];
extern const struct setting export_settings[];
extern const struct setting commit_settings[];
extern const struct setting rm_settings[];
extern const struct setting inspect_settings[];
extern const struct setting prune_settings[];
extern const struct setting doctor_settings[];
extern const struct setting setup_settings[];
extern const struct setting selftest_settings[];

struct settings run_all_settings(void);
struct settings update_all_settings(void);
struct settings session_new_all_settings(void);
struct settings session_repl_all_settings(void);
struct settings serve_command_settings(void);
struct settings mcp_command_settings(void);
struct settings kernel_command_settings(void);

int command_run(int argc, char **argv);
int command_image(int argc, char **argv);
int command_image_inspect(int argc, char **argv);
int command_ps(int argc, char **argv);
int command_kill(int argc, char **argv);
int command_stop(int argc, char **argv);
int command_exec(int argc, char **argv);
int command_logs(int argc, char **argv);
int command_attach(int argc, char **argv);
int command_start(int argc, char **argv);
int command_restart(int argc, char **argv);
int command_pause(int argc, char **argv);
int command_hibernate(int argc, char **argv);
int command_update(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_top(int argc, char **argv);
int command_cp(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_usage(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_export(int argc, char **argv);
int command_commit(int argc, char **argv);
int command_create(int argc, char **argv);
int command_events(int argc, char **argv);
int command_port(int argc, char **argv);
int command_wait(int argc, char **argv);
int command_rename(int argc, char **argv);
int command_rm(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_prune(int argc, char **argv);
int command_volume(int argc, char **argv);
int command_session(int argc, char **argv);
int command_warm(int argc, char **argv);
int command_agent(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_engine(int argc, char **argv);
int command_mcp(int argc, char **argv);
int command_kernel(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_setup(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_help(int argc, char **argv);
int command_version(int argc, char **argv);
int print_version_line(void); /* --version */
int command_info(int argc, char **argv);
int command_images(int argc, char **argv);
int command_pull(int argc, char **argv);
int generate_unit(int argc, char **argv);
int command_generate(int argc, char **argv);

/* Whether we were started under the name "docker". */
bool invoked_as_docker(void);
void invoke_as_docker(bool docker); /* for words that were said under that name */
const char *our_name(void);         /* "glovebox" or "docker" */

/* Print "glovebox: <error>" (or docker's form) on stderr. Returns EXIT_OURS. */
int fail_with(const struct err *e);

/* The same; for an unknown flag it points to the --help of @command, which lists the flags. */
int fail_with_help(const struct err *e, const char *command);

/* Print an error as docker prints what its daemon answers. Returns the exit status. */
int fail_as_daemon(const struct err *e);

/* For commands without arguments: an error that names the first one. 0: no arguments. */
int no_arguments(int argc, char **argv);

/* The row of that name; NULL with *e, which suggests the nearest. @of: "session ", or "". */
const struct command *find_command(const struct command *rows, const char *of, const char *name,
				   struct err *e);

/* Run a row with its privileges (base/privileges.h), or print its help if the words ask for it. */
int run_command(const struct command *c, int argc, char **argv);

/* Run the row that argv[1] names, or print all for --help. @argv[0] is the family's name. */
int run_subcommand(const struct command *rows, int argc, char **argv);

/* Print what the last word may become, for the shell's completion (cli/complete.c). */
int command_complete(int argc, char **argv);

/*
 * Execute another program of ours (glovebox-image): from our directory or, in the one-file program,
 * from ourselves. Returns the exit status.
 */
int exec_sibling(const char *program, int argc, char **argv);

/* This is the one-file program (make appliance), which has no recipes for images. */
extern const bool is_one_file;

#endif
