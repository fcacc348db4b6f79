/*
 * volume - volumes by name: which names there are, and where a volume is.
 *
 * A volume is STATE/volumes/NAME/_data (root/volume.h); STATE is the user's (fs/state_dir.h).
 *
 * Reads the environment; touches nothing.
 */
#ifndef GLOVEBOX_SPEC_VOLUME_H
#define GLOVEBOX_SPEC_VOLUME_H

#include "base/err.h"

#define VOLUME_FOLDER "volumes"
#define VOLUME_DATA   "_data"

/* Errors: ERR_INPUT in docker's words for a name that no volume can have. */
int volume_check_name(const char *name, struct err *e);

/* The path of what a volume holds; the caller frees it. NULL: an error of that, or of
 * state_dir(). */
char *volume_source(const char *name, struct err *e);

/*
 * Refuse a volume without a name: neither `start`, which reads the command line again, nor its user
 * would find it again. Returns -1.
 */
int volume_refuse_anonymous(const char *target, struct err *e);

#endif
