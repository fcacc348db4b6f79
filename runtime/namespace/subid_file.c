/*
 * subid_file - read the ranges of ids in /etc/subuid and /etc/subgid (subuid(5)).
 */
#include "namespace/subid_file.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/parse.h"

#define FILE_MAX_BYTES (1u << 20)
#define SUBIDS_END     0x6fff0000u

static bool subid_file_is_of(const char *line, size_t length, const char *user)
{
	return strlen(user) == length && !strncmp(line, user, length);
}

/* "NAME:START:COUNT" */
static bool subid_file_parse_range(const char *text, uint32_t *first)
{
	const char *colon = strchr(text, ':');
	auto_buf struct buf start = {0};
	struct err ignored;
	int64_t from;
	int64_t count;

	if (!colon)
		return false;
	buf_add(&start, text, (size_t)(colon - text));
	/*
	 * The host's own ids are below 1000 and root's is 0: a range that includes these is a
	 * mistake.
	 */
	if (parse_int(buf_string(&start), 1000, UINT32_MAX, &from, &ignored) ||
	    parse_int(colon + 1, SUBIDS_COUNT, UINT32_MAX, &count, &ignored) ||
	    from + SUBIDS_COUNT > UINT32_MAX)
		return false;
	*first = (uint32_t)from;
	return true;
}

int subid_file_parse(char *text, const char *name, const char *uid, uint32_t *first)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t length = strcspn(line, ":");

		if (line[length] &&
		    (subid_file_is_of(line, length, name) || subid_file_is_of(line, length, uid)) &&
		    subid_file_parse_range(line + length + 1, first))
			return 1;
	}
	return 0;
}

int subid_file_find(const char *path, const char *name, const char *uid, uint32_t *first)
{
	auto_buf struct buf text = {0};
	struct err ignored;

	if (io_read_file(AT_FDCWD, path, FILE_MAX_BYTES, &text, &ignored) || !text.length)
		return 0;
	return subid_file_parse(text.data, name, uid, first);
}

bool subid_file_own(char name[SUBID_NAME_SIZE], uint32_t *uid_first, uint32_t *gid_first)
{
	const struct passwd *pw = getpwuid(geteuid());
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", geteuid());
	snprintf(name, SUBID_NAME_SIZE, "%s", pw ? pw->pw_name : uid);
	return subid_file_find("/etc/subuid", name, uid, uid_first) &&
	       subid_file_find("/etc/subgid", name, uid, gid_first);
}

uint32_t subid_file_free_after(char *text, uint32_t least)
{
	uint64_t free_id = least;
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *start = strchr(line, ':');
		const char *count = start ? strchr(start + 1, ':') : NULL;
		uint64_t end = 0;

		if (count && __builtin_add_overflow(strtoull(start + 1, NULL, 10),
						    strtoull(count + 1, NULL, 10), &end))
			end = UINT64_MAX;
		if (end > free_id)
			free_id = end;
	}
	/* The ranges of idmap.h and subids.h begin here. */
	return free_id <= SUBIDS_END - SUBIDS_COUNT ? (uint32_t)free_id : 0;
}
