/*
 * finish - the last steps of every image: count, hash, describe, publish.
 */
#include "finish.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "command.h"
#include "fs/names.h"
#include "rootfs/archive/manifest.h"
#include "rootfs/archive/place.h"
#include "rootfs/archive/reader.h"
#include "rootfs/chamber/progress.h"
#include "rootfs/store/size.h"
#include "rootfs/store/usage.h"

#define DPKG_STATUS_MAX_BYTES (64u << 20)
#define CACHE_DIR             "usr/share/glovebox/cache"

/* Open a file below the image's root, by the image's links. -1: missing. */
static int finish_open_inside(int root_fd, const char *dir_path, const char *name)
{
	auto_free char *path = own_strdup(dir_path);
	auto_fd int dir = place_open(root_fd, path, false);

	return dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static uint64_t finish_count_packages(int root_fd)
{
	static const char field[] = "\nPackage: ";
	auto_fd int fd = finish_open_inside(root_fd, "var/lib/dpkg", "status");
	auto_buf struct buf text = {0};
	uint64_t count = 0;
	struct err ignored;

	buf_text(&text, "\n");
	if (fd < 0 || io_read_fd(fd, "dpkg status", DPKG_STATUS_MAX_BYTES, &text, &ignored))
		return 0;
	for (const char *p = text.data; (p = strstr(p, field)); p++)
		count++;
	return count;
}

/*
 * matplotlib keeps its list of fonts under HOME and takes 1 to 20 s to make it. HOME is empty in
 * every sandbox, so link the list that the build made there.
 */
static int finish_note_seeds(int root_fd, struct meta *meta, struct err *e)
{
	char path[] = CACHE_DIR;
	auto_fd int dir = place_open(root_fd, path, false);
	auto_list struct list names = {0};

	if (dir < 0)
		return 0;
	if (names_read(dir, SIZE_MAX, &names) < 0)
		return err_sys(e, "read " CACHE_DIR);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		struct stat st;

		if (strncmp(name, "fontlist-", 9) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		list_addf(&meta->seed_paths, ".cache/matplotlib/%s", name);
		list_addf(&meta->seed_targets, "/" CACHE_DIR "/%s", name);
	}
	return 0;
}

static int finish_write_manifest(struct work *work, struct meta *meta, char id[65], struct err *e)
{
	auto_fd int fd =
		openat(work->tree_fd, "manifest", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_sys(e, "create manifest");
	if (manifest_write(work->root_fd, meta, fd, &meta->size_bytes, e))
		return -1;
	if (lseek(fd, 0, SEEK_SET))
		return err_sys(e, "read manifest");
	return digest_fd(fd, id, e);
}

static int finish_write_document(struct work *work, const struct meta *meta, const char *id,
				 struct err *e)
{
	auto_fd int fd =
		openat(work->tree_fd, "image.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	auto_buf struct buf text = {0};

	meta_document(meta, id, &text);
	if (fd < 0 || io_write_all(fd, text.data, text.length))
		return err_sys(e, "write image.json");
	return 0;
}

static int finish_check_id(const char *id, const char *expected, struct err *e)
{
	if (!expected || !strcmp(id, expected))
		return 0;
	return err_input(e,
			 "its files have the id sha256:%s, not sha256:%s: it was changed, or it is "
			 "another image",
			 id, expected);
}

/* Under one lock: no process adds or removes an image between the check and the move. */
static int finish_publish(struct work *work, const char *id, const struct list *references,
			  struct err *e)
{
	auto_fd int lock = store_lock(work->store, e);

	return lock < 0 || usage_check(work->store, work->fd, "tree", id, e) ||
			       store_publish(work, id, references, e)
		       ? -1
		       : 0;
}

int image_finish(struct work *work, struct meta *meta, const struct list *references,
		 const char *expected, char id[65], struct err *e)
{
	meta->packages = finish_count_packages(work->root_fd);
	return finish_note_seeds(work->root_fd, meta, e) ||
			       finish_write_manifest(work, meta, id, e) ||
			       finish_check_id(id, expected, e) ||
			       finish_write_document(work, meta, id, e) ||
			       finish_publish(work, id, references, e)
		       ? -1
		       : 0;
}

/* In docker's words, which scripts and clients of its API read. */
static void finish_announce_as_docker(const struct list *references, const char *id)
{
	if (progress_is_quiet()) {
		printf("sha256:%s\n", id);
		return;
	}
	printf("Successfully built %.12s\n", id);
	for (size_t i = 0; i < references->count; i++)
		printf("Successfully tagged %s\n", references->items[i]);
}

void image_announce(const struct list *references, const char *id, uint64_t size_bytes)
{
	char size[24];

	if (command_as_docker()) {
		finish_announce_as_docker(references, id);
		return;
	}
	if (progress_is_quiet()) {
		puts(references->count ? references->items[0] : id);
		return;
	}
	for (size_t i = 0; i < references->count; i++)
		printf("%s sha256:%.12s %s\n", references->items[i], id,
		       size_text(size_bytes, size));
	if (!references->count)
		printf("sha256:%.12s %s\n", id, size_text(size_bytes, size));
}
