/*
 * trusted_path - open a user's path, unless another user may have redirected it.
 */
#include "fs/trusted_path.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/make_dir.h"
#include "fs/omit.h"

#define MOST_LINKS 40 /* the kernel's bound: path_resolution(7) */
#define ANYTHING   (O_PATH | O_CLOEXEC | O_NOFOLLOW)

/* A walk: the directory reached, and the path with its links expanded so far. */
struct walk {
	const char *path; /* as given */
	char *text;       /* owned */
	size_t start;     /* offset of the current name */
	size_t end;
	int dir_fd; /* owned */
	enum trusted_links links;
	unsigned followed;
	bool make;
};

/* -- whose directory ------------------------------------------------------------------------- */

static bool trusted_path_is_directory(int fd, const char *path)
{
	struct stat a;
	struct stat b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool trusted_path_is_in_procfs(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Whether only the system can put links there. */
static bool trusted_path_is_systems(int dir_fd)
{
	return trusted_path_is_in_procfs(dir_fd) || trusted_path_is_directory(dir_fd, "/") ||
	       trusted_path_is_directory(dir_fd, "/dev");
}

/* Whether we cannot write there: programs in a sandbox have at most our rights. */
static bool trusted_path_is_out_of_reach(int dir_fd)
{
	struct stat st;

	return !fstat(dir_fd, &st) && st.st_uid != geteuid() &&
	       faccessat(dir_fd, ".", W_OK, AT_EACCESS) != 0;
}

static bool trusted_path_may_follow(const struct walk *w, const struct stat *link)
{
	struct stat directory;

	if (trusted_path_is_systems(w->dir_fd) || fs_omits("foreign-links"))
		return true;
	if (fstat(w->dir_fd, &directory) || make_dir_is_exchangeable(&directory))
		return false;
	if (w->links == LINKS_OF_SYSTEM && !trusted_path_is_out_of_reach(w->dir_fd))
		return false;
	return !make_dir_is_shared(&directory) ||
	       (make_dir_is_owner(link->st_uid) && link->st_nlink == 1);
}

/* -- the walk -------------------------------------------------------------------------------- */

static int trusted_path_refuse_link(const struct walk *w, struct err *e)
{
	return err_input(e, "%.*s is a link, %s: name what it leads to", (int)w->end, w->text,
			 w->links == LINKS_OF_SYSTEM
				 ? "which a program may have put there"
				 : "and other users can write to the directory around it");
}

static int trusted_path_begin(struct walk *w, const char *path, enum trusted_links links, bool make,
			      struct err *e)
{
	*w = (struct walk){
		.path = path, .text = own_strdup(path), .dir_fd = -1, .links = links, .make = make};
	w->dir_fd = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->dir_fd < 0 ? err_sys(e, "find the current directory") : 0;
}

static void trusted_path_end(struct walk *w)
{
	own_close(&w->dir_fd);
	own_free(&w->text);
}

/* Set the next name. 1; 0: the end; -1 with *e. */
static int trusted_path_next(struct walk *w, char name[NAME_MAX + 1], struct err *e)
{
	size_t length;

	w->start = w->end + strspn(w->text + w->end, "/");
	length = strcspn(w->text + w->start, "/");
	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		return err_sys(e, "open %.200s", w->path);
	}
	memcpy(name, w->text + w->start, length);
	name[length] = '\0';
	w->end = w->start + length;
	return length > 0;
}

/* Replace a link by its target in the text. */
static int trusted_path_expand(struct walk *w, int link_fd, struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link_fd, "", target, sizeof(target) - 1);
	char *text;

	if (n == 0 || ++w->followed > MOST_LINKS)
		errno = n == 0 ? ENOENT : ELOOP;
	if (n <= 0 || w->followed > MOST_LINKS)
		return err_sys(e, "follow %.*s", (int)w->end, w->text);
	target[n] = '\0';
	if (*target == '/') {
		own_close(&w->dir_fd); /* frees a descriptor for the next one */
		w->dir_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		w->start = 0;
	}
	text = own_printf("%.*s%s%s", (int)w->start, w->text, target, w->text + w->end);
	own_free(&w->text);
	w->text = text;
	w->end = w->start;
	return 0;
}

/* A link of procfs may lead to an object without a path: let the kernel follow it. */
static int trusted_path_follow(struct walk *w, int link_fd, const struct stat *link,
			       const char *name, struct err *e)
{
	int fd;

	if (!trusted_path_may_follow(w, link))
		return trusted_path_refuse_link(w, e);
	if (!trusted_path_is_in_procfs(w->dir_fd))
		return trusted_path_expand(w, link_fd, e);
	fd = openat(w->dir_fd, name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "open %.*s", (int)w->end, w->text);
	own_close(&w->dir_fd);
	w->dir_fd = fd;
	return 0;
}

static int trusted_path_enter(struct walk *w, const char *name, struct err *e)
{
	/* O_DIRECTORY makes the kernel trigger autofs(5) mounts. */
	auto_fd int fd = openat(w->dir_fd, name, ANYTHING | O_DIRECTORY);
	struct stat st;

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		fd = openat(w->dir_fd, name, ANYTHING);
	if (fd < 0 && errno == ENOENT && w->make) {
		fd = make_dir_at(w->dir_fd, name, w->text, (int)w->end, e);
		if (fd < 0)
			return -1;
	}
	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.*s", (int)w->end, w->text);
	if (S_ISLNK(st.st_mode))
		return trusted_path_follow(w, fd, &st, name, e);
	own_close(&w->dir_fd);
	w->dir_fd = take_fd(&fd);
	return 0;
}

static int trusted_path_walk(const char *path, enum trusted_links links, bool make, struct err *e)
{
	char name[NAME_MAX + 1];
	struct walk w;
	int more = trusted_path_begin(&w, path, links, make, e) ? -1 : 1;
	int fd;

	while (more > 0 && (more = trusted_path_next(&w, name, e)) > 0)
		more = trusted_path_enter(&w, name, e) ? -1 : 1;
	fd = more < 0 ? -1 : take_fd(&w.dir_fd);
	trusted_path_end(&w);
	return fd;
}

/* The caller named a file: show its whole path in the message. */
static int trusted_path_say_whole(const char *path, struct err *e)
{
	if (e->kind == ERR_SYSTEM) {
		errno = e->number;
		err_sys(e, "open %.300s", path);
	}
	return -1;
}

/* -- directories ----------------------------------------------------------------------------- */

int trusted_path_find(const char *path, enum trusted_links links, struct err *e)
{
	return trusted_path_walk(path, links, false, e);
}

static int trusted_path_open_directory(const char *path, enum trusted_links links, bool make,
				       int flags, struct err *e)
{
	auto_fd int found = trusted_path_walk(path, links, make, e);
	int fd;

	if (found < 0)
		return -1;
	fd = openat(found, ".", flags | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open %.300s", path) : fd;
}

int trusted_path_make(struct written_path path, enum trusted_links links, struct err *e)
{
	return trusted_path_open_directory(path.text, links, true, O_PATH, e);
}

int trusted_path_directory(const char *path, enum trusted_links links, struct err *e)
{
	return trusted_path_open_directory(path, links, false, O_RDONLY, e);
}

int trusted_path_parent(struct written_path path, enum trusted_links links, const char **name,
			struct err *e)
{
	const char *slash = strrchr(path.text, '/');
	auto_free char *parent =
		slash ? own_strndup(path.text, (size_t)(slash + 1 - path.text)) : own_strdup(".");
	int fd;

	*name = slash ? slash + 1 : path.text;
	fd = trusted_path_walk(parent, links, false, e);
	return fd < 0 ? trusted_path_say_whole(path.text, e) : fd;
}

/* -- files ----------------------------------------------------------------------------------- */

/* Like a shell, wait for the reader of a FIFO. Other users cannot have exchanged it meanwhile. */
static int trusted_path_await_reader(const struct walk *w, const char *name, int how)
{
	struct stat directory;
	struct stat st;

	if (w->links == LINKS_OF_CALLER && !fstat(w->dir_fd, &directory) &&
	    !fstatat(w->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISFIFO(st.st_mode) &&
	    st.st_uid == geteuid() && !make_dir_is_exchangeable(&directory))
		return openat(w->dir_fd, name, how & ~(O_NONBLOCK | O_CREAT));
	errno = ENXIO;
	return -1;
}

static bool trusted_path_is_kind(const struct walk *w, const struct stat *directory,
				 const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return true;
	if (!S_ISCHR(st->st_mode) && !S_ISFIFO(st->st_mode))
		return false;
	if (w->links == LINKS_OF_SYSTEM)
		return trusted_path_is_systems(w->dir_fd) ||
		       trusted_path_is_out_of_reach(w->dir_fd);
	return S_ISCHR(st->st_mode) || trusted_path_is_systems(w->dir_fd) ||
	       !make_dir_is_shared(directory) || make_dir_is_owner(st->st_uid);
}

static int trusted_path_judge(const struct walk *w, int fd, int flags, struct stat *st,
			      struct err *e)
{
	struct stat directory;

	if (fstat(fd, st) || fstat(w->dir_fd, &directory))
		return err_sys(e, "look at %.300s", w->path);
	if (!trusted_path_is_kind(w, &directory, st))
		return err_input(e, "%.300s is not an ordinary file: name one", w->path);
	if ((flags & O_ACCMODE) == O_RDONLY || !S_ISREG(st->st_mode) ||
	    !make_dir_is_shared(&directory) || trusted_path_is_in_procfs(w->dir_fd))
		return 0;
	if (st->st_nlink != 1)
		return err_input(e,
				 "%.300s has another name, and other users can make names in its "
				 "directory: remove it",
				 w->path);
	if ((directory.st_mode & S_ISVTX) && !make_dir_is_owner(st->st_uid) &&
	    st->st_uid != directory.st_uid)
		return err_input(e,
				 "%.300s belongs to another user, who may have put it there: name "
				 "another file",
				 w->path);
	return 0;
}

/* Links are already expanded, except those of procfs. A FIFO without a reader is ENXIO. */
static int trusted_path_open_file(const struct walk *w, const char *name, int flags, mode_t mode,
				  struct err *e)
{
	const int how = (flags & ~O_TRUNC) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
			(trusted_path_is_in_procfs(w->dir_fd) ? 0 : O_NOFOLLOW);
	auto_fd int fd = openat(w->dir_fd, name, how, mode);
	struct stat st;

	if (fd < 0 && errno == ENXIO && !(flags & O_NONBLOCK))
		fd = trusted_path_await_reader(w, name, how);
	if (fd < 0 && errno == ELOOP)
		return trusted_path_refuse_link(w, e);
	if (fd < 0 && errno == ENXIO && !(flags & O_NONBLOCK))
		return err_input(e, "%.300s is not an ordinary file: name one", w->path);
	if (fd < 0)
		return err_sys(e, "open %.300s", w->path);
	if (trusted_path_judge(w, fd, flags, &st, e))
		return -1;
	if ((!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, how & ~O_NONBLOCK)) ||
	    ((flags & O_TRUNC) && S_ISREG(st.st_mode) && ftruncate(fd, 0)))
		return err_sys(e, "open %.300s", w->path);
	return take_fd(&fd);
}

/* Whether the last name is a link, which it then expands; -1 with *e. */
static int trusted_path_expand_last(struct walk *w, const char *name, struct err *e)
{
	auto_fd int fd = openat(w->dir_fd, name, ANYTHING);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISLNK(st.st_mode) ||
	    trusted_path_is_in_procfs(w->dir_fd))
		return 0;
	return trusted_path_follow(w, fd, &st, name, e) ? -1 : 1;
}

static int trusted_path_last(struct walk *w, const char *name, int flags, mode_t mode, int *out,
			     struct err *e)
{
	int expanded = flags & O_EXCL ? 0 : trusted_path_expand_last(w, name, e);

	if (expanded)
		return expanded < 0 ? -1 : 1;
	errno = flags & O_CREAT ? EISDIR : ENOTDIR;
	if (w->text[w->end])
		return err_sys(e, "open %.300s", w->path);
	*out = trusted_path_open_file(w, name, flags, mode, e);
	return *out < 0 ? -1 : 0;
}

static int trusted_path_file(const char *path, enum trusted_links links, int flags, mode_t mode,
			     struct err *e)
{
	struct walk w;
	int more = trusted_path_begin(&w, path, links, false, e) ? -1 : 1;
	char name[NAME_MAX + 1];
	int fd = -1;

	while (more > 0 && fd < 0) {
		more = trusted_path_next(&w, name, e);
		if (more == 0)
			err_input(e, "\"%.300s\" names no file", path);
		else if (more > 0 && !w.text[w.end + strspn(w.text + w.end, "/")])
			more = trusted_path_last(&w, name, flags, mode, &fd, e);
		else if (more > 0 && trusted_path_enter(&w, name, e))
			more = -1;
	}
	trusted_path_end(&w);
	return fd < 0 ? trusted_path_say_whole(path, e) : fd;
}

int trusted_path_read(const char *path, struct err *e)
{
	return trusted_path_file(path, LINKS_OF_SYSTEM, O_RDONLY, 0, e);
}

int trusted_path_write(struct written_path path, enum trusted_links links, int more, mode_t mode,
		       struct err *e)
{
	return trusted_path_file(path.text, links, O_WRONLY | O_CREAT | more, mode, e);
}
