/*
 * copying - move files between this machine and a sandbox that stays, as a tar stream.
 */
#include "monitor/copying.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/process.h"
#include "monitor/exec.h"
#include "monitor/mover_file.h"

#define LEFT_OUT 3 /* exit code of mover */

/* Translate an exit code of mover, which has said itself what went wrong. */
static int copying_judge(int status, struct err *e)
{
	const int code = process_exit_code(status);

	if (code == 0 || code == LEFT_OUT)
		return code == LEFT_OUT;
	return err_set(e, ERR_GONE, "not everything was copied");
}

/* Run mover in the sandbox to its end. */
static int copying_inside(const struct record *r, char **words, size_t count,
			  const struct run_io *io, int *status, struct err *e)
{
	const struct door_wish wish = {
		.argv = {words, count},
                  .interactive = io->in >= 0, .program = -1
        };
	struct exec *x;

	if (exec_start_mover(r, &wish, io, &x, e))
		return -1;
	do
		(void)loop_wait(exec_loop(x), -1);
	while (!exec_step(x));
	return exec_end(x, status, e);
}

int copying_out(const struct record *r, const char *path, const char *name, int to, struct err *e)
{
	char *words[] = {(char *)"get", (char *)path, (char *)name, NULL};
	const struct run_io io = {
		-1, {{.fd = to}, {.fd = STDERR_FILENO}}
        };
	int status;

	return copying_inside(r, words, name ? 3 : 2, &io, &status, e) ? -1
								       : copying_judge(status, e);
}

int copying_in(const struct record *r, int from, const char *directory, struct err *e)
{
	char *words[] = {(char *)"put", (char *)directory, NULL};
	const struct run_io io = {
		from, {{.fd = STDERR_FILENO}, {.fd = STDERR_FILENO}}
        };
	int status;

	return copying_inside(r, words, 2, &io, &status, e) ? -1 : copying_judge(status, e);
}

int copying_look(const struct record *r, const char *path, char *type, struct err *e)
{
	char *words[] = {(char *)"stat", (char *)path, NULL};
	auto_buf struct buf said = {.cap = 65536};
	auto_buf struct buf errors = {.cap = 65536};
	const struct run_io io = {
		-1, {{.fd = -1, .buffer = &said}, {.fd = -1, .buffer = &errors}}
        };
	int status;

	if (copying_inside(r, words, 2, &io, &status, e))
		return -1;
	*type = process_exit_code(status) || !said.length ? '\0' : said.data[0];
	return 0;
}

/* -- this machine's side --------------------------------------------------------------------- */

/* A child of ours that executes mover, and the other end of its stream. */
struct here {
	pid_t child;
	int end; /* owned */
};

/* @number: of the child's stream; the others are ours. */
static int copying_begin_here(char *const *words, int number, struct here *out, struct err *e)
{
	auto_fd int mover = mover_file(e);
	auto_fd int theirs = -1;
	auto_fd int ours = -1;
	char *environment[] = {NULL};
	int ends[2];

	if (mover < 0)
		return -1;
	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	theirs = ends[number];
	ours = ends[!number];
	(void)fflush(NULL);
	out->child = fork();
	if (out->child < 0)
		return err_sys(e, "start mover");
	if (!out->child) {
		if (dup2(theirs, number) >= 0)
			fexecve(mover, words, environment);
		_exit(125);
	}
	out->end = take_fd(&ours);
	return 0;
}

/* @there: what came of the sandbox's side. */
static int copying_end_here(struct here *h, int there, struct err *e)
{
	int here;

	own_close(&h->end);
	here = process_reap(h->child, 0);
	if (there < 0)
		return -1;
	here = copying_judge(here, e);
	return here < 0 ? -1 : there | here;
}

int copying_to_here(const struct record *r, const char *path, const char *name,
		    const char *directory, struct err *e)
{
	char *words[] = {(char *)"mover", (char *)"put", (char *)directory, (char *)name, NULL};
	struct here here;

	if (copying_begin_here(words, STDIN_FILENO, &here, e))
		return -1;
	return copying_end_here(&here, copying_out(r, path, name, here.end, e), e);
}

int copying_from_here(const struct record *r, const char *path, const char *name,
		      const char *directory, struct err *e)
{
	char *words[] = {(char *)"mover", (char *)"get", (char *)path, (char *)name, NULL};
	struct here here;

	if (copying_begin_here(words, STDOUT_FILENO, &here, e))
		return -1;
	return copying_end_here(&here, copying_in(r, here.end, directory, e), e);
}
