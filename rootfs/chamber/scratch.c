/*
 * scratch - the host directory in which a Debian root is made, step by step.
 */
#include "scratch.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/own.h"
#include "chamber.h"
#include "fs/make_dir.h"
#include "fs/temporary_dir.h"

#define MEMINFO_MAX_BYTES (64u << 10)
#define MEMORY_MIN_KB     (4u << 20) /* the python image takes 1.2 GB with its packages */

static bool scratch_memory_to_spare(void)
{
	unsigned long long available = 0;
	auto_buf struct buf text = {0};
	struct err ignored;
	const char *line;

	if (io_read_file(AT_FDCWD, "/proc/meminfo", MEMINFO_MAX_BYTES, &text, &ignored))
		return false;
	line = strstr(buf_string(&text), "MemAvailable:");
	if (line)
		available = strtoull(line + strlen("MemAvailable:"), NULL, 10);
	return available >= MEMORY_MIN_KB;
}

/*
 * dpkg syncs its database after every package, so on a disk a build waits for minutes. Without the
 * right to mount, the build just takes longer.
 */
static bool scratch_mount_memory(const char *path)
{
	return geteuid() == 0 && scratch_memory_to_spare() && !unshare(CLONE_NEWNS) &&
	       !mount("none", "/", "none", MS_REC | MS_SLAVE, NULL) &&
	       !mount("glovebox-build", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=75%");
}

static int scratch_judge(const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st))
		return err_sys(e, "build below %s (TMPDIR names another place)", path);
	if (make_dir_is_exchangeable(&st))
		return err_input(e,
				 "build below %s: other users can exchange what is in it; let "
				 "TMPDIR name a directory that they cannot change",
				 path);
	return 0;
}

/* For a place on the disk, where packages' programs run. */
static int scratch_check_executable(const char *top, const char *place, struct err *e)
{
	struct statvfs fs;

	if (statvfs(top, &fs) || !(fs.f_flag & ST_NOEXEC))
		return 0;
	return err_input(e,
			 "build below %s: nothing may be executed there (noexec); let TMPDIR name "
			 "another place",
			 place);
}

/*
 * The place of the build. We open our files there by name during the whole build, so other users
 * must not be able to exchange a name on the way. We judge each directory before we use a name in
 * it; from then on that name cannot change.
 */
static char *scratch_find_place(struct err *e)
{
	const char *wanted = getenv("TMPDIR");
	auto_free char *path = NULL;

	if (!wanted || *wanted != '/')
		wanted = "/tmp";
	path = realpath(wanted, NULL);
	if (!path) {
		err_sys(e, "build below %s (TMPDIR names another place)", wanted);
		return NULL;
	}
	if (scratch_judge("/", e))
		return NULL;
	for (char *end = strchrnul(path + 1, '/');; end = strchrnul(end + 1, '/')) {
		char after = *end;
		int status;

		*end = '\0';
		status = scratch_judge(path, e);
		*end = after;
		if (status)
			return NULL;
		if (!after)
			return take_ptr(&path);
	}
}

#define CLEAN_S 600 /* for a large root on a busy disk, or a file system that does not answer */

/* The ids of the build own the content, so a process with these ids removes it. */
static void scratch_empty(const struct scratch *s, const struct subids *ids)
{
	static const char *const argv[] = {"find",      CHAMBER_BUILD, "-xdev",
					   "-mindepth", "1",           "-delete"};
	struct chamber_inputs inputs = {.build = s->build};
	struct chamber_step step = {
		.name = "clean", .ids = ids, .inputs = &inputs, .cleans = true, .limit_s = CLEAN_S};
	struct err ignored;

	for (size_t i = 0; i < sizeof(argv) / sizeof(argv[0]); i++)
		list_add(&step.argv, argv[i]);
	list_add(&step.env, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
	chamber_run(&step, &ignored);
	list_fini(&step.argv);
	list_fini(&step.env);
}

void scratch_remove(struct scratch *s, const struct subids *ids)
{
	if (!s->top)
		return;
	if (s->in_memory)
		umount2(s->top, MNT_DETACH);
	else {
		scratch_empty(s, ids);
		rmdir(s->build);
	}
	if (rmdir(s->top))
		fprintf(stderr, "glovebox: %s is left: as root, rm -r it\n", s->top);
	own_close(&s->lock);
	own_free(&s->build);
	own_free(&s->top);
}

/* Without `build` it was in the memory of a mount namespace that is gone. */
static void scratch_remove_left(const char *path, int fd, void *ids)
{
	struct scratch left = {.top = own_strdup(path),
			       .build = own_printf("%s/build", path),
			       .in_memory = faccessat(fd, "build", F_OK, AT_SYMLINK_NOFOLLOW) != 0,
			       .lock = -1};

	scratch_remove(&left, ids);
}

int scratch_make(struct scratch *out, const struct subids *ids, struct err *e)
{
	auto_free char *place = scratch_find_place(e);
	auto_fd int fd = -1;

	*out = (struct scratch){.lock = -1};
	if (!place)
		return -1;
	out->top = own_printf("%s/glovebox-build-XXXXXX", place);
	temporary_dir_find_left(out->top, scratch_remove_left, (void *)ids);
	out->lock = temporary_dir_make(out->top);
	if (out->lock < 0) {
		err_sys(e, "make %s (TMPDIR names another place)", out->top);
		own_free(&out->top);
		return -1;
	}
	out->in_memory = scratch_mount_memory(out->top);
	out->build = own_printf("%s/build", out->top);
	/* The parent directory is 0700: only ids that we let in reach this one. */
	if (!mkdir(out->build, 0700))
		fd = open(out->build, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0777))
		err_sys(e, "make %s", out->build);
	else if (out->in_memory || !scratch_check_executable(out->top, place, e))
		return 0;
	scratch_remove(out, ids);
	return -1;
}
