/*
 * stage - collect the files that a program left in the staged /output.
 */
#include "root/stage.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/io.h"
#include "base/own.h"
#include "fs/act_as.h"
#include "fs/resolve.h"
#include "fs/walk.h"
#include "host/mount_bound.h"
#include "host/mount_table.h"

#define MAX_DEPTH 64
#define MAX_PATH  2048 /* well below PATH_MAX, so that users can name collected files */

struct collect {
	uint64_t left_bytes; /* of all files; holes and hard links count in full */
	dev_t device;        /* of the stage: other file systems are not touched */
	uid_t uid;           /* owner of the target; root writes with this owner's rights */
	gid_t gid;
	unsigned temporary;
	struct verdict *v;
};

/* One entry, by descriptor: its name may lead elsewhere by now. */
struct found {
	int fd; /* O_PATH; borrowed */
	const char *name;
	const char *path; /* relative to /output */
	struct stat st;
};

static int stage_act_as_owner(struct act_as *a, const struct stat *st)
{
	return geteuid() == 0 ? act_as_begin(a, st->st_uid, st->st_gid) : 0;
}

int stage_open_target(const struct mount_spec *m, struct err *e)
{
	const char *path = m->source;
	auto_fd int found = mount_bound_make(m, e);
	auto_act_as struct act_as owner = {0};
	auto_fd int fd = -1;
	struct stat st;

	if (found < 0)
		return -1;
	fd = openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open the output directory %.300s", path);
	if (stage_act_as_owner(&owner, &st) || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS))
		return err_sys(e, "write to the output directory %.300s", path);
	return take_fd(&fd);
}

/* The stage is a file system of its own: a device that is mounted here belongs to the host. */
static int stage_refuse_hosts(dev_t device, struct err *e)
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
	return stage_refuse_hosts(st.st_dev, e);
}

static void stage_refuse(struct collect *c, const char *path, uint64_t size, const char *reason)
{
	output_files_add(&c->v->refused, path, size, reason);
}

/* errno tells the program's doing from an error of this machine. */
static void stage_unreadable(struct collect *c, const char *path, uint64_t size)
{
	bool is_ours = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO;

	stage_refuse(c, path, size, is_ours ? strerrordesc_np(errno) : "unreadable");
	c->v->uncollected = c->v->uncollected || is_ours;
}

/* Copy at most the size at the time of opening: a writer may still be alive. */
static int stage_copy_bytes(int from, int to, uint64_t left)
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
 * Open for reading the very entry that was judged. The program may have removed its own right to
 * read: root can read all the same, another user restores the right by descriptor. O_NONBLOCK: the
 * lease of a living process would make us wait (fcntl(2), F_SETLEASE).
 */
static int stage_open_found(const struct collect *c, const struct found *f, mode_t rights,
			    int flags)
{
	const struct fd_path self = fd_path(f->fd);
	int fd;

	errno = EXDEV;
	if (f->st.st_dev != c->device)
		return -1;
	fd = open(self.text, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	if (fd < 0 && errno == EACCES && geteuid() != 0 && !chmod(self.text, rights))
		fd = open(self.text, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	return fd;
}

/*
 * errno tells: what the owner may not do there, root does not do for the owner. Any other error is
 * this machine's (a full disk): go on with the other files.
 */
static void stage_failed(struct collect *c, const struct found *f)
{
	const char *reason = strerrordesc_np(errno);
	bool is_ours = false;

	switch (errno) {
	case EACCES:
	case EPERM:
		reason = "its place cannot be written to";
		break;
	case EISDIR:
		reason = "a directory is in its place";
		break;
	case ENOTDIR:
	case ELOOP:
		reason = "something else is in its place";
		break;
	default:
		is_ours = true;
	}
	stage_refuse(c, f->path, (uint64_t)f->st.st_size, reason);
	c->v->uncollected = c->v->uncollected || is_ours;
}

static int stage_create_temporary(struct collect *c, int to_dir, char *name, size_t size)
{
	int to;

	do { /* a killed run may have left a file of this name */
		snprintf(name, size, ".glovebox-%d-%u", (int)getpid(), c->temporary++);
		to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
	} while (to < 0 && errno == EEXIST);
	return to;
}

/* Write under a temporary name, so that an incomplete file never has the final name. */
static void stage_write_file(struct collect *c, const struct found *f, int from, int to_dir)
{
	bool existed = !faccessat(to_dir, f->name, F_OK, AT_SYMLINK_NOFOLLOW);
	char temporary[64];
	auto_fd int to = stage_create_temporary(c, to_dir, temporary, sizeof(temporary));

	if (to < 0) {
		stage_failed(c, f);
		return;
	}
	if (stage_copy_bytes(from, to, (uint64_t)f->st.st_size) ||
	    fchmod(to, (f->st.st_mode & 0755) | S_IRUSR | S_IWUSR)) {
		stage_failed(c, f);
		unlinkat(to_dir, temporary, 0);
		return;
	}
	if (renameat(to_dir, temporary, to_dir, f->name)) {
		stage_failed(c, f);
		unlinkat(to_dir, temporary, 0);
		return;
	}
	output_files_add(&c->v->files, f->path, (uint64_t)f->st.st_size,
			 existed ? "changed" : "new");
}

static int stage_as_owner(const struct collect *c, struct act_as *owner)
{
	const struct stat st = {.st_uid = c->uid, .st_gid = c->gid};

	return stage_act_as_owner(owner, &st);
}

static void stage_copy_file(struct collect *c, struct found *f, int to_dir)
{
	auto_act_as struct act_as owner = {0};
	auto_fd int from = stage_open_found(c, f, 0600, 0);

	if (from < 0 || fstat(from, &f->st)) {
		stage_unreadable(c, f->path, (uint64_t)f->st.st_size);
		return;
	}
	if ((uint64_t)f->st.st_size > c->left_bytes) {
		stage_refuse(c, f->path, (uint64_t)f->st.st_size, "beyond the size limit");
		return;
	}
	c->left_bytes -= (uint64_t)f->st.st_size;
	if (stage_as_owner(c, &owner))
		stage_failed(c, f);
	else
		stage_write_file(c, f, from, to_dir);
}

/* Make the directory with its owner's rights; act on it by descriptor only. -1: refused. */
static int stage_enter_target(struct collect *c, const struct found *f, int to_dir)
{
	auto_act_as struct act_as owner = {0};
	int to;

	if (stage_as_owner(c, &owner) || (mkdirat(to_dir, f->name, 0755) && errno != EEXIST)) {
		stage_failed(c, f);
		return -1;
	}
	to = openat(to_dir, f->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to < 0)
		stage_failed(c, f);
	return to;
}

/*
 * As an ordinary user, restore the owner's rights to list a directory and to inspect its entries.
 */
static void stage_let_us_in(int fd, const struct stat *st)
{
	if (geteuid() != 0 && (st->st_mode & 0500) != 0500)
		(void)chmod(fd_path(fd).text, 0700);
}

static void stage_descend(struct collect *c, const struct found *f, struct walk *w)
{
	auto_fd int from = -1;
	int to;

	if (w->depth > MAX_DEPTH || strlen(f->path) > MAX_PATH) {
		stage_refuse(c, f->path, 0, "nested too deep");
		return;
	}
	stage_let_us_in(f->fd, &f->st);
	from = stage_open_found(c, f, 0700, O_DIRECTORY);
	if (from < 0) {
		stage_unreadable(c, f->path, 0);
		return;
	}
	to = stage_enter_target(c, f, w->beside_fd);
	if (to >= 0 && walk_enter(w, take_fd(&from), to))
		stage_failed(c, f);
}

static const char *stage_type_refused(mode_t mode)
{
	if (S_ISLNK(mode))
		return "symbolic link";
	if (S_ISFIFO(mode))
		return "fifo";
	if (S_ISSOCK(mode))
		return "socket";
	return "device";
}

static void stage_collect_entry(struct collect *c, struct walk *w)
{
	auto_fd int fd = resolve_open(w->dir_fd, w->name, O_PATH | O_NOFOLLOW,
				      RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
	struct found f = {.fd = fd, .name = w->name, .path = w->path};

	if (fd < 0 || fstat(fd, &f.st)) {
		stage_unreadable(c, w->path, 0);
		return;
	}
	if (S_ISDIR(f.st.st_mode))
		stage_descend(c, &f, w);
	else if (S_ISREG(f.st.st_mode))
		stage_copy_file(c, &f, w->beside_fd);
	else
		stage_refuse(c, w->path, 0, stage_type_refused(f.st.st_mode));
}

int stage_collect(int from_fd, int to_fd, const struct stage_limits *limits, struct verdict *v,
		  struct err *e)
{
	auto_walk struct walk w = {.room = limits->entries};
	struct collect c = {.left_bytes = limits->bytes, .v = v};
	struct stat from;
	struct stat to;

	if (fstat(from_fd, &from))
		return err_sys(e, "stat what came as /output");
	if (fstat(to_fd, &to))
		return err_sys(e, "stat the output directory");
	c.device = from.st_dev;
	c.uid = to.st_uid;
	c.gid = to.st_gid;
	stage_let_us_in(from_fd, &from);
	if (walk_begin(&w, from_fd, to_fd, ""))
		return err_sys(e, "list /output");
	while (walk_next(&w) > 0)
		stage_collect_entry(&c, &w);
	/* More entries than the mount can hold: a writer still adds some, perhaps without end. */
	if (w.cut)
		stage_refuse(&c, "...", 0, "beyond the number of files");
	return 0;
}
