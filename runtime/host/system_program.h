/*
 * system_program - programs that packages and administrators install: where they are looked for.
 *
 * The directories are those in which sudo(8) looks as Debian configures it (secure_path).
 *
 * Touches the OS. Runs: glovebox and glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_SYSTEM_PROGRAM_H
#define GLOVEBOX_HOST_SYSTEM_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#define SYSTEM_PROGRAM_PATH       "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#define SYSTEM_PROGRAM_SETUP_SIZE 240 /* of what fits into an error beside its text */

/* Whether it is there. @root_fd: borrowed, the root of another system; -1: this one's. */
bool system_program_exists(int root_fd, const char *name);

/* The path of one that we may execute; -1: there is none. */
int system_program_find(const char *name, char out[PATH_MAX]);

/*
 * system_program_setup - "sudo glovebox setup user NAME" for our user, or its number if it has no
 * name: the remedy where root has not prepared the machine for it. With the path of the running
 * program where sudo would not find it, or another one.
 */
const char *system_program_setup(char out[SYSTEM_PROGRAM_SETUP_SIZE]);

#endif
