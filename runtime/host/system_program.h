/*
 * system_program - find programs of packages and administrators.
 *
 * It searches the directories of sudo(8) in Debian's configuration (secure_path).
 *
 * Touches the OS. Runs: glovebox and glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_SYSTEM_PROGRAM_H
#define GLOVEBOX_HOST_SYSTEM_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#define SYSTEM_PROGRAM_PATH       "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#define SYSTEM_PROGRAM_SETUP_SIZE 240 /* fits into an error beside its text */

/* Whether the program exists. @root_fd: borrowed, the root of another system; -1: this one's. */
bool system_program_exists(int root_fd, const char *name);

/* The path of a program that we may execute; -1: none. */
int system_program_find(const char *name, char out[PATH_MAX]);

/*
 * system_program_setup - "sudo glovebox setup user NAME" for our user, or its number if it has no
 * name: the remedy where root has not prepared the machine for it. With the path of the running
 * program where sudo would not find it, or another one.
 */
const char *system_program_setup(char out[SYSTEM_PROGRAM_SETUP_SIZE]);

#endif
