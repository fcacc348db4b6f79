/*
 * setup_file - our files below /etc, written completely or not at all, and reading of other files
 * there.
 *
 * It follows no link, requires root's ownership of every directory on the way, and neither replaces
 * nor removes a file that does not begin with our mark (setup_plan.h).
 *
 * Runs: `glovebox setup`. Needs: root; nothing below a directory of the caller's own.
 */
#ifndef GLOVEBOX_ADMIN_SETUP_FILE_H
#define GLOVEBOX_ADMIN_SETUP_FILE_H

#include "base/buf.h"
#include "base/err.h"

/*
 * setup_file_root - open the directory that contains all paths below.
 * @dir  NULL: "/"; otherwise only root may write to it, and the path must not lead over another
 *       user's link. Returns an owned descriptor, or -1.
 */
int setup_file_root(const char *dir, struct err *e);

/*
 * setup_file_lock - wait until no other setup works in this root. Returns an owned descriptor that
 * holds the lock, or -1. The file stays below /run, where only root can open it.
 */
int setup_file_lock(int root_fd, struct err *e);

/* @root_fd from setup_file_root(), borrowed; @path absolute, below it. */

/* Read a file of another program, as root; empty if it does not exist. */
int setup_file_text(int root_fd, const char *path, struct buf *out, struct err *e);

/* Read a file of ours. Returns 1; 0: it does not exist; -1: *e, also when it is not ours. */
int setup_file_read(int root_fd, const char *path, struct buf *out, struct err *e);

/* Makes missing directories with mode 0755. */
int setup_file_write(int root_fd, const char *path, const char *content, struct err *e);

/* A missing file is not an error. */
int setup_file_remove(int root_fd, const char *path, struct err *e);

#endif
