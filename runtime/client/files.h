/*
 * files - put, get, list, archive and delete below the /workspace of a session: an operation
 * (base/loop.h).
 *
 * Untrusted code runs in that directory while we work: every name, type, size
 * and mode may change between any two of our calls. So:
 *
 *   Who     A child does the work and lives no longer (client/files_child.h). It has become the
 *           sandbox's user for good, with no group, no capability and no other descriptor. New
 *           files belong to the sandbox from the first moment, and nothing can be done here that
 *           its program could not do. Root's own ids would not work: a tmpfs that was mounted in a
 *           user namespace refuses owners that are not mapped there (EOVERFLOW).
 *   Where   A path is resolved by the kernel beneath the root, and
 *           no link, mount or ".." is followed; afterwards only descriptors count.
 *   What    An entry is opened with O_PATH, which neither blocks nor acts, and
 *           judged; only a regular file is then opened for reading.
 *   Bounds  Bytes, entries, depth and time are bounded; a bound that is reached
 *           is an error or sets `truncated`. At most six descriptors are opened
 *           at once, and no function calls itself, however deep the tree is. What blocks is killed.
 *
 * Paths are those of client/files_path.h. A name that is not UTF-8 is taken and given as it is;
 * only the listing, which is JSON, writes it as everywhere else (U+FFFD), with the bytes in
 * hexadecimal beside it.
 *
 * Nothing of the caller changes: ids, groups, umask, signals, priority. It is forked for a moment,
 * and gets a SIGCHLD. The child ends with the thread that started it, and with any signal that
 * a terminal sends to both.
 *
 * Runs: client, while it has borrowed the session.
 * Needs: /proc; the ids of the sandbox, or root, or the user of its supervisor, to take them.
 */
#ifndef GLOVEBOX_CLIENT_FILES_H
#define GLOVEBOX_CLIENT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"
#include "host/endings.h"

struct files_rules {
	uid_t uid; /* the sandbox's ids on the host */
	gid_t gid;
	int cell_fd;           /* a pidfd of its pid 1, by which an ordinary user takes ids that are
				  not its own; borrowed as the request's; -1 */
	uint64_t max_ms;       /* one request, wall-clock; what blocks has FILES_GRACE_MS more */
	uint64_t max_bytes;    /* content of one put or get */
	bool is_cut;           /* put: to that many bytes; what follows is not of the content */
	uint64_t max_written;  /* to content_fd, a file: the kernel's EFBIG beyond; 0: no bound */
	uint32_t max_entries;  /* in a listing */
	uint32_t max_depth;    /* levels below the listed directory; 1 is `ls` */
	size_t max_list_bytes; /* JSON of a listing */
};

/* For a child that knows itself that it is late to say so, before it is killed. */
#define FILES_GRACE_MS 1000

/* The result of a get; of an archive only `bytes`. */
struct files_got {
	uint64_t bytes;      /* written to the caller's descriptor */
	uint64_t size_bytes; /* of the file when opened; more than `bytes` if it shrank */
	bool truncated;      /* the file had more than `bytes` in the end: it grew */
	mode_t mode;         /* 0777 at most */
};

/* The result of a listing; of an archive what is in it, and what was left out (unread). */
struct files_listed {
	uint32_t entries;
	uint32_t unread; /* directories whose mode excludes their own owner */
	bool truncated;  /* something is missing because of a bound, or a directory at max_depth was
			    not opened */
};

/* What each of them does is said in client/files_work.h. */
enum files_action { FILES_LIST, FILES_PUT, FILES_GET, FILES_DELETE, FILES_ARCHIVE };

struct files_request {
	enum files_action action;
	int root_fd;      /* of the session's tmpfs, and of that mount (files_put()) */
	const char *path; /* files_path.h */
	int content_fd;   /* put: read to its end; get, archive: written; else -1 */
	mode_t mode;      /* put: of the file */
	bool recursive;   /* delete: with everything in it */
	struct files_rules rules;
};

struct files_result {
	struct files_got got; /* on error as far as is known: zero, if it was killed */
	struct files_listed listed;
	struct buf json; /* of a listing that succeeded; owned: buf_fini() */
};

struct files;

/* 10 s, 64 MiB, 10,000 entries, 64 levels, 4 MiB; no cell_fd. */
void files_rules_init(struct files_rules *rules, uid_t uid, gid_t gid) __attribute__((nonnull(1)));

/*
 * files_start - let a child begin with it.
 *
 * @request  with its path and descriptors borrowed for this call only: the child has its own.
 * @out      ended by files_end().
 * Errors: ERR_INPUT: the path; ERR_SYSTEM: no process, no descriptor. Nothing has been done.
 */
int files_start(const struct files_request *request, struct files **out, struct err *e)
	__attribute__((nonnull));

/* Wait on it with loop_wait(), or with loop_fd() when driving many. */
struct loop *files_loop(struct files *f) __attribute__((nonnull));

/*
 * Do it; never waits. true: it is over, and its child gone, unless the kernel does not let it
 * go (CHILD_END_MS after it was killed).
 */
bool files_step(struct files *f) __attribute__((nonnull));

/* Give it up: the child is killed. It is over soon; what was done by then remains done. */
void files_cancel(struct files *f) __attribute__((nonnull));

/*
 * files_end - what came of it, once it is over; before, it is given up.
 *
 * @endings  borrowed: gets a child that has not ended yet; NULL: its end is waited for, no longer
 *           than CHILD_END_MS.
 * @out      filled in; owned by the caller (json).
 * Errors: ERR_INPUT (the path, the type, a bound), ERR_NOT_FOUND, ERR_DENIED (modes; a lease),
 * ERR_SYSTEM (ENOSPC and kin; ETIMEDOUT; ECANCELED: it was given up), ERR_UNSUPPORTED (the ids
 * cannot be taken). One line, and no host path in it. Who is killed in the middle leaves nothing
 * half: a file is the old one or the new; but in the directory where it is there may be one more
 * name of it, ".glovebox-*".
 */
int files_end(struct files *f, struct endings *endings, struct files_result *out, struct err *e)
	__attribute__((nonnull(1, 3, 4)));

#endif
