/*
 * root_names - make and open directories, files and links of a new root, without following links.
 */
#include "inside/root_names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>

#include "inside/confine.h"
#include "inside/sys.h"

#define PATH_BYTES 4096 /* PATH_MAX of the kernel */
#define MAX_TRIES  1000 /* a bound against a racer who renames on purpose */

long root_names_open(const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};

	long fd = -EAGAIN;

	/* EAGAIN: a file on the machine was renamed or mounted while we walked over a "..". */
	for (int tries = 0; fd == -EAGAIN && tries < MAX_TRIES; tries++)
		fd = sys4(__NR_openat2, AT_FDCWD, path, &how, sizeof(how));
	return fd;
}

static const char *root_names_last(const char *path)
{
	const char *last = path;

	for (const char *p = path; *p; p++) {
		if (*p == '/')
			last = p + 1;
	}
	return last;
}

/* The directory that holds the last component of `path`. */
static long root_names_open_parent(const char *path)
{
	char parent[PATH_BYTES];
	size_t length = (size_t)(root_names_last(path) - path);

	if (length == 0)
		return root_names_open(".", O_DIRECTORY);
	if (length > sizeof(parent))
		return -ENAMETOOLONG;
	for (size_t i = 0; i + 1 < length; i++)
		parent[i] = path[i];
	parent[length - 1] = '\0';
	return root_names_open(parent, O_DIRECTORY);
}

static int root_names_make_dir(const struct root_op *op, int parent, const char *name,
			       struct err *e)
{
	long n = sys3(__NR_mkdirat, parent, name, op->mode);

	if (n < 0 && n != -EEXIST)
		return inside_fail(e, n, "make directory", op->path);
	return 0;
}

static int root_names_make_link(const struct root_op *op, int parent, const char *name,
				struct err *e)
{
	long n = sys3(__NR_symlinkat, op->source, parent, name);

	return n < 0 ? inside_fail(e, n, "make link", op->path) : 0;
}

/* Without bytes it is a mount point, which may already exist. */
static int root_names_make_file(const struct root_op *op, int parent, const char *name,
				struct err *e)
{
	long fd = sys_openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			     op->mode);
	size_t done = 0;

	if (fd == -EEXIST && !op->length)
		return 0;
	if (fd < 0)
		return inside_fail(e, fd, "make file", op->path);
	while (done < op->length) {
		long n = sys_write((int)fd, op->bytes + done, op->length - done);

		if (n < 0) {
			sys_close((int)fd);
			return inside_fail(e, n, "write file", op->path);
		}
		done += (size_t)n;
	}
	sys_close((int)fd);
	return 0;
}

static int root_names_make_at(const struct root_op *op, int parent, const char *name, struct err *e)
{
	return op->kind == ROOT_DIR    ? root_names_make_dir(op, parent, name, e)
	       : op->kind == ROOT_LINK ? root_names_make_link(op, parent, name, e)
				       : root_names_make_file(op, parent, name, e);
}

int root_names_make(const struct root_op *op, struct err *e)
{
	long parent;
	int bad;

	if (op->alone)
		return root_names_make_at(op, AT_FDCWD, op->path, e);
	parent = root_names_open_parent(op->path);
	if (parent < 0)
		return inside_fail(e, parent, "reach, with no link of the image in the way,",
				   op->path);
	bad = root_names_make_at(op, (int)parent, root_names_last(op->path), e);
	sys_close((int)parent);
	return bad;
}
