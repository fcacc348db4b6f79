/*
 * stage - collect what a program left in the staged /output.
 */
#include "host/stage.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "host/make_dirs.h"

#define MAX_DEPTH 64
#define MAX_PATH  2048 /* well below PATH_MAX: people must be able to name what arrives */

struct collect {
	uint64_t left_bytes; /* of the whole collection: holes and hard links multiply */
	uid_t uid;           /* owner of what is made, when we are root */
	gid_t gid;
	bool give_away;
	unsigned temporary;
	struct verdict *v;
	struct err *e;
};

int stage_open_target(const char *path, struct err *e)
{
	int fd;

	if (make_dirs(path, e))
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "open the output directory %.300s", path);
	if (faccessat(fd, ".", W_OK, AT_EACCESS)) {
		err_sys(e, "write to the output directory %.300s", path);
		close(fd);
		return -1;
	}
	return fd;
}

static void refuse(struct collect *c, const char *path, uint64_t size, const char *reason)
{
	output_files_add(&c->v->refused, path, size, reason);
}

static int copy_bytes(int from, int to)
{
	char chunk[65536];

	for (;;) {
		ssize_t n = read(from, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		if (io_write_all(to, chunk, (size_t)n))
			return -1;
	}
}

/* Under a name of ours first, so that a half-written file never bears the real one. */
static int copy_file(struct collect *c, int from_dir, int to_dir, const char *name,
		     const char *path, const struct stat *st)
{
	char temporary[64];
	bool existed = !faccessat(to_dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
	auto_fd int from = -1;
	auto_fd int to = -1;

	/* The program may have taken its own right to read away. */
	if (st->st_mode & S_IRUSR || !fchmodat(from_dir, name, 0600, 0))
		from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (from < 0) {
		refuse(c, path, (uint64_t)st->st_size, "unreadable");
		return 0;
	}
	do { /* a run that was killed may have left one */
		snprintf(temporary, sizeof(temporary), ".glovebox-%d-%u", (int)getpid(),
			 c->temporary++);
		to = openat(to_dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	} while (to < 0 && errno == EEXIST);
	if (to < 0)
		return err_sys(c->e, "create %.300s in the output directory", path);
	if (copy_bytes(from, to) || (c->give_away && fchown(to, c->uid, c->gid)) ||
	    fchmod(to, (st->st_mode & 0755) | S_IRUSR | S_IWUSR)) {
		err_sys(c->e, "write %.300s to the output directory", path);
		unlinkat(to_dir, temporary, 0);
		return -1;
	}
	if (renameat(to_dir, temporary, to_dir, name)) {
		unlinkat(to_dir, temporary, 0);
		refuse(c, path, (uint64_t)st->st_size, "a directory is in its place");
		return 0;
	}
	output_files_add(&c->v->files, path, (uint64_t)st->st_size, existed ? "changed" : "new");
	return 0;
}

static int collect_dir(struct collect *c, int from_fd, int to_fd, const char *prefix, int depth);

static int descend(struct collect *c, int from_dir, int to_dir, const char *name, const char *path,
		   const struct stat *st, int depth)
{
	auto_fd int from = -1;
	auto_fd int to = -1;

	if (depth == MAX_DEPTH || strlen(path) > MAX_PATH) {
		refuse(c, path, 0, "nested too deep");
		return 0;
	}
	if ((st->st_mode & S_IRWXU) == S_IRWXU || !fchmodat(from_dir, name, 0700, 0))
		from = openat(from_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0) {
		refuse(c, path, 0, "unreadable");
		return 0;
	}
	if (!mkdirat(to_dir, name, 0755) && c->give_away &&
	    fchownat(to_dir, name, c->uid, c->gid, AT_SYMLINK_NOFOLLOW))
		return err_sys(c->e, "hand over %.300s in the output directory", path);
	to = openat(to_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to < 0) {
		refuse(c, path, 0, "something else is in its place");
		return 0;
	}
	return collect_dir(c, from, to, path, depth + 1);
}

static const char *type_refused(mode_t mode)
{
	if (S_ISLNK(mode))
		return "symbolic link";
	if (S_ISFIFO(mode))
		return "fifo";
	if (S_ISSOCK(mode))
		return "socket";
	return "device";
}

static int collect_entry(struct collect *c, int from_dir, int to_dir, const char *name,
			 const char *path, int depth)
{
	struct stat st;

	if (fstatat(from_dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
		refuse(c, path, 0, "unreadable");
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return descend(c, from_dir, to_dir, name, path, &st, depth);
	if (!S_ISREG(st.st_mode)) {
		refuse(c, path, 0, type_refused(st.st_mode));
		return 0;
	}
	if ((uint64_t)st.st_size > c->left_bytes) {
		refuse(c, path, (uint64_t)st.st_size, "beyond the size limit");
		return 0;
	}
	c->left_bytes -= (uint64_t)st.st_size;
	return copy_file(c, from_dir, to_dir, name, path, &st);
}

static int collect_dir(struct collect *c, int from_fd, int to_fd, const char *prefix, int depth)
{
	int fd = fcntl(from_fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int bad = 0;

	if (!dir)
		return err_sys(c->e, "list /output");
	while (!bad && (entry = readdir(dir))) {
		auto_free char *path = NULL;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (asprintf(&path, "%s%s%s", prefix, *prefix ? "/" : "", entry->d_name) < 0)
			abort();
		bad = collect_entry(c, from_fd, to_fd, entry->d_name, path, depth);
	}
	closedir(dir);
	return bad;
}

int stage_collect(int from_fd, int to_fd, uint64_t max_bytes, struct verdict *v, struct err *e)
{
	struct collect c = {.left_bytes = max_bytes, .give_away = geteuid() == 0, .v = v, .e = e};
	struct stat st;

	if (fstat(to_fd, &st))
		return err_sys(e, "stat the output directory");
	c.uid = st.st_uid;
	c.gid = st.st_gid;
	return collect_dir(&c, from_fd, to_fd, "", 0);
}
