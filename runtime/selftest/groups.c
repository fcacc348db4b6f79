/*
 * groups - find the control groups of sandboxes, as every user sees them below /sys/fs/cgroup.
 */
#include "selftest/groups.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/own.h"
#include "fs/walk.h"
#include "selftest/waiting.h"

#define MOUNT   "/sys/fs/cgroup"
#define ENTRIES 1000000

void groups_name_of(pid_t pid, char out[128])
{
	static const char *const beginnings[] = {"/sandbox-", "/cell-"};
	auto_buf struct buf groups = {0};

	*out = '\0';
	waiting_read(pid, "cgroup", &groups);
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]) && !*out; i++) {
		const char *at = strstr(buf_string(&groups), beginnings[i]);

		if (at)
			snprintf(out, 128, "%.*s", (int)strcspn(at + 1, "/\n"), at + 1);
	}
}

/* Whether it is a directory with that name in its own, and with that file. */
static bool groups_is_wanted(const struct walk *w, const char *name, const char *file)
{
	auto_free char *path = own_printf("%s/%s", w->name, file ? file : "");

	return strstr(w->name, name) && !faccessat(w->dir_fd, path, F_OK, 0);
}

bool groups_find(const char *name, const char *file, char out[PATH_MAX])
{
	auto_fd int top = open(MOUNT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_walk struct walk w = {.room = ENTRIES};

	if (top < 0 || walk_begin(&w, top, -1, MOUNT "/"))
		return false;
	while (walk_next(&w) > 0) {
		auto_fd int fd = walk_open(&w);

		if (fd >= 0 && groups_is_wanted(&w, name, file)) {
			snprintf(out, PATH_MAX, "%s", w.path);
			return true;
		}
		if (fd >= 0)
			(void)walk_enter(&w, take_fd(&fd), -1);
	}
	return false;
}
