/*
 * guest - find the guest's files beside our program. The one-file program has its own version
 * (runtime/appliance/guest.c).
 */
#include "warm/guest.h"

#include "fs/self_path.h"
#include "namespace/fresh_proc.h"

int guest_find(char out[PATH_MAX], struct err *e)
{
	static const char *const places[] = {"../guest", "../lib/glovebox/guest"};
	char self[PATH_MAX];
	struct err missing;

	if (self_directory(self, &missing)) {
		if (!fresh_proc_check_host(e))
			*e = missing;
		return -1;
	}
	if (!self_find(self, places, sizeof(places) / sizeof(places[0]), ".", out))
		return 0;
	return err_input(e, "the guest's files are not beside %s: reinstall glovebox", self);
}

void guest_mount(struct sandbox_spec *s, const char *dir, const char *target)
{
	struct mount_spec *guest = spec_add_mount(s, MOUNT_BIND, target);

	guest->source = spec_strdup(s, dir);
	guest->read_only = true;
}
