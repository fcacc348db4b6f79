/*
 * unit - what the unit tests share: cmocka's includes, errors with their text, and a directory
 * of their own for those that touch files.
 */
#ifndef GLOVEBOX_TESTS_UNIT_H
#define GLOVEBOX_TESTS_UNIT_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* cmocka needs the four headers above. */
#include <cmocka.h>

#include "base/err.h"
#include "message_list.h"
#include "under_valgrind.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * For a `call` that fills e: it must succeed, or fail with an error of this kind whose text names
 * this thing, or is the message of this function (message_list.h).
 */
#define accepts(call, about)                                                                       \
	do {                                                                                       \
		e = (struct err){0};                                                               \
		if (call)                                                                          \
			fail_msg("refused: %.200s: %s", (about), e.text);                          \
	} while (0)

#define refuses(call, about, wanted_kind, wanted)                                                  \
	do {                                                                                       \
		e = (struct err){0};                                                               \
		if (!(call))                                                                       \
			fail_msg("accepted: %.200s", (about));                                     \
		if (e.kind != (wanted_kind))                                                       \
			fail_msg("%.200s: kind %d: %s", (about), e.kind, e.text);                  \
		if (!message_is(e.text, (wanted)))                                                 \
			fail_msg("%.200s: no \"%s\" in \"%s\"", (about), (wanted), e.text);        \
	} while (0)

/* A text for people is this one whole, or the message of this function (message_list.h). */
#define assert_says(text, wanted)                                                                  \
	do {                                                                                       \
		if (*(wanted) == '@' ? !message_is((text), (wanted)) : strcmp((text), (wanted)))   \
			fail_msg("no \"%s\" in \"%s\"", (wanted), (text));                         \
	} while (0)

/* Roughly the number of our open descriptors, to be compared with an earlier result. */
static inline unsigned unit_count_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Make a new directory and return a descriptor. unit_leave() removes it with everything in it. */
static char unit_directory[256];

static inline int unit_enter(void)
{
	const char *base = getenv("TMPDIR");
	int fd;

	snprintf(unit_directory, sizeof(unit_directory), "%s/glovebox-unit-XXXXXX",
		 base ? base : "/tmp");
	if (!mkdtemp(unit_directory))
		fail_msg("mkdtemp %s", unit_directory);
	fd = open(unit_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static inline int unit_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void unit_leave(int fd)
{
	close(fd);
	nftw(unit_directory, unit_remove_one, 32, FTW_DEPTH | FTW_PHYS);
}

static inline void unit_write(int dir_fd, const char *path, const void *bytes, size_t length)
{
	int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		fail_msg("create %s", path);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

/* Returns the content of a small file, terminated; borrowed until the next call. */
static inline const char *unit_read(int dir_fd, const char *path)
{
	static char text[4096];
	int fd = openat(dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		fail_msg("open %s", path);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return text;
}

#endif
