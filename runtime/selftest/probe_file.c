/*
 * probe_file - the program that selftest runs inside, where it was built or installed.
 */
#include "selftest/probe_file.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int probe_file_find(const char *dir, char out[PATH_MAX], struct err *e)
{
	static const char *const places[] = {"../guest", "../lib/glovebox/guest"};
	char self[PATH_MAX];
	char path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)dir;
	if (n < 0)
		return err_sys(e, "find the directory of glovebox");
	self[n] = '\0';
	dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/selftest-probe", self, places[i]);
		if (realpath(path, out))
			return 0;
	}
	return err_input(e, "selftest-probe is not beside %s: reinstall glovebox", self);
}
