/*
 * self_path - find the file of our own program, and files beside it.
 */
#include "fs/self_path.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"

static char assumed[PATH_MAX]; /* "": the file that this process executes */

void self_assume(const char *file)
{
	if (!realpath(file, assumed))
		*assumed = '\0';
}

int self_path(char out[PATH_MAX], struct err *e)
{
	ssize_t n;

	if (*assumed) {
		memcpy(out, assumed, PATH_MAX);
		return 0;
	}
	n = readlink("/proc/self/exe", out, PATH_MAX - 1);
	if (n < 0)
		return err_sys(e, "find the directory of glovebox");
	out[n] = '\0';
	return 0;
}

int self_directory(char out[PATH_MAX], struct err *e)
{
	if (self_path(out, e))
		return -1;
	(void)dirname(out); /* absolute, so dirname() cuts it in place */
	return 0;
}

int self_find(const char *directory, const char *const *places, size_t count, const char *name,
	      char out[PATH_MAX])
{
	for (size_t i = 0; i < count; i++) {
		auto_free char *place = own_printf("%s/%s", directory, places[i]);
		auto_free char *file = own_printf("%s/%s", place, name);

		if (!access(file, R_OK) && realpath(place, out))
			return 0;
	}
	return -1;
}
