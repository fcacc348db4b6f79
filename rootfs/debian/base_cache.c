/*
 * base_cache - keep Debian roots with the packages of a base between builds.
 */
#include "base_cache.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"

#define BASES_KEPT       4
#define STATUS_MAX_BYTES (16u << 20)
#define DIRECTORY        (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void base_cache_open(const struct store *store, struct base_cache *out)
{
	*out = (struct base_cache){.status_fd = -1};
	kept_open(store, ".kept", ".bases", &out->kept);
}

void base_cache_close(struct base_cache *c)
{
	kept_close(&c->kept);
	own_close(&c->status_fd);
}

static bool base_cache_read_key(struct base_cache *c, int build_fd)
{
	struct err ignored;
	auto_buf struct buf text = {0};

	if (io_read_file(build_fd, "base.key", 256, &text, &ignored) ||
	    strspn(buf_string(&text), "0123456789abcdef") != KEPT_KEY_LENGTH)
		return false;
	memcpy(c->key, text.data, KEPT_KEY_LENGTH);
	return true;
}

void base_cache_look(struct base_cache *c, const char *build)
{
	auto_fd int build_fd = open(build, DIRECTORY);
	auto_buf struct buf status = {0};
	struct err ignored;

	if (c->kept.fd < 0 || build_fd < 0 || !base_cache_read_key(c, build_fd))
		return;
	c->hit = kept_use(&c->kept, c->key, "tar");
	if (c->hit)
		return;
	c->status_fd = kept_new_file(&c->kept);
	if (c->status_fd >= 0 &&
	    !io_read_file(build_fd, "base.status", STATUS_MAX_BYTES, &status, &ignored) &&
	    !io_write_all(c->status_fd, status.data, status.length))
		return;
	c->key[0] = '\0';
}

int base_cache_receive(const struct base_cache *c, int from_fd)
{
	return kept_receive(&c->kept, from_fd);
}

void base_cache_keep(struct base_cache *c, int archive_fd)
{
	if (archive_fd < 0 || c->status_fd < 0)
		return;
	/* If a build finds the archive, it also finds the status: write that first. */
	if (kept_name(&c->kept, c->status_fd, c->key, "status") >= 0)
		(void)kept_name(&c->kept, archive_fd, c->key, "tar");
	kept_sweep(&c->kept, BASES_KEPT, "status");
}
