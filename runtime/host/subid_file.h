/*
 * subid_file - the ranges of ids that /etc/subuid and /etc/subgid give to users (subuid(5)).
 *
 * Reads the file system, unless it says: pure. Runs: glovebox-image, supervisor, serve, doctor,
 * setup. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_SUBID_FILE_H
#define GLOVEBOX_HOST_SUBID_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define SUBIDS_COUNT    65536u
#define SUBID_NAME_SIZE 64
#define SUBIDS_LEAST    100000u /* SUB_UID_MIN of login.defs(5) */

/*
 * subid_file_parse - the first range of enough ids that such a file gives a user. Pure.
 * @text  of the file; it is cut into lines
 * Returns 1 with *first, or 0.
 */
int subid_file_parse(char *text, const char *name, const char *uid, uint32_t *first);

/* The same of a file; 0 also if it cannot be read. */
int subid_file_find(const char *path, const char *name, const char *uid, uint32_t *first);

/*
 * subid_file_own - the ranges of this process's user in /etc/subuid and /etc/subgid.
 * @name  set in any case: of the user, or the number where none is known.
 */
bool subid_file_own(char name[SUBID_NAME_SIZE], uint32_t *uid_first, uint32_t *gid_first);

/*
 * subid_file_free_after - the first of enough ids behind everything that such a file gives to
 * anybody, as useradd(8) would choose it; at least `least`, which is at least SUBIDS_LEAST.
 * Returns 0 if there are none. Pure: @text is cut into lines.
 */
uint32_t subid_file_free_after(char *text, uint32_t least);

#endif
