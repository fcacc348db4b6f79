/*
 * setup - `glovebox setup user NAME`: do once, as root, everything that an ordinary user needs.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin/setup_file.h"
#include "admin/setup_look.h"
#include "admin/setup_plan.h"
#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "cli/command.h"
#include "flags/setting_words.h"
#include "host/system_program.h"

struct setup {
	bool dry_run;
	const char *root; /* not NULL: a system that does not run: only print the commands */
	int layout;       /* of that system, an index into LAYOUTS; -1: not given */
	int root_fd;
};

#define LAYOUTS "v1|v2"

/* clang-format off */
const struct setting setup_settings[] = {
	{"dry-run", 0, NULL, GROUP_PROGRAM, FACE_RUN, SETTING_FLAG, offsetof(struct setup, dry_run), NULL, .help = "print what would be done, and do nothing"},
	{"root", 0, "DIR", GROUP_PROGRAM, FACE_RUN, SETTING_TEXT, offsetof(struct setup, root), NULL, .min = 1, .help = "for a system that does not run, with its root in DIR: write files there and run nothing"},
	{"layout", 0, LAYOUTS, GROUP_PROGRAM, FACE_RUN, SETTING_CHOICE, offsetof(struct setup, layout), NULL, .choices = LAYOUTS, .help = "with --root: the control groups that system will have"},
	SETTING_END,
};
/* clang-format on */

static int setup_run(const struct setup_step *step, struct err *e)
{
	const struct list *words = &step->words;
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		char **argv = own_zeroed(words->count + 1, sizeof(*argv));

		for (size_t i = 0; i < words->count; i++)
			argv[i] = words->items[i];
		setenv("PATH", SYSTEM_PROGRAM_PATH, 1);
		umask(022); /* create files with the modes that a boot would give them */
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child > 0)
		status = process_reap(child, 0);
	if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(e, ERR_SYSTEM, "%s failed%s", words->items[0],
		       WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ": it is not here" : "");
}

static int setup_do(const struct setup_step *step, void *context, struct err *e)
{
	const struct setup *s = context;

	switch (step->kind) {
	case SETUP_WRITE:
		return setup_file_write(s->root_fd, step->text, step->content, e);
	case SETUP_REMOVE:
		return setup_file_remove(s->root_fd, step->text, e);
	case SETUP_RUN:
		return setup_run(step, e);
	case SETUP_LATER:
	case SETUP_BACK:
	case SETUP_SAY:
		break;
	}
	return 0;
}

static int setup_check(const struct setup *s, struct err *e)
{
	if (!s->root && s->layout >= 0)
		return err_input(e, "--layout goes with --root: what is mounted here can be seen");
	if (s->root && s->layout < 0)
		return err_input(e,
				 "which control groups that system will have cannot be seen in "
				 "--root: --layout v2 (Debian 11 and later, by systemd), or "
				 "--layout v1");
	return 0;
}

/* Look first, then plan; hold the lock if anything will be done. */
static int setup_user(const char *user, struct setup *s, struct err *e)
{
	const bool will_do = !s->dry_run && geteuid() == 0;
	auto_setup_steps struct setup_steps plan = {0};
	auto_buf struct buf text = {0};
	auto_fd int lock = will_do ? setup_file_lock(s->root_fd, e) : -1;
	struct setup_facts facts;

	if (will_do && lock < 0)
		return -1;
	if (setup_look(user, s->root_fd, s->root != NULL, s->layout == 0 ? SETUP_V1 : SETUP_V2,
		       &facts, e) ||
	    setup_plan_make(&facts, &plan, e) || setup_steps_check(&plan, s->root_fd, e))
		return -1;
	setup_steps_print(&plan, &text);
	printf("For %s (uid %u)%s:\n", facts.user, facts.uid,
	       s->dry_run ? ", if it were done" : "");
	say_lines(stdout, buf_string(&text));
	if (s->dry_run)
		return 0;
	if (!will_do)
		return err_set(e, ERR_DENIED, "only root can do that: sudo");
	return setup_steps_carry_out(&plan, setup_do, s, e);
}

int command_setup(int argc, char **argv)
{
	struct setup s = {.layout = -1, .root_fd = -1};
	const struct settings settings = {.face = FACE_RUN,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{setup_settings, &s, NULL}},
					  .hint = ""};
	struct err e;
	int status;
	int at;

	if (setting_words(&settings, argc - 1, argv + 1, &at, &e))
		return fail_with(&e);
	argv += 1 + at;
	if (argc - 1 - at != 2 || strcmp(argv[0], "user") != 0) {
		err_input(&e, "setup takes a user: glovebox setup user NAME [FLAGS]");
		return fail_with(&e);
	}
	if (setup_check(&s, &e) || (s.root_fd = setup_file_root(s.root, &e)) < 0)
		return fail_with(&e);
	status = setup_user(argv[1], &s, &e) ? fail_with(&e) : 0;
	own_close(&s.root_fd);
	return status;
}
