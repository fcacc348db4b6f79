/*
 * fetch_cause - why packages could not be fetched, or do not work, and what to do about it.
 *
 * hooks/cause.sh has read what apt or pip said, or hooks/check_modules.py has tried them, and left
 * one word beside the new root, and in a second line perhaps the package.
 */
#ifndef GLOVEBOX_ROOTFS_FETCH_CAUSE_H
#define GLOVEBOX_ROOTFS_FETCH_CAUSE_H

#include "base/err.h"

/*
 * fetch_cause - replace *e, the step's failure, by its cause if that is known.
 * @build  the directory of the build; pip, which is the image's own, has worked below its root
 * Returns -1.
 */
int fetch_cause(const char *build, const char *suite, struct err *e);

#endif
