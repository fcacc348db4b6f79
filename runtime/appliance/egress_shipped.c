/*
 * egress_shipped - the lists of hosts that come with glovebox, in the one file itself.
 */
#include "netpolicy/egress_shipped.h"

#include <stdio.h>
#include <string.h>

#include "spec/spec.h"

#include "preset_files.h"

bool egress_shipped_place(char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "glovebox itself");
	return true;
}

void egress_shipped_names(struct list *out)
{
	for (const struct mount_file *file = files; file->name; file++) {
		if (!list_has(out, file->name))
			list_add(out, file->name);
	}
}

int egress_shipped_read(const char *name, char path[PATH_MAX], struct buf *out, struct err *e)
{
	(void)e;
	snprintf(path, PATH_MAX, "glovebox's own %s", name);
	for (const struct mount_file *file = files; file->name; file++) {
		if (!strcmp(file->name, name)) {
			buf_add(out, file->bytes, file->length);
			return 0;
		}
	}
	return 1;
}
