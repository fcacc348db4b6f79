/*
 * files - put, get, list, archive and delete below the /workspace of a session: an operation
 * (loop/loop.h).
 *
 * Mover (runtime/mover/files.h) touches the files: one more program of the session, started by its
 * pid 1 (sandbox/door.h). It has the sandbox's user, filter, limits and Landlock: wherever a
 * path, a link or a race leads it, the session's own code could have gone, and what it writes is
 * charged to the session. Only content and a typed answer cross the boundary, on pipes that nothing
 * in the sandbox can open. To us they are a stranger's bytes: bounded, read without waiting.
 *
 *   Where   A path leads through no link, no mount and no "..": a file has one name. One that is
 *           absolute (`anywhere`) leads through mounts: it means what it means to a program.
 *   Entry   It is judged before it is opened; only a regular file is read.
 *   Bounds  Bytes, entries, depth and time are bounded; reaching a bound is an error or sets
 *           `truncated`. A mover that is late is killed by pid 1.
 *   Frozen  A frozen session goes on while its files are reached, and is then frozen again; what it
 *           touches meanwhile stays in memory.
 *
 * workspace/files_path.h describes paths. A name that is not UTF-8 is passed as it is; only the
 * listing, which is JSON, writes it as everywhere else (U+FFFD), with the bytes in hexadecimal
 * beside it.
 *
 * list     A JSON array of the entries below a directory; of a file, the file alone:
 *            {"path":"a/b","type":"file","size":5,"allocated":4096,"mode":"0644","mtime":1700000000}
 *          Level by level, each directory sorted by bytes, so that a deep tree does not hide
 * entries near the top. `type` is file, directory, symlink, fifo, socket or device; a link has a
 *          "target", which is not followed. Numbers are bytes and seconds. A path or target that is
 *          not UTF-8 has its bytes in "path_hex" or "target_hex".
 * put      Makes or replaces a file when its content is complete, and directories around it (0755).
 *          It replaces a link (not its target), a FIFO, a file without rights; no directory.
 * get      A file larger than max_bytes, counting holes, is refused before it is read. One that
 *          changes meanwhile may arrive as a mixture of both states.
 * archive  A tar of everything below a directory, links last. max_bytes bounds all files together,
 *          counting holes and each hard link. Exceeding a bound is an error: it is never cut.
 * make     A directory, and those on its way (0755). EEXIST: there is something of that name.
 * rename   Makes the directories on the new way, and replaces what rename(2) would.
 * delete   With what is in it, also below directories without rights, however deep.
 *          On error a part of a tree may be gone, and the rest may be named ".glovebox-*".
 *
 * Runs: client, while it has borrowed the session. SIGPIPE is ignored. Needs: nothing beyond the
 * session's descriptors.
 */
#ifndef GLOVEBOX_WORKSPACE_FILES_H
#define GLOVEBOX_WORKSPACE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "loop/loop.h"

struct session; /* wire/session.h */

struct files_rules {
	uint64_t max_ms;       /* wall time of a request */
	uint64_t max_bytes;    /* content of one put or get */
	bool is_cut;           /* put: to that many bytes; what follows is not of the content */
	uint64_t max_written;  /* written to content_fd (EFBIG); 0: no bound */
	uint32_t max_entries;  /* in a listing, an archive */
	uint32_t max_depth;    /* levels below the listed directory; 1: like `ls`; 0: itself */
	size_t max_list_bytes; /* JSON of a listing */
};

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
	uint32_t unread; /* directories whose mode excludes their own owner; of an archive FIFOs,
			    sockets, devices, mounts and unreadable files, too */
	bool truncated;  /* a bound cut it, or a directory at max_depth was not opened */
};

enum files_action {
	FILES_LIST,
	FILES_PUT,
	FILES_GET,
	FILES_DELETE,
	FILES_ARCHIVE,
	FILES_MAKE,
	FILES_RENAME,
};

struct files_request {
	enum files_action action;
	struct session *session; /* borrowed until files_end(); `frozen` may change */
	/* files_path.h; both borrowed for the call of files_start(). */
	const char *path;
	const char *to; /* rename */
	bool anywhere;  /* they are absolute, and not below /workspace alone */
	/*
	 * A file on our side; borrowed until files_end(). put: read from its offset to its end;
	 * get, archive: written to; else -1.
	 */
	int content_fd;
	mode_t mode; /* put: of the file; only 0777 of it counts */
	struct files_rules rules;
};

struct files_result {
	struct files_got got; /* after an error, as far as known */
	struct files_listed listed;
	struct buf json; /* of a successful listing; owned: buf_fini() */
};

struct files;

/* 10 s, 64 MiB, 10,000 entries, 64 levels, 4 MiB. */
void files_rules_init(struct files_rules *rules) __attribute__((nonnull(1)));

/*
 * files_start - begin.
 *
 * @out  end with files_end().
 * Errors: ERR_INPUT: the path; ERR_GONE: the session has ended; ERR_UNSUPPORTED: another build
 * began it; ERR_SYSTEM. Nothing was changed.
 */
int files_start(const struct files_request *request, struct files **out, struct err *e)
	__attribute__((nonnull));

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *files_loop(struct files *f) __attribute__((nonnull));

/* Do what is due, without waiting. true: it is over. */
bool files_step(struct files *f) __attribute__((nonnull));

/* Cancel: kill mover. The operation is over soon; changes made by then remain. */
void files_cancel(struct files *f) __attribute__((nonnull));

/*
 * files_end - take the result, once it is over; before that, give it up.
 *
 * @out  filled in; owned by the caller (json).
 * Errors: ERR_INPUT (the path, the type, a bound), ERR_NOT_FOUND, ERR_DENIED (modes; a lease),
 * ERR_LIMIT (the session has no process left), ERR_GONE (it has ended), ERR_SYSTEM (ENOSPC and kin;
 * ETIMEDOUT; ECANCELED). One line, without host paths. A put that does not end leaves the old file
 * or the new one; its directory may contain one more name of it, ".glovebox-*".
 */
int files_end(struct files *f, struct files_result *out, struct err *e) __attribute__((nonnull));

#endif
