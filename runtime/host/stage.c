/*
 * stage - collect what a program left in the staged /output.
 */
#include "host/stage.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/act_as.h"
#include "base/io.h"
#include "base/own.h"
#include "base/resolve.h"
#include "host/make_dirs.h"
#include "host/mount_table.h"

#define MAX_DEPTH 64
#define MAX_PATH  2048 /* well below PATH_MAX: people must be able to name what arrives */

struct collect {
	uint64_t left_bytes; /* of the whole collection: holes and hard links multiply */
	uint64_t left_entries;
	dev_t device; /* of the stage: nothing else is touched */
	uid_t uid;    /* owner of the target; as root we write as him */
	gid_t gid;
	unsigned temporary;
	struct verdict *v;
	struct err *e;
};

/* One entry, by its descriptor: its name may lead elsewhere by now. */
struct found {
	int fd; /* O_PATH; borrowed */
	const char *name;
	const char *path; /* below /output */
	struct stat st;
};

static int act_as_owner(struct act_as *a, const struct stat *st)
{
	return geteuid() == 0 ? act_as_begin(a, st->st_uid, st->st_gid) : 0;
}

int stage_open_target(const char *path, struct err *e)
{
	auto_fd int found = make_dirs(path, e);
	auto_act_as struct act_as owner = {0};
	auto_fd int fd = -1;
	struct stat st;

	if (found < 0)
		return -1;
	fd = openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open the output directory %.300s", path);
	if (act_as_owner(&owner, &st) || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS))
		return err_sys(e, "write to the output directory %.300s", path);
	return take_fd(&fd);
}

/* By its own file system: one that is mounted here, anywhere, is the host's. */
static int refuse_hosts(dev_t device, struct err *e)
{
	auto_mount_table struct mount_table table = {0};
	auto_fd int fd = mount_table_open(e);

	if (fd < 0 || mount_table_read(fd, &table, e))
		return -1;
	if (mount_table_has_device(&table, device))
		return err_set(
			e, ERR_SYSTEM,
			"what came as /output is a directory of the host: nothing is collected");
	return 0;
}

int stage_check(int fd, struct err *e)
{
	struct statfs fs;
	struct statx more;
	struct stat st;

	if (fstatfs(fd, &fs) || fstat(fd, &st) || statx(fd, "", AT_EMPTY_PATH, 0, &more))
		return err_sys(e, "look at what came as /output");
	if (fs.f_type != TMPFS_MAGIC || !S_ISDIR(st.st_mode) ||
	    !(more.stx_attributes & STATX_ATTR_MOUNT_ROOT))
		return err_set(e, ERR_SYSTEM,
			       "what came as /output is not what was mounted there: nothing is "
			       "collected");
	return refuse_hosts(st.st_dev, e);
}

static void refuse(struct collect *c, const char *path, uint64_t size, const char *reason)
{
	output_files_add(&c->v->refused, path, size, reason);
}

/* No more than was there when it was opened: somebody may go on writing. */
static int copy_bytes(int from, int to, uint64_t left)
{
	char chunk[65536];

	while (left) {
		ssize_t n = read(from, chunk, left < sizeof(chunk) ? (size_t)left : sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		if (io_write_all(to, chunk, (size_t)n))
			return -1;
		left -= (uint64_t)n;
	}
	return 0;
}

/*
 * The very thing that was looked at, to read. The program may have taken its own right to read
 * away; root has it all the same, and everybody else gives it back by descriptor.
 * O_NONBLOCK: a lease of a process that still lives would hold us (fcntl(2), F_SETLEASE).
 */
static int open_found(const struct collect *c, const struct found *f, mode_t rights, int flags)
{
	char self[32];
	int fd;

	if (f->st.st_dev != c->device)
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	if (fd < 0 && errno == EACCES && geteuid() != 0 && !chmod(self, rights))
		fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	return fd;
}

/* What its owner may not do there, root does not do for him. */
static int failed_there(struct collect *c, const struct found *f, const char *what)
{
	if (errno != EACCES && errno != EPERM)
		return err_sys(c->e, "%s %.300s in the output directory", what, f->path);
	refuse(c, f->path, (uint64_t)f->st.st_size, "its place cannot be written to");
	return 0;
}

static int create_temporary(struct collect *c, int to_dir, char *name, size_t size)
{
	int to;

	do { /* a run that was killed may have left one */
		snprintf(name, size, ".glovebox-%d-%u", (int)getpid(), c->temporary++);
		to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	} while (to < 0 && errno == EEXIST);
	return to;
}

/* Under a name of ours first, so that a half-written file never bears the real one. */
static int write_file(struct collect *c, const struct found *f, int from, int to_dir)
{
	bool existed = !faccessat(to_dir, f->name, F_OK, AT_SYMLINK_NOFOLLOW);
	char temporary[64];
	auto_fd int to = create_temporary(c, to_dir, temporary, sizeof(temporary));

	if (to < 0)
		return failed_there(c, f, "create");
	if (copy_bytes(from, to, (uint64_t)f->st.st_size) ||
	    fchmod(to, (f->st.st_mode & 0755) | S_IRUSR | S_IWUSR)) {
		err_sys(c->e, "write %.300s to the output directory", f->path);
		unlinkat(to_dir, temporary, 0);
		return -1;
	}
	if (renameat(to_dir, temporary, to_dir, f->name)) {
		unlinkat(to_dir, temporary, 0);
		refuse(c, f->path, (uint64_t)f->st.st_size, "a directory is in its place");
		return 0;
	}
	output_files_add(&c->v->files, f->path, (uint64_t)f->st.st_size,
			 existed ? "changed" : "new");
	return 0;
}

static int as_owner(struct collect *c, struct act_as *owner)
{
	const struct stat st = {.st_uid = c->uid, .st_gid = c->gid};

	return act_as_owner(owner, &st) ? err_sys(c->e, "write as the output directory's owner")
					: 0;
}

static int copy_file(struct collect *c, struct found *f, int to_dir)
{
	auto_act_as struct act_as owner = {0};
	auto_fd int from = open_found(c, f, 0600, 0);

	if (from < 0 || fstat(from, &f->st)) {
		refuse(c, f->path, (uint64_t)f->st.st_size, "unreadable");
		return 0;
	}
	if ((uint64_t)f->st.st_size > c->left_bytes) {
		refuse(c, f->path, (uint64_t)f->st.st_size, "beyond the size limit");
		return 0;
	}
	c->left_bytes -= (uint64_t)f->st.st_size;
	return as_owner(c, &owner) ? -1 : write_file(c, f, from, to_dir);
}

/* Made by its owner's own rights; nothing is done to it by its name. -2: it was refused. */
static int enter_target(struct collect *c, const struct found *f, int to_dir)
{
	auto_act_as struct act_as owner = {0};
	int to;

	if (as_owner(c, &owner))
		return -1;
	if (mkdirat(to_dir, f->name, 0755) && errno != EEXIST)
		return failed_there(c, f, "make") ? -1 : -2;
	to = openat(to_dir, f->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to >= 0)
		return to;
	refuse(c, f->path, 0, "something else is in its place");
	return -2;
}

static int collect_dir(struct collect *c, int from_fd, int to_fd, const char *prefix, int depth);

static int descend(struct collect *c, const struct found *f, int to_dir, int depth)
{
	auto_fd int from = -1;
	auto_fd int to = -1;

	if (depth == MAX_DEPTH || strlen(f->path) > MAX_PATH) {
		refuse(c, f->path, 0, "nested too deep");
		return 0;
	}
	from = open_found(c, f, 0700, O_DIRECTORY);
	if (from < 0) {
		refuse(c, f->path, 0, "unreadable");
		return 0;
	}
	to = enter_target(c, f, to_dir);
	if (to < 0)
		return to == -2 ? 0 : -1;
	return collect_dir(c, from, to, f->path, depth + 1);
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
	auto_fd int fd = resolve_open(from_dir, name, O_PATH | O_NOFOLLOW,
				      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
	struct found f = {.fd = fd, .name = name, .path = path};

	if (fd < 0 || fstat(fd, &f.st)) {
		refuse(c, path, 0, "unreadable");
		return 0;
	}
	if (S_ISDIR(f.st.st_mode))
		return descend(c, &f, to_dir, depth);
	if (S_ISREG(f.st.st_mode))
		return copy_file(c, &f, to_dir);
	refuse(c, path, 0, type_refused(f.st.st_mode));
	return 0;
}

/* One of our own: whoever has a copy of the descriptor that came could move its position. */
static DIR *list(int from_fd)
{
	int fd = openat(from_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		own_close(&fd);
	return dir;
}

static int collect_dir(struct collect *c, int from_fd, int to_fd, const char *prefix, int depth)
{
	DIR *dir = list(from_fd);
	struct dirent *entry;
	int bad = 0;

	if (!dir)
		return err_sys(c->e, "list /output");
	while (!bad && c->left_entries && (entry = readdir(dir))) {
		auto_free char *path = NULL;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		c->left_entries--;
		if (asprintf(&path, "%s%s%s", prefix, *prefix ? "/" : "", entry->d_name) < 0)
			abort();
		bad = collect_entry(c, from_fd, to_fd, entry->d_name, path, depth);
	}
	closedir(dir);
	return bad;
}

int stage_collect(int from_fd, int to_fd, const struct stage_limits *limits, struct verdict *v,
		  struct err *e)
{
	struct collect c = {
		.left_bytes = limits->bytes, .left_entries = limits->entries, .v = v, .e = e};
	struct stat from;
	struct stat to;

	if (fstat(from_fd, &from))
		return err_sys(e, "stat what came as /output");
	if (fstat(to_fd, &to))
		return err_sys(e, "stat the output directory");
	c.device = from.st_dev;
	c.uid = to.st_uid;
	c.gid = to.st_gid;
	if (collect_dir(&c, from_fd, to_fd, "", 0))
		return -1;
	/* The mount cannot hold more: so it is not at rest, and there may be no end to it. */
	if (!c.left_entries)
		refuse(&c, "...", 0, "beyond the number of files");
	return 0;
}
