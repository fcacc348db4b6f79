/*
 * subid_file - read the ranges of ids in /etc/subuid and /etc/subgid (subuid(5)).
 *
 * Reads the file system, except functions marked as pure. Runs: glovebox-image, supervisor, serve,
 * doctor, setup. Needs: nothing.
 */
#ifndef GLOVEBOX_NAMESPACE_SUBID_FILE_H
#define GLOVEBOX_NAMESPACE_SUBID_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define SUBIDS_COUNT    65536u
#define SUBID_NAME_SIZE 64
#define SUBIDS_LEAST    100000u /* SUB_UID_MIN of login.defs(5) */

/*
 * subid_file_parse - find a user's first range of enough ids. Pure.
 * @text  of the file; cut into lines
 * Returns 1 with *first, or 0.
 */
int subid_file_parse(char *text, const char *name, const char *uid, uint32_t *first);

/* The same for a file; also 0 if it cannot be read. */
int subid_file_find(const char *path, const char *name, const char *uid, uint32_t *first);

/*
 * subid_file_own - the ranges of this process's user in /etc/subuid and /etc/subgid.
 * @name  always set: the user's name, or the number if unknown.
 */
bool subid_file_own(char name[SUBID_NAME_SIZE], uint32_t *uid_first, uint32_t *gid_first);

/*
 * subid_file_free_after - the first of enough free ids after all ranges of the file, as useradd(8)
 * would choose it; at least `least`, which is at least SUBIDS_LEAST. Returns 0 if too few are free.
 * Pure: @text is cut into lines.
 */
uint32_t subid_file_free_after(char *text, uint32_t least);

#endif
