/*
 * guest - where the guest's files are: beside our program. The one file has its own
 * (runtime/appliance/guest.c).
 */
#include "warm/guest.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/fresh_proc.h"

int guest_find(char out[PATH_MAX], struct err *e)
{
	static const char *const places[] = {"../guest", "../lib/glovebox/guest"};
	char self[PATH_MAX];
	char path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		return fresh_proc_check_host(e) ? -1 : err_sys(e, "find the directory of glovebox");
	self[n] = '\0';
	dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		if (realpath(path, out))
			return 0;
	}
	return err_input(e, "the guest's files are not beside %s: reinstall glovebox", self);
}

void guest_mount(struct sandbox_spec *s, const char *dir, const char *target)
{
	struct mount_spec *guest = spec_add_mount(s, MOUNT_BIND, target);

	guest->source = spec_strdup(s, dir);
	guest->read_only = true;
}
