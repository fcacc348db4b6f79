/*
 * dockerfile_tasks - tasks on a root in a chamber: unpack files, run a program, take files.
 */
#include "dockerfile_tasks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "dockerfile_copy.h"
#include "image/image_user.h"
#include "rootfs/archive/extract.h"
#include "rootfs/archive/place.h"
#include "rootfs/archive/reader.h"

static int dockerfile_tasks_open_root(const char *root, struct err *e)
{
	int fd = open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "open the root of the build") : fd;
}

/* @path  absolute. Returns an O_PATH descriptor. */
static int dockerfile_tasks_make_directory(int root_fd, const char *path, struct err *e)
{
	auto_free char *below = own_strdup(path + 1);
	int fd = place_open(root_fd, below, true);

	return fd < 0 ? err_sys(e, "make %.300s", path) : fd;
}

static int dockerfile_tasks_make_directories(int root_fd, const struct plan_step *step,
					     struct err *e)
{
	for (size_t i = 0; step && i < step->directories.count; i++) {
		auto_fd int fd =
			dockerfile_tasks_make_directory(root_fd, step->directories.items[i], e);

		if (fd < 0)
			return -1;
	}
	return 0;
}

/* -- unpack ---------------------------------------------------------------------------------- */

static int dockerfile_tasks_extract(int root_fd, const struct extract_place *place, struct err *e)
{
	auto_reader struct reader *r = reader_open(STDIN_FILENO, "what is copied", e);
	struct extract x;
	int status;

	if (!r)
		return -1;
	extract_init(&x, root_fd, EXTRACT_BYTES_DEFAULT);
	x.place = place;
	status = extract_archive(&x, r, EXTRACT_ALL, e);
	extract_report(&x);
	extract_fini(&x);
	return status;
}

/* An image's directories are writable for root only (extract.c). Programs expect more. */
static void dockerfile_tasks_open_up(int root_fd)
{
	static const char *const shared[] = {"tmp", "var/tmp", "run/lock"};

	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		auto_free char *path = own_strdup(shared[i]);
		auto_fd int fd = place_open(root_fd, path, false);

		if (fd >= 0)
			(void)chmod(fd_path(fd).text, 01777);
	}
}

static int dockerfile_tasks_unpack_base(const char *root, struct err *e)
{
	static const struct extract_place place = {.prefix = ""};
	auto_free char *parent = own_strndup(root, (size_t)(strrchr(root, '/') - root));
	auto_fd int fd = -1;

	if (mkdir(parent, 0755) || mkdir(root, 0755))
		return err_sys(e, "make the root of the build");
	fd = dockerfile_tasks_open_root(root, e);
	if (fd < 0 || dockerfile_tasks_extract(fd, &place, e))
		return -1;
	dockerfile_tasks_open_up(fd);
	return 0;
}

static bool dockerfile_tasks_is_directory(int root_fd, const char *below)
{
	auto_free char *path = own_strdup(below);
	auto_fd int fd = place_open(root_fd, path, false);

	return fd >= 0;
}

static int dockerfile_tasks_find_user(int root_fd, const char *text, struct image_user *out,
				      struct err *e)
{
	const struct image image = {.root_fd = root_fd, .reference = (char *)"of the build"};

	return image_user_find(&image, text, out, e);
}

/* Missing parent directories get the files' owner, as in docker. */
static int dockerfile_tasks_make_parents(int root_fd, const struct extract_place *place,
					 const char *to, struct err *e)
{
	auto_free char *path = own_strdup(to);

	for (char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
		auto_fd int fd = -1;

		*end = '\0';
		if (!dockerfile_tasks_is_directory(root_fd, path)) {
			fd = place_open(root_fd, path, true);
			if (fd < 0 || fchownat(fd, "", place->uid, place->gid, AT_EMPTY_PATH))
				return err_sys(e, "make /%.300s", path);
		}
		*end = '/';
	}
	return 0;
}

static int dockerfile_tasks_unpack_copy(int root_fd, const struct plan_copy *copy, struct err *e)
{
	struct extract_place place = {
		.prefix = copy->to + 1, .has_mode = copy->has_mode, .mode = copy->mode};
	auto_image_user struct image_user user = {0};

	if (copy->owner && dockerfile_tasks_find_user(root_fd, copy->owner, &user, e))
		return err_prefix(e, "--chown");
	place.uid = user.uid;
	place.gid = user.gid;
	if (!copy->is_directory && !dockerfile_tasks_is_directory(root_fd, copy->to + 1))
		place.alone = copy->to + 1;
	if (dockerfile_tasks_make_parents(root_fd, &place, copy->to + 1, e))
		return -1;
	return dockerfile_tasks_extract(root_fd, &place, e);
}

int dockerfile_task_unpack(const void *task, struct err *e)
{
	const struct dockerfile_task *t = task;
	auto_fd int root_fd = -1;

	umask(0);
	if (!t->step)
		return dockerfile_tasks_unpack_base(t->root, e);
	root_fd = dockerfile_tasks_open_root(t->root, e);
	if (root_fd < 0 || dockerfile_tasks_make_directories(root_fd, t->step, e))
		return -1;
	return t->step->kind == PLAN_COPY ? dockerfile_tasks_unpack_copy(root_fd, &t->step->copy, e)
					  : 0;
}

/* -- take ------------------------------------------------------------------------------------ */

int dockerfile_task_take(const void *task, struct err *e)
{
	const struct dockerfile_task *t = task;
	auto_fd int root_fd = dockerfile_tasks_open_root(t->root, e);
	uint64_t room = EXTRACT_BYTES_DEFAULT;
	const struct dockerfile_copy copy = {.root_fd = root_fd,
					     .is_root = true,
					     .sources = &t->step->copy.sources,
					     .room = &room};
	int count;

	if (root_fd < 0)
		return -1;
	count = dockerfile_copy_pack(&copy, STDOUT_FILENO, NULL, e);
	if (count > 1 && !t->step->copy.is_directory)
		return err_input(e, "of several sources the destination must end with /");
	return count < 0 ? -1 : 0;
}
