/*
 * wheel_store - the user's directory of wheels, which sandboxes see with --cache pip.
 */
#include "cli/wheel_store.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache_dir.h"
#include "base/names.h"
#include "base/own.h"
#include "base/remove_tree.h"
#include "base/trusted_path.h"
#include "spec/package_cache.h"

#define DIRECTORY  (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define SUFFIX     ".whl"
#define FILL       "fill-"
#define LETTERS    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define NAME_BYTES 255
#define MOST_FILLS 10000

/* DISTRIBUTION-VERSION[-BUILD]-PYTHON-ABI-PLATFORM, none of them empty. */
bool wheel_store_is_name(const char *name)
{
	size_t length = strlen(name);
	unsigned parts = 1;

	if (length <= strlen(SUFFIX) || length > NAME_BYTES ||
	    strcmp(name + length - strlen(SUFFIX), SUFFIX) != 0)
		return false;
	if (name[strspn(name, LETTERS "._+!-")] || !strchr(LETTERS, name[0]))
		return false;
	length -= strlen(SUFFIX);
	for (size_t i = 0; i < length; i++) {
		if (name[i] != '-')
			continue;
		if (name[i + 1] == '-' || i + 1 == length)
			return false;
		parts++;
	}
	return parts == 5 || parts == 6;
}

int wheel_store_open(struct wheel_store *s, bool make, struct err *e)
{
	auto_free char *wheels = NULL;

	*s = (struct wheel_store){.fd = -1, .wheels_fd = -1, .lock_fd = -1, .stage_fd = -1};
	s->path = cache_dir(e);
	if (!s->path)
		return -1;
	wheels = own_printf("%s/" PACKAGE_CACHE_WHEELS, s->path);
	if (!make && access(wheels, F_OK))
		return err_set(e, ERR_NOT_FOUND, "there is no cache of wheels yet: %.300s", wheels);
	s->wheels_fd = trusted_path_directory(wheels, make, e);
	if (s->wheels_fd < 0)
		return -1;
	s->fd = trusted_path_directory(s->path, false, e);
	return s->fd < 0 ? -1 : 0;
}

void wheel_store_close(struct wheel_store *s)
{
	if (s->stage)
		(void)remove_tree(s->fd, strrchr(s->stage, '/') + 1, UINT64_MAX);
	own_close(&s->stage_fd);
	own_close(&s->lock_fd);
	own_close(&s->wheels_fd);
	own_close(&s->fd);
	own_free(&s->stage);
	own_free(&s->path);
}

/* Nobody fills it, so nobody needs them. */
static void wheel_store_sweep(const struct wheel_store *s)
{
	auto_list struct list names = {0};

	if (names_read(s->fd, MOST_FILLS, &names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		if (!strncmp(names.items[i], FILL, strlen(FILL)))
			(void)remove_tree(s->fd, names.items[i], UINT64_MAX);
	}
}

int wheel_store_begin(struct wheel_store *s, struct err *e)
{
	s->lock_fd = openat(s->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (!flock(s->lock_fd, LOCK_EX | LOCK_NB))
		wheel_store_sweep(s);
	if (flock(s->lock_fd, LOCK_SH))
		return err_sys(e, "lock %.300s/lock", s->path);
	s->stage = own_printf("%s/" FILL "XXXXXX", s->path);
	if (!mkdtemp(s->stage)) {
		err_sys(e, "make a directory in %.300s", s->path);
		own_free(&s->stage);
		return -1;
	}
	s->stage_fd = openat(s->fd, strrchr(s->stage, '/') + 1, DIRECTORY);
	return s->stage_fd < 0 ? err_sys(e, "open %.300s", s->stage) : 0;
}

/* A file of one name; its bytes are taken off *left. */
static bool wheel_store_judge(const struct wheel_store *s, const char *name, uint64_t *left)
{
	auto_fd int fd = -1;
	struct stat st;

	if (!wheel_store_is_name(name))
		return false;
	fd = openat(s->stage_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_size <= 0 || (uint64_t)st.st_size > *left || fchmod(fd, 0644))
		return false;
	*left -= (uint64_t)st.st_size;
	return true;
}

int wheel_store_take(struct wheel_store *s, uint64_t most, struct list *added, struct list *kept,
		     struct list *refused, struct err *e)
{
	auto_list struct list names = {0};
	uint64_t left = most;
	int more = names_read(s->stage_fd, WHEEL_STORE_AT_ONCE, &names);

	if (more < 0)
		return err_sys(e, "read %.300s", s->stage);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];

		if (!wheel_store_judge(s, name, &left))
			list_add(refused, name);
		else if (!linkat(s->stage_fd, name, s->wheels_fd, name, 0))
			list_add(added, name);
		else if (errno == EEXIST)
			list_add(kept, name);
		else
			return err_sys(e, "move %.300s to the cache", name);
	}
	return more ? err_input(e, "more than %d files at once", WHEEL_STORE_AT_ONCE) : 0;
}
