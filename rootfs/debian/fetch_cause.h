/*
 * fetch_cause - explain why packages could not be fetched, or do not work, and name the remedy.
 *
 * hooks/cause.sh reads the messages of apt or pip, or hooks/check_modules.py tries the modules;
 * they leave one word beside the new root, and in a second line perhaps the package.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_FETCH_CAUSE_H
#define GLOVEBOX_ROOTFS_DEBIAN_FETCH_CAUSE_H

#include "base/err.h"

/*
 * fetch_cause - replace *e, the step's failure, by its cause if known.
 * @build  the directory of the build; pip, which belongs to the image, has written below its root
 * Returns -1.
 */
int fetch_cause(const char *build, const char *suite, struct err *e);

#endif
