/*
 * layer - what a sandbox that stays has changed in its root, from its end to its next start.
 */
#include "monitor/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/keep_fds.h"
#include "base/landlock_abi.h"
#include "base/own.h"
#include "base/process.h"
#include "fs/state_file.h"
#include "inside/door.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "namespace/mapped_ids.h"
#include "record/record.h"
#include "workspace/mover_file.h"

#define NAMES_BYTES  (256ull << 20) /* headers of all files that the root can have */
#define NOTHING      1024           /* a tar without members */
#define NOTE_BYTES   300            /* of a line of mover's */
#define READ_SEARCH  (1u << CAP_DAC_READ_SEARCH)
#define TREE_READING (LANDLOCK_READ_FILE | LANDLOCK_READ_DIR)

int layer_open(int record_dir)
{
	return state_file_open(record_dir, RECORD_LAYER, O_RDONLY);
}

/* -- keeping --------------------------------------------------------------------------------- */

/*
 * Read what the sandbox's user cannot, such as a file of mode 0; execve() lets ambient capabilities
 * through.
 */
static int layer_keep_right_to_read(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{READ_SEARCH, READ_SEARCH, READ_SEARCH},
                {0,           0,           0          }
        };

	return syscall(SYS_capset, &header, data) || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE,
							   CAP_DAC_READ_SEARCH, 0, 0)
		       ? -1
		       : 0;
}

/* From here on it reads below one directory, and writes nowhere. */
static int layer_confine(int layers)
{
	const struct landlock_handled handled = {.fs = landlock_all_rights(1) & ~LANDLOCK_EXECUTE};
	const struct landlock_beneath rule = {TREE_READING, layers};
	int rules;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	rules = (int)syscall(LANDLOCK_CREATE, &handled, sizeof(handled.fs), 0);
	if (rules < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -1;
	return syscall(LANDLOCK_ADD, rules, LANDLOCK_PATH_BENEATH, &rule, 0) ||
			       syscall(LANDLOCK_SELF, rules, 0)
		       ? -1
		       : 0;
}

static int layer_limit(uint64_t most)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		return -1;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	return setrlimit(RLIMIT_FSIZE, &limit);
}

/* Runs: the child. */
__attribute__((noreturn)) static void layer_become_mover(const struct run *run, int mover, int to,
							 int notes)
{
	char *words[] = {(char *)"mover", (char *)"layer", NULL};
	char *environment[] = {NULL};
	const struct sandbox *s = run_sandbox(run);
	const int layers = run_layers(run);
	struct err ignored;

	(void)fd_raise_limit(); /* a level of the tree takes two */
	if (!mapped_ids_become(s->owner, s->map.inside_uid, s->map.inside_gid, layers, &ignored) &&
	    !prctl(PR_SET_PDEATHSIG, SIGKILL) && !layer_keep_right_to_read() &&
	    !layer_confine(layers) && !layer_limit(s->spec->writable_bytes + NAMES_BYTES) &&
	    dup2(layers, 0) == 0 && dup2(to, 1) == 1 && dup2(notes, 2) == 2 &&
	    !keep_fds(3, &mover, 1))
		fexecve(mover, words, environment);
	_exit(125);
}

/* The first line that mover has written, behind the word that says of what kind it is. */
static void layer_read_note(int notes, char text[NOTE_BYTES])
{
	ssize_t n = pread(notes, text, NOTE_BYTES - 1, 0);
	const char *reason;

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	reason = strstr(text, ": ");
	if (reason)
		memmove(text, reason + 2, strlen(reason + 2) + 1);
}

static int layer_start_mover(const struct run *run, struct layer_keeping *k, struct err *e)
{
	auto_fd int mover = mover_file(e);

	if (mover < 0)
		return -1;
	k->notes = memfd_create("notes", MFD_CLOEXEC);
	if (k->notes < 0)
		return err_sys(e, "make a file in memory");
	(void)fflush(NULL);
	k->child = fork();
	if (k->child < 0) {
		k->child = 0;
		return err_sys(e, "start mover");
	}
	if (!k->child)
		layer_become_mover(run, mover, k->fd, k->notes);
	k->pidfd = (int)syscall(SYS_pidfd_open, k->child, 0);
	return k->pidfd < 0 ? err_sys(e, "watch mover") : 0;
}

/* 0; 1: something is missing; -1: it is of no use. */
static int layer_judge_mover(struct layer_keeping *k, struct err *e)
{
	char note[NOTE_BYTES];
	int code;

	if (!fd_is_ready(k->pidfd, POLLIN))
		return err_set(e, ERR_LIMIT, "it could not be written in a minute");
	code = process_exit_code(process_reap(k->child, 0));
	k->child = 0;
	layer_read_note(k->notes, note);
	if (code == MOVER_NO_ROOM)
		return err_set(e, ERR_LIMIT, "no room is left on the disk of its record");
	if (code == MOVER_LEFT_OUT) {
		err_set(e, ERR_LIMIT, "%s", note);
		return 1;
	}
	return code ? err_set(e, ERR_LIMIT, "it could not be written, or is too large%s%s",
			      *note ? ": " : "", note)
		    : 0;
}

/* Put what was written in the place of the old one. */
static int layer_replace(int record_dir, int fd, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(e, "look at it");
	if (st.st_size <= NOTHING)
		return unlinkat(record_dir, RECORD_LAYER, 0) && errno != ENOENT
			       ? err_sys(e, "remove the old one")
			       : 0;
	if (fsync(fd) || renameat(record_dir, RECORD_NEW_LAYER, record_dir, RECORD_LAYER) ||
	    fsync(record_dir))
		return err_sys(e, "put it into its place");
	return 0;
}

int layer_keep_begin(int record_dir, const struct run *run, struct layer_keeping *out,
		     struct err *e)
{
	int bad;

	*out = layer_keeping_none();
	if (run_layers(run) < 0)
		return 0;
	out->dir = record_dir;
	(void)unlinkat(record_dir, RECORD_NEW_LAYER, 0);
	out->fd = state_file_open(record_dir, RECORD_NEW_LAYER, O_WRONLY | O_CREAT | O_EXCL);
	bad = out->fd < 0 ? err_sys(e, "make a file for it") : layer_start_mover(run, out, e);
	if (bad)
		layer_keep_drop(out);
	return bad;
}

int layer_keep_end(struct layer_keeping *k, bool whole, struct err *e)
{
	int judged = k->child ? layer_judge_mover(k, e) : 0;

	if (judged > 0 && whole)
		judged = -1;
	if (judged >= 0 && k->fd >= 0 && layer_replace(k->dir, k->fd, e))
		judged = -1;
	layer_keep_drop(k);
	return judged;
}

void layer_keep_drop(struct layer_keeping *k)
{
	if (k->child) {
		kill(k->child, SIGKILL);
		(void)process_reap(k->child, 0);
	}
	if (k->fd >= 0)
		(void)unlinkat(k->dir, RECORD_NEW_LAYER, 0);
	own_close(&k->fd);
	own_close(&k->notes);
	own_close(&k->pidfd);
	*k = layer_keeping_none();
}

void layer_keep_await(const struct layer_keeping *k)
{
	if (k->child)
		(void)fd_await(k->pidfd, POLLIN, monotonic_us() + LAYER_KEEP_US);
}

int layer_keep(int record_dir, const struct run *run, struct err *e)
{
	struct layer_keeping k;

	if (layer_keep_begin(record_dir, run, &k, e))
		return -1;
	layer_keep_await(&k);
	return layer_keep_end(&k, false, e);
}

/* -- laying ---------------------------------------------------------------------------------- */

int layer_lay(struct run *run, int layer, uint32_t *exec, struct err *e)
{
	const int streams[3] = {layer, STDERR_FILENO, STDERR_FILENO};
	char *words[] = {(char *)DOOR_PROGRAM, (char *)"lay", NULL};
	auto_fd int mover = mover_file(e);
	const struct door_wish wish = {
		.argv = {words, 2},
                  .mute = true, .program = mover, .streams = streams
        };
	struct child child = child_none();
	int bad = mover < 0 || run_exec(run, &wish, &child, exec, e) ? -1 : 0;

	child_end(&child);
	return bad;
}

int layer_judge(int status, struct err *e)
{
	if (!process_exit_code(status))
		return 0;
	if (process_exit_code(status) == MOVER_NO_ROOM)
		return err_set(
			e, ERR_LIMIT,
			"what was changed in the root has no room in it: give it more "
			"(update --memory, if run had no --writable=SIZE), or commit it to an "
			"image and run that");
	return err_set(e, ERR_INPUT,
		       "what was changed in the root cannot be laid again: its file is damaged, or "
		       "the image has become another");
}
