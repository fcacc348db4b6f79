/*
 * cgroup_outer - read the limits that this process already has, from its own control groups.
 */
#include "cgroup/cgroup_outer.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup.h"
#include "cgroup/cgroup_empty.h"
#include "host/mount_table.h"

#define TABLE_BYTES (64u << 10)

/* A place in a hierarchy: a directory below its mount point. */
struct place {
	char mount[64];
	char path[PATH_MAX]; /* "" is the mount point itself */
};

/* Find "4:memory:/docker/ID" in /proc/self/cgroup; v2's line does not name controllers. */
static bool cgroup_outer_find_line(const char *controller, char *out, size_t size)
{
	auto_buf struct buf text = {0};
	struct err ignored;
	char *rest;
	char *line;

	if (io_read_file(AT_FDCWD, "/proc/self/cgroup", TABLE_BYTES, &text, &ignored) ||
	    !text.length)
		return false;
	rest = text.data;
	while ((line = strsep(&rest, "\n"))) {
		char *names = strchr(line, ':');
		char *path = names ? strchr(names + 1, ':') : NULL;
		char *name;

		if (!path)
			continue;
		*path++ = '\0';
		names++;
		while ((name = strsep(&names, ",")))
			if (!strcmp(name, controller)) {
				snprintf(out, size, "%s", path);
				return true;
			}
	}
	return false;
}

/*
 * A container without a cgroup namespace sees the host's path, but only part of the tree is
 * mounted.
 */
static void cgroup_outer_strip(struct place *place)
{
	auto_mount_table struct mount_table table = {0};
	struct err ignored;
	auto_fd int fd = mount_table_open(&ignored);
	const char *root = "/";
	size_t length;

	if (fd >= 0 && !mount_table_read(fd, &table, &ignored))
		for (size_t i = 0; i < table.count; i++)
			if (!strcmp(table.items[i].point, place->mount))
				root = table.items[i].root;
	length = strcmp(root, "/") != 0 ? strlen(root) : 0;
	/* Our group is not in the mounted part: read the top, the only group we can see. */
	if (strncmp(place->path, root, length) != 0 || !strchr("/", place->path[length]))
		length = strlen(place->path);
	memmove(place->path, place->path + length, strlen(place->path + length) + 1);
	if (!strcmp(place->path, "/"))
		*place->path = '\0';
}

static bool cgroup_outer_find(enum cgroup_controller controller, struct place *out)
{
	const bool v2 = cgroup_detect() == &cgroup_v2;
	const char *name = v2 ? "" : cgroup_controllers[controller];

	if (!cgroup_detect() || !cgroup_outer_find_line(name, out->path, sizeof(out->path)))
		return false;
	snprintf(out->mount, sizeof(out->mount), "/sys/fs/cgroup%s%s", v2 ? "" : "/", name);
	cgroup_outer_strip(out);
	return true;
}

/* "max", a negative number and v1's largest one mean no limit. *rest: what follows the number. */
static uint64_t cgroup_outer_read(const struct place *place, const char *file, char rest[64])
{
	char path[PATH_MAX + 128];
	char text[64];
	uint64_t value;
	char *end;

	snprintf(path, sizeof(path), "%s%s/%s", place->mount, place->path, file);
	if (io_peek(AT_FDCWD, path, text, sizeof(text)) || !isdigit((unsigned char)*text))
		return OUTER_UNLIMITED;
	value = strtoull(text, &end, 10);
	snprintf(rest, 64, "%s", end);
	return value < 1ull << 60 ? value : OUTER_UNLIMITED;
}

static uint64_t cgroup_outer_cpu(const struct place *place)
{
	const bool v2 = cgroup_detect() == &cgroup_v2;
	char rest[64] = "";
	char ignored[64];
	uint64_t quota = cgroup_outer_read(place, v2 ? "cpu.max" : "cpu.cfs_quota_us", rest);
	uint64_t period = v2 ? strtoull(rest, NULL, 10)
			     : cgroup_outer_read(place, "cpu.cfs_period_us", ignored);

	return quota == OUTER_UNLIMITED || !period ? OUTER_UNLIMITED : quota * 100 / period;
}

static uint64_t cgroup_outer_one(enum cgroup_controller controller, const struct place *place)
{
	const bool v2 = cgroup_detect() == &cgroup_v2;
	char ignored[64];

	if (controller == CGROUP_CPU)
		return cgroup_outer_cpu(place);
	if (controller == CGROUP_PIDS)
		return cgroup_outer_read(place, "pids.max", ignored);
	return cgroup_outer_read(place, v2 ? "memory.max" : "memory.limit_in_bytes", ignored);
}

/* The tightest limit from our group up to the top of the mount. */
static uint64_t cgroup_outer_tightest(enum cgroup_controller controller)
{
	uint64_t tightest = OUTER_UNLIMITED;
	struct place place;
	char *slash;

	if (!cgroup_outer_find(controller, &place))
		return OUTER_UNLIMITED;
	do {
		uint64_t here = cgroup_outer_one(controller, &place);

		tightest = here < tightest ? here : tightest;
		slash = strrchr(place.path, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
	return tightest;
}

/*
 * A v2 group of an ordinary user is made below the user's own (cgroup_v2.c); all others at the top
 * of the mount.
 */
static bool cgroup_outer_holds_groups(void)
{
	const char *named = getenv("GLOVEBOX_CGROUP");
	struct place place;

	if (cgroup_detect() == &cgroup_v2 && geteuid() != 0 && !(named && *named))
		return true;
	return cgroup_outer_find(CGROUP_MEMORY, &place) &&
	       (!*place.path || !strcmp(place.path, "/" CGROUP_V2_LEAF));
}

void cgroup_outer(struct outer_limits *out)
{
	*out = (struct outer_limits){
		.memory_bytes = cgroup_outer_tightest(CGROUP_MEMORY),
		.pids = cgroup_outer_tightest(CGROUP_PIDS),
		.cpu_percent = cgroup_outer_tightest(CGROUP_CPU),
		.holds_groups = cgroup_outer_holds_groups(),
	};
}

void cgroup_outer_describe(const struct outer_limits *limits, struct buf *out)
{
	const char *comma = "";

	if (limits->memory_bytes != OUTER_UNLIMITED) {
		buf_printf(out, "memory %" PRIu64 " MiB", limits->memory_bytes >> 20);
		comma = ", ";
	}
	if (limits->pids != OUTER_UNLIMITED) {
		buf_printf(out, "%s%" PRIu64 " processes", comma, limits->pids);
		comma = ", ";
	}
	if (limits->cpu_percent != OUTER_UNLIMITED)
		buf_printf(out, "%s%" PRIu64 ".%02u CPUs", comma, limits->cpu_percent / 100,
			   (unsigned)(limits->cpu_percent % 100));
}
