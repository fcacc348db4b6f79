/*
 * files_work - what is done below a session's /workspace, each by one function.
 *
 * Runs: the child of client/files_child.h, with the ids of the sandbox. Whatever blocks may block
 * there: its parent ends it in time. Needs: /proc.
 * Errors of all: those of files_end(). For rules and results see client/files.h.
 */
#ifndef GLOVEBOX_CLIENT_FILES_WORK_H
#define GLOVEBOX_CLIENT_FILES_WORK_H

#include "client/files.h"

/*
 * files_put - make or replace a file; missing directories around it are made (0755, umask).
 *
 * @root_fd  the root of the session's tmpfs, and of that mount: a directory that
 *           could be renamed out of the root would take what is put there along. Borrowed.
 * @path     of the file. What is there is replaced, be it a link (not its target),
 *           a fifo or a file without rights; a directory is not.
 * @from_fd  the content, until its end. Borrowed.
 * @mode     permissions; set-id and sticky bits are dropped.
 *
 * The content goes to a nameless file (O_TMPFILE) and is given its name when complete;
 * nobody sees half of it, and its reader keeps the old one. Pages of a tmpfs are
 * charged to the memory cgroup of whoever writes: to the client's.
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
 * @to_fd    borrowed. SIGPIPE must be ignored.
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
 * files_archive - write everything below a directory as a tar archive (client/ustar.h).
 *
 * @path    of the directory; "" is /workspace, to which names in the archive are relative.
 * @to_fd   as for files_get(). @got  only `bytes`.
 * @listed  the entries that are in it; `unread` counts those that are not: fifos, sockets,
 *          devices, mounts, and what the sandbox's own user may not read.
 *
 * Files have max_bytes together, with holes as bytes and each hard link for itself; max_entries is
 * the most of names, and no bound of depth is needed. Beyond these it is an error: an archive is
 * never cut. A file that changes meanwhile may come as a mixture, of the size that it had.
 *
 * Runs, Needs: above.
 * Errors: above. On error, a part of it may have been written.
 */
int files_archive(int root_fd, const char *path, int to_fd, const struct files_rules *rules,
		  struct files_got *got, struct files_listed *listed, struct err *e)
	__attribute__((nonnull(2, 4, 5, 6, 7)));

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
