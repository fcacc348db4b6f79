/*
 * files_work - the actions below a session's /workspace, one function each.
 *
 * Runs: the child of client/files_child.h, with the ids of the sandbox. Calls may block: the parent
 * kills a late child. Needs: /proc. Errors of all: those of files_end(). client/files.h describes
 * rules and results.
 */
#ifndef GLOVEBOX_CLIENT_FILES_WORK_H
#define GLOVEBOX_CLIENT_FILES_WORK_H

#include "client/files.h"

/*
 * files_put - make or replace a file; missing directories around it are made (0755, umask).
 *
 * @root_fd  the root of the session's tmpfs, and of that mount: a directory that could be renamed
 *           out of the root would take the new file along. Borrowed.
 * @path     of the file. Replaces an existing file, link (not its target), fifo or file without
 *           rights, but not a directory.
 * @from_fd  the content, until its end. Borrowed.
 * @mode     permissions; set-id and sticky bits are dropped.
 *
 * It writes the content to a nameless file (O_TMPFILE), which gets its name when complete: readers
 * see the old file or the new one. The kernel charges pages of a tmpfs to the writer's memory
 * cgroup: the client's.
 *
 * Runs, Needs: above.
 * Errors: above; ENOSPC when the tmpfs is full. On error no file is left; new directories stay only
 * if the program interfered, or the next one found no room.
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
 * It refuses a file larger than max_bytes before reading it, counting holes, and reads at most the
 * size at the time of opening. A file that changes meanwhile may arrive as a mixture of both
 * states. It never changes modes: a file that the sandbox's own user may not read is ERR_DENIED.
 *
 * Runs, Needs: above.
 * Errors: above. On error, part of the content may have been written.
 */
int files_get(int root_fd, const char *path, int to_fd, const struct files_rules *rules,
	      struct files_got *got, struct err *e) __attribute__((nonnull(2, 4, 5, 6)));

/*
 * files_list - append a JSON array of the entries below a directory; of a file, the file alone.
 *
 *   {"path":"a/b","type":"file","size":5,"allocated":4096,"mode":"0644","mtime":1700000000}
 *
 * @path   of the directory; "" is /workspace.
 * @json   a cap of its own must not be below max_list_bytes.
 *
 * Paths are relative to /workspace, for use with the other functions, which accept at most 4095
 * bytes. The listing goes level by level, each directory sorted by bytes, so that a deep tree does
 * not hide entries near the top. `type` is file, directory, symlink, fifo, socket or device; a link
 * has a "target", which is not followed. Numbers are bytes and seconds. A path or target that is
 * not UTF-8 has its bytes in "path_hex" or "target_hex". The time limit ends the listing like any
 * bound.
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
 * @listed  its entries; `unread` counts those left out: fifos, sockets, devices, mounts, and files
 *          that the sandbox's own user may not read.
 *
 * max_bytes bounds all files together, counting holes and each hard link; max_entries bounds the
 * names; depth needs no bound. Exceeding one is an error: an archive is never cut. A file that
 * changes meanwhile may arrive as a mixture, of its former size.
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
 * @recursive  with everything below, also below directories without rights. Moves directories up
 *             into the one to be removed and empties them there, so depth does not matter.
 *
 * Runs, Needs: above.
 * Errors: above; /workspace itself is ERR_INPUT, and so is a non-empty directory unless recursive.
 * On error part of a tree may be gone, and the rest may be named ".glovebox-*". A program that
 * keeps making files can only delay it until max_ms.
 */
int files_delete(int root_fd, const char *path, bool recursive, const struct files_rules *rules,
		 struct err *e) __attribute__((nonnull(2, 4, 5)));

#endif
