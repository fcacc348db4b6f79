/*
 * kept - keep archives for later builds in a directory of the store.
 */
#include "kept.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "fs/names.h"
#include "rootfs/archive/interrupt.h"

#define NAMES_MAX 1000
#define NAME_SIZE (KEPT_KEY_LENGTH + 16)
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void kept_open(const struct store *store, const char *directory, const char *lock, struct kept *out)
{
	struct stat st;

	*out = (struct kept){.fd = -1, .lock_fd = -1};
	out->lock_fd = openat(store->tmp_fd, lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out->lock_fd < 0 || flock(out->lock_fd, LOCK_SH | LOCK_NB) ||
	    (mkdirat(store->tmp_fd, directory, 0755) && errno != EEXIST))
		return;
	out->fd = openat(store->tmp_fd, directory, DIRECTORY);
	/* A user who can write there decides what later builds are made of. */
	if (out->fd >= 0 &&
	    (fstat(out->fd, &st) || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH)))
		own_close(&out->fd);
	if (out->fd >= 0)
		out->path = own_printf("%s/tmp/%s", store->path, directory);
}

void kept_close(struct kept *k)
{
	own_close(&k->fd);
	own_close(&k->lock_fd);
	own_free(&k->path);
}

static void kept_file_name(const char *key, const char *kind, char out[NAME_SIZE])
{
	snprintf(out, NAME_SIZE, "%s.%s", key, kind);
}

bool kept_use(const struct kept *k, const char *key, const char *kind)
{
	char name[NAME_SIZE];

	kept_file_name(key, kind, name);
	return k->fd >= 0 && !utimensat(k->fd, name, NULL, AT_SYMLINK_NOFOLLOW);
}

int kept_open_file(const struct kept *k, const char *key, const char *kind)
{
	char name[NAME_SIZE];

	kept_file_name(key, kind, name);
	return k->fd < 0 ? -1 : openat(k->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

int kept_new_file(const struct kept *k)
{
	return k->fd < 0 ? -1 : openat(k->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
}

int kept_name(const struct kept *k, int fd, const char *key, const char *kind)
{
	char name[NAME_SIZE];
	char path[64];

	kept_file_name(key, kind, name);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!linkat(AT_FDCWD, path, k->fd, name, AT_SYMLINK_FOLLOW))
		return 1;
	return errno == EEXIST ? 0 : -1;
}

int kept_receive(const struct kept *k, int from_fd)
{
	auto_fd int fd = kept_new_file(k);
	auto_free char *bytes = own_zeroed(1, 1u << 16);
	uint64_t total = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(from_fd, bytes, 1u << 16)) != 0) {
		if (n < 0 && errno == EINTR && !interrupt_signal())
			continue;
		if (n < 0 || interrupt_signal())
			return -1;
		total += (uint64_t)n;
		if (total > KEPT_BYTES || io_write_all(fd, bytes, (size_t)n))
			return -1;
	}
	return take_fd(&fd);
}

static bool kept_is_archive(const struct kept *k, const char *name, struct stat *st)
{
	return strlen(name) == KEPT_KEY_LENGTH + 4 && !strcmp(name + KEPT_KEY_LENGTH, ".tar") &&
	       !fstatat(k->fd, name, st, AT_SYMLINK_NOFOLLOW);
}

/* Remove the least recently used one. Returns whether others may be left. */
static bool kept_sweep_one(const struct kept *k, size_t most, const char *companion)
{
	auto_list struct list names = {0};
	char oldest[NAME_SIZE] = "";
	struct timespec when = {0};
	size_t archives = 0;
	uint64_t bytes = 0;
	struct stat st;

	if (names_read(k->fd, NAMES_MAX, &names) < 0)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		if (!kept_is_archive(k, names.items[i], &st))
			continue;
		bytes += (uint64_t)st.st_size;
		if (!archives++ || st.st_mtim.tv_sec < when.tv_sec) {
			when = st.st_mtim;
			snprintf(oldest, sizeof(oldest), "%s", names.items[i]);
		}
	}
	if ((archives <= most && bytes <= KEPT_BYTES_TOTAL) || unlinkat(k->fd, oldest, 0))
		return false;
	snprintf(oldest + KEPT_KEY_LENGTH, sizeof(oldest) - KEPT_KEY_LENGTH, ".%s", companion);
	unlinkat(k->fd, oldest, 0);
	return true;
}

void kept_sweep(const struct kept *k, size_t most, const char *companion)
{
	if (k->fd < 0 || flock(k->lock_fd, LOCK_EX | LOCK_NB))
		return;
	while (kept_sweep_one(k, most, companion))
		;
	flock(k->lock_fd, LOCK_UN);
}
