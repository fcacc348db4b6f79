/*
 * egress_shipped - the lists of hosts that come with glovebox: policy/egress.
 *
 * They are files beside our programs: share/glovebox/egress where these are installed,
 * policy/egress of the checkout that they were built in. The one file has them in itself
 * (runtime/appliance/egress_shipped.c).
 *
 * Touches the OS: reads such a file. Runs: faces.  Needs: nothing.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_SHIPPED_H
#define GLOVEBOX_SPEC_EGRESS_SHIPPED_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

/* Where they are, for people; false: there are none. */
bool egress_shipped_place(char out[PATH_MAX]);

/* Append the names of all of them. */
void egress_shipped_names(struct list *out);

/*
 * egress_shipped_read - append the text of one.
 *
 * @path  set to what an error may call it.
 * Returns 0; 1 if there is none of that name; or -1.
 */
int egress_shipped_read(const char *name, char path[PATH_MAX], struct buf *out, struct err *e);

#endif
