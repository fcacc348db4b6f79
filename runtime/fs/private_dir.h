/*
 * private_dir - a private directory for our sockets, locks and names.
 *
 * Touches the OS. Runs: anywhere outside.
 */
#ifndef GLOVEBOX_FS_PRIVATE_DIR_H
#define GLOVEBOX_FS_PRIVATE_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define PRIVATE_DIR_ROOT  "/run/glovebox"
#define PRIVATE_DIR_STATE "/.local/state/glovebox" /* below the home */

/*
 * private_dir_open - make a missing directory (only the last name), and check by its descriptor
 * that it is ours and that other users cannot write to it. Returns an owned descriptor, or -1:
 * ERR_INPUT names the directory and the remedy.
 */
int private_dir_open(const char *path, struct err *e);

/*
 * The same of a directory that exists below an open one.
 * @path  for messages.
 */
int private_dir_open_at(int parent, const char *name, const char *path, struct err *e);

/*
 * private_dir_of_user - the directory of this user's sockets and locks. The first of
 *
 *   $XDG_RUNTIME_DIR/glovebox   named by the caller, who makes its parent
 *   /run/glovebox               for root
 *   /run/user/UID/glovebox      if /run/user/UID is ours alone: su(1) and cron do not set the
 *   variable
 *   $HOME/.local/state/glovebox
 *
 * @make  for the last of them: make it with its missing parents, and check that it is ours alone. A
 *        client that only looks makes nothing.
 *
 * For the others the caller checks the opened directory. Returns 0, or -1: ERR_INPUT with the
 * remedy.
 */
int private_dir_of_user(bool make, char *out, size_t size, struct err *e);

struct private_dir_fault {
	char what[400];
	char remedy[300]; /* one command */
};

/*
 * private_dir_is_usable - whether the directory of private_dir_of_user() is ours alone, or could be
 * made so. Makes nothing, and may be outdated at once: it tells users what is wrong, before other
 * code finds that by the descriptor.
 */
bool private_dir_is_usable(const char *path, struct private_dir_fault *fault);

/* The same as an error: ERR_INPUT with the remedy. */
int private_dir_check(const char *path, struct err *e);

#endif
