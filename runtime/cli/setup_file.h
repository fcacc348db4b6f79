/*
 * setup_file - files of ours below /etc, written whole or not at all, and what else is read there.
 *
 * No link is followed, every directory on the way belongs to root, and a file that does not begin
 * with our mark (setup_plan.h) is neither replaced nor removed.
 *
 * Runs: `glovebox setup`. Needs: root; nothing below a directory of the caller's own.
 */
#ifndef GLOVEBOX_CLI_SETUP_FILE_H
#define GLOVEBOX_CLI_SETUP_FILE_H

#include "base/buf.h"
#include "base/err.h"

/*
 * setup_file_root - the directory that all paths below are in.
 * @dir  NULL: "/"; else it must be root's alone to write, and no link that somebody made leads to
 *       it. Returns an owned descriptor, or -1.
 */
int setup_file_root(const char *dir, struct err *e);

/*
 * setup_file_lock - wait until no other setup is at work in this root. Returns an owned descriptor
 * that holds the lock, or -1. The file stays below /run, where only root can open it.
 */
int setup_file_lock(int root_fd, struct err *e);

/* @root_fd from setup_file_root(), borrowed; @path absolute, below it. */

/* A file that another program writes, as root; empty if there is none. */
int setup_file_text(int root_fd, const char *path, struct buf *out, struct err *e);

/* What is in a file of ours. Returns 1; 0: there is none; -1: *e, also when it is not ours. */
int setup_file_read(int root_fd, const char *path, struct buf *out, struct err *e);

/* Missing directories are made, mode 0755. */
int setup_file_write(int root_fd, const char *path, const char *content, struct err *e);

/* None: no error. */
int setup_file_remove(int root_fd, const char *path, struct err *e);

#endif
