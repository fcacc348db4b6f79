/*
 * private_dir - a directory of ours for sockets, locks and names that nobody else may take.
 *
 * Touches the OS. Runs: anywhere outside.
 */
#ifndef GLOVEBOX_BASE_PRIVATE_DIR_H
#define GLOVEBOX_BASE_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define PRIVATE_DIR_ROOT  "/run/glovebox"
#define PRIVATE_DIR_STATE "/.local/state/glovebox" /* below the home */

/*
 * private_dir_open - make it if it is missing (only the last name), and check by its descriptor
 * that it is ours and that nobody else can write to it.
 * Returns an owned descriptor, or -1: ERR_INPUT names the directory and the remedy.
 */
int private_dir_open(const char *path, struct err *e);

/*
 * private_dir_of_user - where this user's sockets and locks are. The first of
 *
 *   $XDG_RUNTIME_DIR/glovebox   named by the caller, who makes what is around it
 *   /run/glovebox               for root
 *   /run/user/UID/glovebox      if /run/user/UID is ours alone: su(1) and cron do not name it
 *   $HOME/.local/state/glovebox
 *
 * @make  the last of them: make it with what is missing above it, and check that it is ours alone.
 *        A client that only looks makes nothing.
 *
 * The opener of the others checks what it has opened. Returns 0, or -1: ERR_INPUT with the remedy.
 */
int private_dir_of_user(bool make, char *out, size_t size, struct err *e);

struct private_dir_fault {
	char what[400];
	char remedy[300]; /* one command */
};

/*
 * private_dir_is_usable - whether what private_dir_of_user() named is ours alone, or could be made
 * so. Makes nothing, and may be out of date at once: it tells people what is wrong, before others
 * find it wrong by its descriptor.
 */
bool private_dir_is_usable(const char *path, struct private_dir_fault *fault);

/* The same as an error: ERR_INPUT with the remedy. */
int private_dir_check(const char *path, struct err *e);

#endif
