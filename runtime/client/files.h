/*
 * files - put, get, list, archive and delete below the /workspace of a session: an operation
 * (base/loop.h).
 *
 * Hostile code runs in that directory while we work: every name, type, size and mode may change
 * between any two of our calls. So:
 *
 *   Child   A child does the work, and exits afterwards (client/files_child.h). It has become the
 *           sandbox's user for good, without groups, capabilities or other descriptors. New files
 *           belong to the sandbox from the first moment, and the child can do nothing that the
 *           sandbox's program could not do. Root's own ids would not work: a tmpfs that was mounted
 *           in a user namespace refuses owners that are not mapped there (EOVERFLOW).
 *   Where   The kernel resolves a path beneath the root, without following links, mounts or "..";
 *           afterwards we use only descriptors.
 *   Entry   We open an entry with O_PATH, which neither blocks nor acts, and judge it; only a
 *           regular file is then opened for reading.
 *   Bounds  Bytes, entries, depth and time are bounded; reaching a bound is an error or sets
 *           `truncated`. We open at most six descriptors at once, and do not recurse, however deep
 *           the tree is. We kill a child that blocks.
 *
 * client/files_path.h describes paths. A name that is not UTF-8 is passed as it is; only the
 * listing, which is JSON, writes it as everywhere else (U+FFFD), with the bytes in hexadecimal
 * beside it.
 *
 * The caller's ids, groups, umask, signals and priority do not change. It forks briefly, and gets a
 * SIGCHLD. The child ends with the thread that started it, and with any signal that a terminal
 * sends to both.
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
	int cell_fd;           /* pidfd of its pid 1, to take other ids; borrowed; -1 */
	uint64_t max_ms;       /* wall time of a request; a blocked child has FILES_GRACE_MS more */
	uint64_t max_bytes;    /* content of one put or get */
	bool is_cut;           /* put: to that many bytes; what follows is not of the content */
	uint64_t max_written;  /* written to content_fd, if a file (EFBIG); 0: no bound */
	uint32_t max_entries;  /* in a listing */
	uint32_t max_depth;    /* levels below the listed directory; 1: like `ls` */
	size_t max_list_bytes; /* JSON of a listing */
};

/* Time for a late child to report so itself, before we kill it. */
#define FILES_GRACE_MS 1000

/* The result of a get; an archive sets only `bytes`. */
struct files_got {
	uint64_t bytes;      /* written to the caller's descriptor */
	uint64_t size_bytes; /* of the file when opened; more than `bytes` if it shrank */
	bool truncated;      /* the file grew beyond `bytes` meanwhile */
	mode_t mode;         /* 0777 at most */
};

/* The result of a listing; of an archive its entries, and those left out (unread). */
struct files_listed {
	uint32_t entries;
	uint32_t unread; /* directories whose mode excludes their own owner */
	bool truncated;  /* a bound cut it, or a directory at max_depth was not opened */
};

/* client/files_work.h describes each action. */
enum files_action { FILES_LIST, FILES_PUT, FILES_GET, FILES_DELETE, FILES_ARCHIVE };

struct files_request {
	enum files_action action;
	int root_fd;      /* of the session's tmpfs, and of that mount (files_put()) */
	const char *path; /* files_path.h */
	int content_fd;   /* put: read to its end; get, archive: written to; else -1 */
	mode_t mode;      /* put: of the file */
	bool recursive;   /* delete: with everything in it */
	struct files_rules rules;
};

struct files_result {
	struct files_got got; /* after an error, as far as known: zero if the child was killed */
	struct files_listed listed;
	struct buf json; /* of a successful listing; owned: buf_fini() */
};

struct files;

/* 10 s, 64 MiB, 10,000 entries, 64 levels, 4 MiB; no cell_fd. */
void files_rules_init(struct files_rules *rules, uid_t uid, gid_t gid) __attribute__((nonnull(1)));

/*
 * files_start - start a child for the request.
 *
 * @request  its path and descriptors are borrowed for this call only: the child has its own.
 * @out      end with files_end().
 * Errors: ERR_INPUT: the path; ERR_SYSTEM: out of processes or descriptors. Nothing was changed.
 */
int files_start(const struct files_request *request, struct files **out, struct err *e)
	__attribute__((nonnull));

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *files_loop(struct files *f) __attribute__((nonnull));

/*
 * Do what is due, without waiting. true: it is over and the child is gone, unless it is stuck in
 * the kernel (CHILD_END_MS after SIGKILL).
 */
bool files_step(struct files *f) __attribute__((nonnull));

/* Cancel: kill the child. The operation is over soon; changes made by then remain. */
void files_cancel(struct files *f) __attribute__((nonnull));

/*
 * files_end - take the result, once it is over; before that, cancel.
 *
 * @endings  borrowed: receives a child that has not ended yet; NULL: wait for its end, at most
 *           CHILD_END_MS.
 * @out      filled in; owned by the caller (json).
 * Errors: ERR_INPUT (the path, the type, a bound), ERR_NOT_FOUND, ERR_DENIED (modes; a lease),
 * ERR_SYSTEM (ENOSPC and kin; ETIMEDOUT; ECANCELED), ERR_UNSUPPORTED (the ids cannot be taken). One
 * line, without host paths. A child killed midway leaves no incomplete file: the file is the old
 * one or the new; but its directory may contain one more name of it, ".glovebox-*".
 */
int files_end(struct files *f, struct endings *endings, struct files_result *out, struct err *e)
	__attribute__((nonnull(1, 3, 4)));

#endif
