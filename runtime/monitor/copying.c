/*
 * copying - move files between this machine and a sandbox that stays, as a tar stream.
 */
#include "monitor/copying.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/keep_fds.h"
#include "base/landlock_abi.h"
#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "fs/trusted_path.h"
#include "host/omit.h"
#include "loop/clock.h"
#include "monitor/exec.h"
#include "sandbox/sandbox.h"
#include "workspace/mover_file.h"

#define ABI_OF_REFER 2 /* landlock(7) */

#define SAID_BYTES   (4u << 20) /* more than its lines can be (mover/note.h) */

/* -- what mover says ------------------------------------------------------------------------- */

static int copying_judge(int status, struct err *e)
{
	const int code = process_exit_code(status);

	if (code == 0 || code == MOVER_LEFT_OUT)
		return code == MOVER_LEFT_OUT;
	if (code == MOVER_NO_ROOM)
		return err_set(e, ERR_LIMIT,
			       "not everything was copied: no room is left where it goes");
	return err_set(e, ERR_GONE, "not everything was copied");
}

/* The remedy inside a sandbox, behind the kernel's reason. @r: NULL: on this machine. */
static const char *copying_remedy(const char *line, const struct record *r)
{
	if (r && strstr(line, "Read-only file system"))
		return r->reopened ? ": it does not run, so a -v directory and, with run "
				     "--writable, the root can be written"
				   : ": /tmp, a -v directory and, with run --writable, the root "
				     "can be written";
	if (r && strstr(line, "No space left"))
		return ": run --tmpfs PATH:size=SIZE and --writable=SIZE give more";
	return "";
}

/*
 * Make an error of its failure, and print what else it has said: what it has left out.
 * @said  a stranger's, if mover has run in a sandbox.
 * @r     that sandbox's; NULL: it has run on this machine.
 * Returns as copying_judge() does.
 */
static int copying_tell(int status, const struct buf *said, const struct record *r, struct err *e)
{
	auto_free char *text = own_strdup(buf_string(said));
	char *rest = NULL;
	int result = copying_judge(status, e);

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (result < 0 && !strncmp(line, MOVER_FAILURE, strlen(MOVER_FAILURE)))
			(void)err_set(e, ERR_INPUT, "%.300s%s", line + strlen(MOVER_FAILURE),
				      copying_remedy(line, r));
		else
			say_warning(line);
	}
	return result;
}

/* -- the sandbox's side ---------------------------------------------------------------------- */

/* Run mover in the sandbox to its end. @by_us: monotonic; LOOP_NEVER. */
static int copying_run(const struct record *r, char **words, size_t count, bool layers,
		       const struct run_io *io, uint64_t by_us, int *status, struct err *e)
{
	struct loop loop = loop_none();
	const struct door_wish wish = {
		.argv = {words, count},
                  .interactive = io->in >= 0, .program = -1
        };
	struct exec *x;

	if (exec_start_mover(r, &wish, layers, io, &x, e))
		return -1;
	do {
		loop_follow(&loop, exec_loop(x), by_us);
		(void)loop_wait(&loop, -1);
		loop_collect(&loop);
	} while (!exec_step(x) && monotonic_us() < by_us);
	if (monotonic_us() < by_us)
		return exec_end(x, status, e);
	exec_signal(x, SIGKILL);
	(void)exec_end(x, status, e);
	return err_set(e, ERR_LIMIT, "it was not done in time");
}

/* @from, @to: -1: none. */
static int copying_inside(const struct record *r, char **words, size_t count, bool layers, int from,
			  int to, uint64_t by_us, struct err *e)
{
	auto_buf struct buf said = {.cap = SAID_BYTES};
	auto_buf struct buf nothing = {.cap = 1};
	const struct run_io io = {
		from,
		{{.fd = to, .buffer = to < 0 ? &nothing : NULL}, {.fd = -1, .buffer = &said}}
        };
	int status;

	return copying_run(r, words, count, layers, &io, by_us, &status, e)
		       ? -1
		       : copying_tell(status, &said, r, e);
}

int copying_root(const struct record *r, const char *verb, int to, struct err *e)
{
	char *words[] = {(char *)verb, NULL};

	return copying_inside(r, words, 1, true, -1, to, LOOP_NEVER, e);
}

int copying_out(const struct record *r, const char *path, const char *name, int to, uint64_t by_us,
		struct err *e)
{
	char *words[] = {(char *)"get", (char *)path, (char *)name, NULL};

	return copying_inside(r, words, name ? 3 : 2, false, -1, to, by_us, e);
}

int copying_in(const struct record *r, int from, const char *directory, struct err *e)
{
	char *words[] = {(char *)"put", (char *)directory, NULL};

	return copying_inside(r, words, 2, false, from, -1, LOOP_NEVER, e);
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

	if (copying_run(r, words, 2, false, &io, LOOP_NEVER, &status, e))
		return -1;
	*type = process_exit_code(status) || !said.length ? '\0' : said.data[0];
	/* It may be there, and closed to the sandbox. */
	return *type || !strstr(buf_string(&errors), ": Permission denied")
		       ? 0
		       : copying_tell(status, &errors, r, e);
}

/* -- this machine's side --------------------------------------------------------------------- */

/* A child of ours that executes mover, and the other end of its stream. */
struct here {
	pid_t child;
	int end;  /* owned */
	int said; /* owned: a file in memory with what it says */
	bool sends;
};

/*
 * From here on mover writes below one directory and nowhere else, whatever is wrong in it (Linux
 * 5.19, landlock(7): before that a hard link between two directories would be refused as well).
 * @directory: -1: it writes nothing. Where there is no Landlock its own walk is the only wall.
 */
static void copying_confine(int directory)
{
	const uint64_t writes = LANDLOCK_WRITE_FILE | LANDLOCK_REMOVE_MAKE | LANDLOCK_REFER;
	const struct landlock_handled handled = {.fs = writes};
	const struct landlock_beneath rule = {writes, directory};
	int rules;

	if (landlock_abi() < ABI_OF_REFER || host_omits("mover-landlock"))
		return;
	rules = (int)syscall(LANDLOCK_CREATE, &handled, sizeof(handled.fs), 0);
	if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    (directory >= 0 && syscall(LANDLOCK_ADD, rules, LANDLOCK_PATH_BENEATH, &rule, 0)) ||
	    syscall(LANDLOCK_SELF, rules, 0))
		_exit(125);
}

/* Runs: the child. */
__attribute__((noreturn)) static void copying_become_mover(int mover, char *const *words,
							   int stream, int number, int said,
							   int directory)
{
	char *environment[] = {NULL};
	const int kept[] = {mover};

	if (directory >= 0 && fchdir(directory))
		_exit(125);
	copying_confine(directory);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(stream, number) >= 0 && dup2(said, STDERR_FILENO) >= 0 && !keep_fds(3, kept, 1))
		fexecve(mover, words, environment);
	_exit(125);
}

/*
 * @number     of the child's stream; the others are ours.
 * @directory  where it works; borrowed. -1: in ours, and it writes nothing.
 */
static int copying_begin_here(char *const *words, int number, int directory, struct here *out,
			      struct err *e)
{
	auto_fd int mover = mover_file(e);
	auto_fd int said = memfd_create("said", MFD_CLOEXEC);
	auto_fd int theirs = -1;
	auto_fd int ours = -1;
	int ends[2];

	if (mover < 0)
		return -1;
	if (said < 0)
		return err_sys(e, "make a file in memory");
	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	theirs = ends[number];
	ours = ends[!number];
	(void)fflush(NULL);
	out->child = fork();
	if (out->child < 0)
		return err_sys(e, "start mover");
	if (!out->child)
		copying_become_mover(mover, words, theirs, number, said, directory);
	out->end = take_fd(&ours);
	out->said = take_fd(&said);
	out->sends = number == STDOUT_FILENO;
	return 0;
}

/*
 * @there: what came of the sandbox's side, with *e. A stream that is cut is a failure of its reader
 * as well: the reason is that of its writer.
 */
static int copying_end_here(struct here *h, int there, struct err *e)
{
	auto_buf struct buf said = {0};
	struct err why = {0};
	int here;

	own_close(&h->end);
	here = process_reap(h->child, 0);
	if (lseek(h->said, 0, SEEK_SET) || io_read_fd(h->said, "said", SAID_BYTES, &said, &why))
		buf_cut(&said, 0);
	own_close(&h->said);
	here = copying_tell(here, &said, NULL, &why);
	if (here < 0 && (there >= 0 || h->sends))
		*e = why;
	return here < 0 || there < 0 ? -1 : there | here;
}

int copying_to_here(const struct record *r, const char *path, const char *name,
		    const char *directory, struct err *e)
{
	char *words[] = {(char *)"mover", (char *)"put", (char *)".", (char *)name, NULL};
	/* Through links of ours or root's only: another user's could lead anywhere. */
	auto_fd int into = trusted_path_find(directory, LINKS_OF_CALLER, e);
	struct here here;

	if (into < 0 || copying_begin_here(words, STDIN_FILENO, into, &here, e))
		return -1;
	return copying_end_here(&here, copying_out(r, path, name, here.end, LOOP_NEVER, e), e);
}

int copying_from_here(const struct record *r, const char *path, const char *name,
		      const char *directory, struct err *e)
{
	char *words[] = {(char *)"mover", (char *)"get", (char *)path, (char *)name, NULL};
	struct here here;

	if (copying_begin_here(words, STDOUT_FILENO, -1, &here, e))
		return -1;
	return copying_end_here(&here, copying_in(r, here.end, directory, e), e);
}
