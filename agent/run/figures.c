/*
 * figures - pictures that came with an answer, written where the program's files go.
 */
#include "agent/run/figures.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/data/encode.h"
#include "base/io.h"
#include "base/own.h"

#define MIME        "image/png"
#define SIGNATURE   "\x89PNG\r\n\x1a\n"
#define MAX_NUMBER  10000
#define FIGURE_MODE 0644

/* The directory's owner owns what is in it; we may be root, and the owner somebody else. */
static void figures_give_to_owner(int dir_fd, int fd)
{
	struct stat st;

	if (geteuid() == 0 && !fstat(dir_fd, &st) && fchown(fd, st.st_uid, st.st_gid))
		return;
}

/* A new file under a free name; -1. */
static int figures_make_file(int dir_fd, unsigned *number, char *name, size_t size)
{
	while (*number < MAX_NUMBER) {
		int fd;

		snprintf(name, size, "figure-%u.png", ++*number);
		fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    FIGURE_MODE);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static void figures_save_one(int dir_fd, const char *text, unsigned *number)
{
	auto_buf struct buf bytes = {0};
	auto_fd int fd = -1;
	char name[32];

	if (decode_base64(text, &bytes) || bytes.length < sizeof(SIGNATURE) - 1 ||
	    memcmp(bytes.data, SIGNATURE, sizeof(SIGNATURE) - 1) != 0)
		return;
	fd = figures_make_file(dir_fd, number, name, sizeof(name));
	if (fd < 0)
		return;
	figures_give_to_owner(dir_fd, fd);
	if (io_write_all(fd, bytes.data, bytes.length))
		unlinkat(dir_fd, name, 0); /* remove a picture that is incomplete */
}

size_t figures_count(const struct json *bundles)
{
	size_t count = 0;

	for (const struct json *n = json_first(bundles); n; n = json_next(n))
		count += json_string_at(n, MIME) != NULL;
	return count;
}

void figures_save(int dir_fd, const struct json *bundles)
{
	const char *picture = json_string_at(bundles, MIME);
	unsigned number = 0;
	unsigned saved = 0;

	if (picture)
		figures_save_one(dir_fd, picture, &number);
	if (!json_is_array(bundles))
		return;
	for (const struct json *n = json_first(bundles); n && saved < FIGURES_MAX;
	     n = json_next(n)) {
		picture = json_string_at(n, MIME);
		if (!picture)
			continue;
		figures_save_one(dir_fd, picture, &number);
		saved++;
	}
}
