/*
 * system_program - find programs of packages and administrators.
 */
#include "host/system_program.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/resolve.h"
#include "fs/self_path.h"

/* Characters that a shell does not expand. */
#define PLAIN      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-"
#define SETUP_SIZE (12 + USER_MAX) /* of " setup user NAME" */
#define USER_MAX   33              /* a name of useradd(8), terminated */

/* Find the next directory of the path, and its length. */
static size_t system_program_next(const char **directory)
{
	*directory += strspn(*directory, ":");
	return strcspn(*directory, ":");
}

bool system_program_exists(int root_fd, const char *name)
{
	auto_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *directory = SYSTEM_PROGRAM_PATH;

	for (size_t n; (n = system_program_next(&directory)); directory += n) {
		auto_free char *path = own_printf("%.*s/%s", (int)n, directory, name);
		auto_fd int fd = resolve_open(root_fd < 0 ? root : root_fd, path, O_PATH,
					      RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
		struct stat st;

		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_mode & 0111))
			return true;
	}
	return false;
}

int system_program_find(const char *name, char out[PATH_MAX])
{
	const char *directory = SYSTEM_PROGRAM_PATH;

	for (size_t n; (n = system_program_next(&directory)); directory += n) {
		snprintf(out, PATH_MAX, "%.*s/%s", (int)n, directory, name);
		if (!access(out, X_OK))
			return 0;
	}
	return -1;
}

static bool system_program_is_found(const char *directory_of_it, size_t length)
{
	const char *directory = SYSTEM_PROGRAM_PATH;

	for (size_t n; (n = system_program_next(&directory)); directory += n)
		if (n == length && !strncmp(directory, directory_of_it, n))
			return true;
	return false;
}

/* "sudo glovebox", or with our path where sudo would not find it, or another one. */
static void system_program_sudo(char *out, size_t size)
{
	char self[PATH_MAX];
	struct err ignored;
	const char *slash;

	if (self_path(self, &ignored))
		self[0] = '\0';
	slash = strrchr(self, '/'); /* may be a sibling: glovebox-agent */
	if (!slash || self[strspn(self, PLAIN)] || strlen(self) > size - 20 ||
	    system_program_is_found(self, (size_t)(slash - self)))
		snprintf(out, size, "sudo glovebox");
	else
		snprintf(out, size, "sudo %.*s/glovebox", (int)(slash - self), self);
}

const char *system_program_setup(char out[SYSTEM_PROGRAM_SETUP_SIZE])
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *name = pw ? pw->pw_name : "";
	const size_t length = strspn(name, PLAIN);
	size_t used;

	system_program_sudo(out, SYSTEM_PROGRAM_SETUP_SIZE - SETUP_SIZE);
	used = strlen(out);
	if (length && length < USER_MAX && !name[length])
		snprintf(out + used, SYSTEM_PROGRAM_SETUP_SIZE - used, " setup user %s", name);
	else
		snprintf(out + used, SYSTEM_PROGRAM_SETUP_SIZE - used, " setup user %u", geteuid());
	return out;
}
