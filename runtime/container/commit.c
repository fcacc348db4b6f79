/*
 * commit - `glovebox commit`: make an image of the root of a sandbox that stays.
 *
 * The root goes as a tar to glovebox-image, which imports it as any archive, with the configuration
 * of the sandbox's image.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/words.h"
#include "container/named.h"
#include "container/root.h"
#include "loop/fd.h"

struct commit_flags {
	struct list changes;
};

/* clang-format off */
const struct setting commit_settings[] = {
	{"change", 'c', "INSTRUCTION", GROUP_PROGRAM, FACE_RUN, SETTING_LIST, offsetof(struct commit_flags, changes), NULL, .help = "an instruction of a Dockerfile: CMD, ENTRYPOINT, ENV, LABEL, USER, WORKDIR, ..."},
	{"message", 'm', "TEXT", GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: it is not kept"},
	{"author", 'a', "TEXT", GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: it is not kept"},
	{"pause", 'p', NULL, GROUP_DOCKER, FACE_RUN, SETTING_MOOT, 0, NULL, .harmless = "*", .help = "accepted: what runs goes on meanwhile"},
	SETTING_END,
};
/* clang-format on */

/* Runs: the child. Returns its exit status. */
static int commit_import(const char *base, const char *name, const struct list *changes, int from)
{
	auto_free char **words = own_zeroed(2 * changes->count + 9, sizeof(*words));
	int count = 0;

	words[count++] = (char *)"glovebox-image";
	words[count++] = (char *)"import";
	words[count++] = (char *)"--config-of";
	words[count++] = (char *)base;
	for (size_t i = 0; i < changes->count; i++) {
		words[count++] = (char *)"--change";
		words[count++] = changes->items[i];
	}
	words[count++] = (char *)"--";
	words[count++] = (char *)"-";
	words[count++] = (char *)name;
	return dup2(from, STDIN_FILENO) < 0 ? EXIT_OURS
					    : exec_sibling("glovebox-image", count, words);
}

static int commit(const struct record *r, const char *name, const struct list *changes,
		  struct err *e)
{
	const char *image = json_string_at(r->what, "image");
	auto_fd int from = -1;
	auto_fd int to = -1;
	int ends[2];
	bool refuses; /* the import has ended, and has said why */
	pid_t child;
	int status;

	if (!image)
		return err_input(e, "the record of %.100s names no image", record_name(r));
	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	from = ends[0];
	to = ends[1];
	(void)fflush(NULL);
	child = fork();
	if (child < 0)
		return err_sys(e, "start glovebox-image");
	if (!child)
		_exit(commit_import(image, name, changes, from));
	own_close(&from);
	signal(SIGPIPE, SIG_IGN); /* an import that refuses the name has said so */
	status = root_tell(r, "export", to, e);
	refuses = status < 0 && fd_is_ready(to, POLLERR);
	if (status < 0 && !refuses)
		kill(child, SIGTERM); /* a part of a tree must not become an image */
	own_close(&to);
	if (process_reap(child, 0))
		status = status < 0 && !refuses ? -1 : EXIT_OURS;
	return status == 1 ? 0 : status;
}

int command_commit(int argc, char **argv)
{
	auto_record struct record r = {.dir = -1};
	struct commit_flags flags = {0};
	struct err e;
	int at = words_read(argc, argv, commit_settings, &flags, 2, 2, &e);
	int status;

	if (at < 0)
		return fail_with_help(&e, "commit");
	if (named_find("commit", argv[at], &r, &e))
		return fail_as_daemon(&e);
	status = commit(&r, argv[at + 1], &flags.changes, &e);
	list_fini(&flags.changes);
	return status < 0 ? fail_as_daemon(&e) : status;
}
