/*
 * waiting - run a sandbox whose program waits, and find its processes from outside.
 */
#include "selftest/waiting.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/names.h"
#include "selftest/trials.h"

#define STATUS_BYTES 16384
#define FOUND        8 /* processes of one run; there are two */

void waiting_end(struct waiting *w)
{
	caller_end(&w->run);
	for (int i = 0; i < WAITING_MEMBERS; i++)
		own_close(&w->pidfds[i]);
}

void waiting_read(pid_t pid, const char *name, struct buf *out)
{
	char path[64];
	struct err ignored;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	(void)io_read_file(AT_FDCWD, path, STATUS_BYTES, out, &ignored);
}

void waiting_field(pid_t pid, const char *name, char out[64])
{
	auto_buf struct buf status = {0};
	char label[32];
	const char *at;

	out[0] = '\0';
	waiting_read(pid, "status", &status);
	snprintf(label, sizeof(label), "\n%s:\t", name);
	at = strstr(buf_string(&status), label);
	if (at)
		snprintf(out, 64, "%.*s", (int)strcspn(at + strlen(label), "\n"),
			 at + strlen(label));
}

static pid_t waiting_parent(pid_t pid)
{
	char field[64];

	waiting_field(pid, "PPid", field);
	return (pid_t)strtol(field, NULL, 10);
}

static bool waiting_has(const struct buf *words, const char *word)
{
	return memmem(words->data, words->length, word, strlen(word) + 1);
}

struct probe_marks {
	const char *token; /* of the selftest */
	const char *run;
};

/* Match the probe, but not the glovebox that was told to run it, nor another selftest's. */
static bool waiting_is_probe(pid_t pid, const void *context)
{
	const struct probe_marks *marks = context;
	auto_buf struct buf words = {0};

	waiting_read(pid, "cmdline", &words);
	return words.length && strcmp(words.data, "glovebox") != 0 &&
	       waiting_has(&words, marks->token) && waiting_has(&words, marks->run);
}

size_t waiting_find(bool (*is_such)(pid_t pid, const void *context), const void *context,
		    pid_t *out, size_t most)
{
	auto_fd int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_list struct list names = {0};
	size_t count = 0;

	if (proc < 0 || names_read(proc, SIZE_MAX, &names) < 0)
		return 0;
	for (size_t i = 0; i < names.count; i++) {
		pid_t pid = (pid_t)strtol(names.items[i], NULL, 10);

		if (pid <= 0 || !is_such(pid, context))
			continue;
		if (count < most)
			out[count] = pid;
		count++;
	}
	return count;
}

/*
 * One is the other's parent, whose parent is pid 1. This also holds for a cell, which is not our
 * child.
 */
static bool waiting_find_members(struct waiting *w, const struct caller *c, const char *mark)
{
	const struct probe_marks marks = {c->token, mark};
	pid_t found[FOUND];
	size_t count = waiting_find(waiting_is_probe, &marks, found, FOUND);

	count = count < FOUND ? count : FOUND;
	for (size_t i = 0; i < count; i++) {
		pid_t parent = waiting_parent(found[i]);

		for (size_t j = 0; j < count; j++) {
			if (found[j] != parent)
				continue;
			w->pids[WAITING_CHILD] = found[i];
			w->pids[WAITING_PROGRAM] = parent;
			w->pids[WAITING_INIT] = waiting_parent(parent);
		}
	}
	for (int i = 0; i < WAITING_MEMBERS; i++) {
		if (w->pids[i])
			w->pidfds[i] = (int)syscall(SYS_pidfd_open, w->pids[i], 0);
		if (w->pidfds[i] < 0)
			return false;
	}
	return true;
}

int waiting_start(struct selftest *t, struct caller *c, const char *flags, struct waiting *w,
		  struct err *e)
{
	char options[64];
	char mark[32];

	*w = (struct waiting){
		.run.pidfd = -1, .pidfds = {-1, -1, -1}
        };
	snprintf(mark, sizeof(mark), "run=%u", c->runs);
	snprintf(options, sizeof(options), "mode=wait %s", mark);
	if (trial_start(t, c, flags, options, &w->run, e))
		return -1;
	if (!trial_await(&w->run, e)) {
		if (waiting_find_members(w, c, mark))
			return 0;
		err_set(e, ERR_UNSUPPORTED, "the processes of a sandbox cannot be seen in /proc");
	}
	waiting_end(w);
	return -1;
}
