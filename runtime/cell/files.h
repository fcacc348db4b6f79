/*
 * files - put, get, list and delete below the /workspace of a session.
 *
 * Untrusted code runs in that directory while we work: every name, type, size
 * and mode may change between any two of our calls. So:
 *
 *   Where   A path is resolved by the kernel beneath the root, and
 *           no link, mount or ".." is followed; afterwards only descriptors count.
 *   What    A thing is opened with O_PATH, which neither blocks nor acts, and
 *           looked at; only a regular file is then opened for reading.
 *   Whose   The calling thread takes the sandbox's ids for the file system
 *           (setfsuid), and with them gives up root's right to pass over
 *           modes. What is made belongs to the sandbox from the first moment, and
 *           nothing can be done here that its program could not do. Root's own
 *           ids would not do: a tmpfs that was mounted in a user namespace
 *           refuses owners that are not mapped there (EOVERFLOW).
 *   How far Bytes, entries, depth and time are bounded; a bound that is reached
 *           is an error or sets `truncated`. At most six descriptors are opened
 *           at once, and no function calls itself, however deep the tree is.
 *
 * Paths are those of cell/files_path.h. A name that is no UTF-8 is taken and
 * given as it is; only the listing, which is JSON, writes it as everywhere else
 * (U+FFFD), and beside it the bytes in hexadecimal.
 *
 * Runs: supervisor, in its one thread. The ids are the thread's: another one would
 * keep its own. Between begin and end of a call the process is not dumpable.
 * Needs: /proc; the ids of the sandbox, or root to take them.
 * Errors of all: ERR_INPUT (the path, the type, a bound), ERR_NOT_FOUND,
 * ERR_DENIED (modes; a lease), ERR_SYSTEM (ENOSPC, ETIMEDOUT and kin), ERR_UNSUPPORTED
 * (the ids cannot be taken). One line, and no host path in it.
 */
#ifndef GLOVEBOX_CELL_FILES_H
#define GLOVEBOX_CELL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct files_rules {
	uid_t uid; /* of the sandbox, as the host has them */
	gid_t gid;
	uint64_t max_ms;       /* one call, wall-clock */
	uint64_t max_bytes;    /* content of one put or get */
	uint32_t max_entries;  /* of a listing */
	uint32_t max_depth;    /* levels below the listed directory; 1 is `ls` */
	size_t max_list_bytes; /* of a listing's JSON */
};

/* What a get gave. */
struct files_got {
	uint64_t bytes;      /* written to the caller's descriptor */
	uint64_t size_bytes; /* of the file when it was opened; more than `bytes` if it shrank */
	bool truncated;      /* in the end the file held more than `bytes`: it grew */
	mode_t mode;         /* 0777 at most */
	int64_t mtime_s;     /* whatever the program set */
};

/* What a listing holds. */
struct files_listed {
	uint32_t entries;
	uint32_t unread; /* directories whose mode keeps their own owner out */
	bool truncated;  /* a bound left something out, or a directory at max_depth unopened */
};

/* 10 s, 64 MiB, 10,000 entries, 64 levels, 4 MiB. */
void files_rules_init(struct files_rules *rules, uid_t uid, gid_t gid) __attribute__((nonnull(1)));

/*
 * files_put - make or replace a file; missing directories around it are made (0755, umask).
 *
 * @root_fd  the root of the session's tmpfs, and of that mount: a directory that
 *           could be renamed out of the root would take what is put there along. Borrowed.
 * @path     of the file. What is there is replaced, be it a link (not its target),
 *           a fifo or a file without rights; a directory is not.
 * @from_fd  the content, until its end. Borrowed. It is polled before each read, so that a
 *           pipe cannot hold us beyond max_ms.
 * @mode     permissions; set-id and sticky bits are dropped.
 *
 * The content goes to a nameless file (O_TMPFILE) and is given its name when complete;
 * nobody sees half of it, and its reader keeps the old one. Pages of a tmpfs are
 * charged to the memory cgroup of whoever writes: to the supervisor's.
 *
 * Runs, Needs: above.
 * Errors: above; ENOSPC when the tmpfs is full. On error no file is left; directories that were
 * made for it stay only if the program interfered, or there was no room for the next one.
 */
int files_put(int root_fd, const char *path, int from_fd, mode_t mode,
	      const struct files_rules *rules, struct err *e) __attribute__((nonnull(2, 5, 6)));

/*
 * files_get - write the content of a regular file to a descriptor.
 *
 * @root_fd  as above; borrowed.
 * @to_fd    borrowed. A regular file, a memfd, or a pipe or socket, which is polled and written
 *           in small parts so that a slow reader cannot hold us beyond max_ms. SIGPIPE must
 *           be ignored.
 * @got      set also on error, as far as it went.
 *
 * A file larger than max_bytes is refused before it is read, holes counted as
 * bytes; no more is read than the size it had when it was opened. A file that changes
 * meanwhile may come as a mixture of both states. Modes are never changed for reading:
 * what the sandbox's own user may not read is ERR_DENIED.
 *
 * Runs, Needs: above.
 * Errors: above. On error, part of the content may have been written.
 */
int files_get(int root_fd, const char *path, int to_fd, const struct files_rules *rules,
	      struct files_got *got, struct err *e) __attribute__((nonnull(2, 4, 5, 6)));

/*
 * files_list - append a JSON array of what is below a directory; of a file, the file alone.
 *
 *   {"path":"a/b","type":"file","size":5,"allocated":4096,"mode":"0644","mtime":1700000000}
 *
 * @path   of the directory; "" is /workspace.
 * @json   a cap of its own must not be below max_list_bytes.
 *
 * Paths are relative to /workspace, to be handed back to the others here, which take no path
 * beyond 4095 bytes. Level by level, each directory in order of its bytes, so that a deep
 * tree does not hide what is near the top. `type` is file, directory, symlink,
 * fifo, socket or device; a link has a "target", which is not looked at. Numbers are bytes and
 * seconds. Where a path or target is no UTF-8, a "path_hex" or "target_hex" has its bytes.
 * Time that runs out ends the listing as any bound does.
 *
 * Runs, Needs: above.
 * Errors: above. On error *json is as before.
 */
int files_list(int root_fd, const char *path, const struct files_rules *rules, struct buf *json,
	       struct files_listed *listed, struct err *e) __attribute__((nonnull(2, 3, 4, 5, 6)));

/*
 * files_delete - remove a file, a link (not its target), a directory.
 *
 * @recursive  with everything in it, also below directories without rights. Directories are
 *             moved up into the one to be removed and emptied there, so depth does not matter.
 *
 * Runs, Needs: above.
 * Errors: above; /workspace itself is ERR_INPUT, so is a directory with something in it unless
 * recursive. On error part of a tree may be gone, and what remains of it may be called
 * ".glovebox-*". A program that keeps making files can only make it run into max_ms.
 */
int files_delete(int root_fd, const char *path, bool recursive, const struct files_rules *rules,
		 struct err *e) __attribute__((nonnull(2, 4, 5)));

#endif
