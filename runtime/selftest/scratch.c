/*
 * scratch - the temporary directory of one selftest; removes those of killed selftests.
 */
#include "selftest/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/make_dir.h"
#include "fs/names.h"
#include "fs/remove_tree.h"
#include "loop/clock.h"

#define PREFIX    "glovebox-selftest-"
#define REMOVE_MS 5000
#define MODE      01700 /* other users' directories of that name do not have the sticky bit */
#define TRIES     10    /* attempts to make one: another selftest may take it for abandoned */

enum { MOST_NAMES = 100000 };

/* A long path would leave no room for a socket's. */
static const char *scratch_base(const struct scratch *s)
{
	const char *named = getenv("TMPDIR");

	return named && *named == '/' && strlen(named) < sizeof(s->base_path) - 10 ? named : "/tmp";
}

/* Judge it by its descriptor. Other users cannot exchange the name before its removal. */
static void scratch_sweep_one(const struct scratch *s, const char *name)
{
	auto_fd int fd =
		openat(s->base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && (st.st_mode & S_ISVTX) &&
	    !flock(fd, LOCK_EX | LOCK_NB))
		(void)remove_tree(s->base, name, monotonic_ms() + REMOVE_MS);
}

static void scratch_sweep(const struct scratch *s)
{
	struct list names = {0};
	struct stat base;

	if (fstat(s->base, &base) || make_dir_is_exchangeable(&base) ||
	    names_read(s->base, MOST_NAMES, &names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		if (!strncmp(names.items[i], PREFIX, strlen(PREFIX)))
			scratch_sweep_one(s, names.items[i]);
	}
	list_fini(&names);
}

/* Whether it was made and locked, and still exists. */
static bool scratch_make(struct scratch *s)
{
	struct stat ours;
	struct stat named;

	snprintf(s->path, sizeof(s->path), "%s/" PREFIX "XXXXXX", s->base_path);
	if (!mkdtemp(s->path)) {
		s->path[0] = '\0';
		return false;
	}
	own_close(&s->lock);
	s->lock = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return s->lock >= 0 && !flock(s->lock, LOCK_EX | LOCK_NB) && !fchmod(s->lock, MODE) &&
	       !fstat(s->lock, &ours) && !stat(s->path, &named) && ours.st_ino == named.st_ino;
}

int scratch_open(struct scratch *s, struct err *e)
{
	*s = (struct scratch){.base = -1, .lock = -1};
	snprintf(s->base_path, sizeof(s->base_path), "%s", scratch_base(s));
	s->base = open(s->base_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->base < 0)
		return err_sys(e, "open %s", s->base_path);
	scratch_sweep(s);
	for (int i = 0; i < TRIES; i++) {
		if (scratch_make(s))
			return 0;
		if (!s->path[0])
			break;
	}
	return err_sys(e, "make a directory in %s", s->base_path);
}

void scratch_close(struct scratch *s)
{
	if (s->path[0])
		(void)remove_tree(s->base, strrchr(s->path, '/') + 1, monotonic_ms() + REMOVE_MS);
	own_close(&s->lock);
	own_close(&s->base);
}
