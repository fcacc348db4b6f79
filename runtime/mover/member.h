/*
 * member - write one member of a tar: its header, and the data of a file.
 *
 * The member's name is that of member_entry. @dir and @last lead to it: the directory's descriptor
 * and the last name. A link is not followed.
 *
 * Touches the OS. Runs: mover get, mover layer. Needs: the right to read what is there.
 */
#ifndef GLOVEBOX_MOVER_MEMBER_H
#define GLOVEBOX_MOVER_MEMBER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "mover/tar.h"

extern struct tar_entry member_entry;

/* Nothing is written yet: what fails is not left out, but all that was asked for. */
extern bool member_at_top;

/* Say that the member is left out, or that all has failed. @error: a negative errno, or 0. */
void member_miss(const char *text, long error);

void member_header(enum tar_kind kind, const struct stat *st);

/* Open what must be of a type, such as S_IFDIR. Returns a descriptor or a negative errno. */
long member_open(int dir, const char *last, mode_t type, struct stat *st);

void member_file(int dir, const char *last);
void member_link(int dir, const char *last);

#endif
