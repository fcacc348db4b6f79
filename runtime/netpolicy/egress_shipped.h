/*
 * egress_shipped - the lists of hosts that glovebox ships: policy/egress.
 *
 * They are files beside our programs: share/glovebox/egress where these are installed,
 * policy/egress of the checkout that they were built in. The one-file program contains them
 * (runtime/appliance/egress_shipped.c).
 *
 * Touches the OS: reads such a file. Runs: faces.  Needs: nothing.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_SHIPPED_H
#define GLOVEBOX_NETPOLICY_EGRESS_SHIPPED_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

/* Where the lists are, for messages; false: nowhere. */
bool egress_shipped_place(char out[PATH_MAX]);

/* Append their names. */
void egress_shipped_names(struct list *out);

/*
 * egress_shipped_read - append the text of one list.
 *
 * @path  set to the name that an error should give.
 * Returns 0; 1 if no list has that name; or -1.
 */
int egress_shipped_read(const char *name, char path[PATH_MAX], struct buf *out, struct err *e);

#endif
