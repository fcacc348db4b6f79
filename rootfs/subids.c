/*
 * subids - the host ids that stand for 0 to 65535 while packages are being installed.
 */
#include "subids.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/parse.h"
#include "interrupt.h"

#define FILE_MAX_BYTES (1u << 20)
#define ROOTS_FIRST    0x6fff0000u

static bool subids_is_of(const char *line, size_t length, const char *user)
{
	return strlen(user) == length && !strncmp(line, user, length);
}

/* "NAME:START:COUNT" */
static bool subids_parse_range(const char *text, uint32_t *first)
{
	const char *colon = strchr(text, ':');
	auto_buf struct buf start = {0};
	struct err ignored;
	int64_t from;
	int64_t count;

	if (!colon)
		return false;
	buf_add(&start, text, (size_t)(colon - text));
	/* The host's own ids are below 1000 and root's is 0: a range with these is a mistake. */
	if (parse_int(buf_string(&start), 1000, UINT32_MAX, &from, &ignored) ||
	    parse_int(colon + 1, SUBIDS_COUNT, UINT32_MAX, &count, &ignored) ||
	    from + SUBIDS_COUNT > UINT32_MAX)
		return false;
	*first = (uint32_t)from;
	return true;
}

int subids_parse(char *text, const char *name, const char *uid, uint32_t *first)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t length = strcspn(line, ":");

		if (line[length] &&
		    (subids_is_of(line, length, name) || subids_is_of(line, length, uid)) &&
		    subids_parse_range(line + length + 1, first))
			return 1;
	}
	return 0;
}

static int subids_find(const char *path, const char *name, const char *uid, uint32_t *first)
{
	auto_buf struct buf text = {0};
	struct err ignored;

	if (io_read_file(AT_FDCWD, path, FILE_MAX_BYTES, &text, &ignored) || !text.length)
		return 0;
	return subids_parse(text.data, name, uid, first);
}

int subids_choose(struct subids *out, struct err *e)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *name = pw ? pw->pw_name : "";
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", geteuid());
	if (subids_find("/etc/subuid", name, uid, &out->uid_first) &&
	    subids_find("/etc/subgid", name, uid, &out->gid_first))
		return 0;
	*out = (struct subids){ROOTS_FIRST, ROOTS_FIRST};
	if (geteuid() == 0)
		return 0;
	return err_set(e, ERR_UNSUPPORTED,
		       "building as an ordinary user needs %u ids in /etc/subuid and "
		       "/etc/subgid: \"usermod --add-subuids 100000-165535 --add-subgids "
		       "100000-165535 %s\" as root, or build as root",
		       SUBIDS_COUNT, *name ? name : uid);
}

static int subids_write_map(pid_t pid, const char *file, uint32_t first, struct err *e)
{
	char path[64];
	char line[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	snprintf(line, sizeof(line), "0 %u %u", first, SUBIDS_COUNT);
	if (!io_put(AT_FDCWD, path, line))
		return 0;
	return err_sys(e,
		       "give the build ids of its own, %u to %u (a container may lack them: name "
		       "others for root in /etc/subuid and /etc/subgid)",
		       first, first + SUBIDS_COUNT - 1);
}

/* newuidmap(1) has the privilege that we lack, and reads the same file. */
static int subids_run_mapper(const char *program, pid_t pid, uint32_t first, struct err *e)
{
	char target[24];
	char start[24];
	char count[24];
	int status = -1;
	pid_t child;

	snprintf(target, sizeof(target), "%d", (int)pid);
	snprintf(start, sizeof(start), "%u", first);
	snprintf(count, sizeof(count), "%u", SUBIDS_COUNT);
	child = fork();
	if (child == 0) {
		interrupt_reset();
		execlp(program, program, target, "0", start, count, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && status == 0 ? 0
					: err_set(e, ERR_UNSUPPORTED,
						  "%s failed: is it set-uid root, and the range of "
						  "/etc/subuid ours?",
						  program);
}

int subids_map(const struct subids *ids, pid_t pid, struct err *e)
{
	if (geteuid() != 0)
		return subids_run_mapper("newgidmap", pid, ids->gid_first, e) ||
				       subids_run_mapper("newuidmap", pid, ids->uid_first, e)
			       ? -1
			       : 0;
	return subids_write_map(pid, "gid_map", ids->gid_first, e) ||
			       subids_write_map(pid, "uid_map", ids->uid_first, e)
		       ? -1
		       : 0;
}
