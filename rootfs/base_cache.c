/*
 * base_cache - Debian roots with the packages of a base, kept between builds.
 */
#include "base_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/names.h"
#include "base/own.h"
#include "interrupt.h"

#define BASES_KEPT       4
#define ARCHIVE_BYTES    (2ull << 30)
#define STATUS_MAX_BYTES (16u << 20)
#define NAMES_MAX        1000
#define DIRECTORY        (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void base_cache_open(const struct store *store, struct base_cache *out)
{
	*out = (struct base_cache){.fd = -1, .status_fd = -1};
	out->lock_fd =
		openat(store->tmp_fd, ".bases", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out->lock_fd < 0 || flock(out->lock_fd, LOCK_SH | LOCK_NB) ||
	    (mkdirat(store->tmp_fd, ".kept", 0755) && errno != EEXIST))
		return;
	out->fd = openat(store->tmp_fd, ".kept", DIRECTORY);
	if (out->fd >= 0)
		out->path = own_printf("%s/tmp/.kept", store->path);
}

void base_cache_close(struct base_cache *c)
{
	own_close(&c->fd);
	own_close(&c->status_fd);
	own_close(&c->lock_fd);
	own_free(&c->path);
}

/* A file without a name: if we end, so does it. */
static int base_cache_new_file(const struct base_cache *c)
{
	return openat(c->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
}

static void base_cache_name(const struct base_cache *c, const char *kind, char out[80])
{
	snprintf(out, 80, "%s.%s", c->key, kind);
}

static bool base_cache_link(const struct base_cache *c, int fd, const char *kind)
{
	char name[80];
	char path[64];

	base_cache_name(c, kind, name);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return !linkat(AT_FDCWD, path, c->fd, name, AT_SYMLINK_FOLLOW) || errno == EEXIST;
}

static bool base_cache_read_key(struct base_cache *c, int build_fd)
{
	struct err ignored;
	auto_buf struct buf text = {0};

	if (io_read_file(build_fd, "base.key", 256, &text, &ignored) ||
	    strspn(buf_string(&text), "0123456789abcdef") != BASE_KEY_LENGTH)
		return false;
	memcpy(c->key, text.data, BASE_KEY_LENGTH);
	return true;
}

void base_cache_look(struct base_cache *c, const char *build)
{
	auto_fd int build_fd = open(build, DIRECTORY);
	auto_buf struct buf status = {0};
	struct err ignored;
	char name[80];

	if (c->fd < 0 || build_fd < 0 || !base_cache_read_key(c, build_fd))
		return;
	base_cache_name(c, "tar", name);
	/* Used now: others are removed before it. */
	c->hit = !utimensat(c->fd, name, NULL, AT_SYMLINK_NOFOLLOW);
	if (c->hit)
		return;
	c->status_fd = base_cache_new_file(c);
	if (c->status_fd >= 0 &&
	    !io_read_file(build_fd, "base.status", STATUS_MAX_BYTES, &status, &ignored) &&
	    !io_write_all(c->status_fd, status.data, status.length))
		return;
	c->key[0] = '\0';
}

int base_cache_receive(const struct base_cache *c, int from_fd)
{
	auto_fd int fd = base_cache_new_file(c);
	auto_free char *bytes = own_zeroed(1, 1u << 16);
	uint64_t total = 0;
	ssize_t n;

	while ((n = read(from_fd, bytes, 1u << 16)) != 0) {
		if (n < 0 && errno == EINTR && !interrupt_signal())
			continue;
		if (n < 0)
			return -1;
		/* What is too large is still read to its end, which its writer waits for. */
		total += (uint64_t)n;
		if (fd >= 0 && (total > ARCHIVE_BYTES || io_write_all(fd, bytes, (size_t)n)))
			own_close(&fd);
	}
	return take_fd(&fd);
}

/* Remove what was used longest ago. Returns whether there may be more. */
static bool base_cache_sweep_one(const struct base_cache *c)
{
	auto_list struct list names = {0};
	char oldest[80] = "";
	struct timespec when = {0};
	size_t archives = 0;

	if (names_read(c->fd, NAMES_MAX, &names) < 0)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		struct stat st;

		if (strlen(name) != BASE_KEY_LENGTH + 4 || strcmp(name + BASE_KEY_LENGTH, ".tar") ||
		    fstatat(c->fd, name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!archives++ || st.st_mtim.tv_sec < when.tv_sec) {
			when = st.st_mtim;
			snprintf(oldest, sizeof(oldest), "%s", name);
		}
	}
	if (archives <= BASES_KEPT || unlinkat(c->fd, oldest, 0))
		return false;
	snprintf(oldest + BASE_KEY_LENGTH, sizeof(oldest) - BASE_KEY_LENGTH, ".status");
	unlinkat(c->fd, oldest, 0);
	return true;
}

/* Unless another build may use one: then a later build sweeps. This one needs none any more. */
static void base_cache_sweep(const struct base_cache *c)
{
	if (flock(c->lock_fd, LOCK_EX | LOCK_NB))
		return;
	while (base_cache_sweep_one(c))
		;
	flock(c->lock_fd, LOCK_UN);
}

void base_cache_keep(struct base_cache *c, int archive_fd)
{
	if (archive_fd < 0 || c->status_fd < 0)
		return;
	/* Who finds the archive finds its status. */
	if (base_cache_link(c, c->status_fd, "status"))
		(void)base_cache_link(c, archive_fd, "tar");
	base_cache_sweep(c);
}
