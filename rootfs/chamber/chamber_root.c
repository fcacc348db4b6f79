/*
 * chamber_root - build the root of a chamber: parts of the host, and its working directory.
 *
 * Runs: the process that becomes pid 1 of a chamber. It soon executes or exits, which frees memory
 * and closes descriptors.
 */
#include "chamber_root.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/names.h"
#include "namespace/fresh_proc.h"

#define STAGE "/tmp" /* exists everywhere; we build the new root over it */

static const char *const of_host[] = {"usr", "etc",   "bin",   "sbin",
				      "lib", "lib32", "lib64", "libx32"};
static const char *const devices[] = {"null", "zero", "full", "random", "urandom"};

static int chamber_root_take_tree(struct chamber_root *r, const char *source, const char *target,
				  bool writable, struct err *e)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID |
					      (writable ? MOUNT_ATTR_NODEV : MOUNT_ATTR_RDONLY)};
	int fd;

	if (r->tree_count == CHAMBER_TREES_MAX)
		return err_input(e, "more than %d directories are needed", CHAMBER_TREES_MAX);
	fd = (int)syscall(SYS_open_tree, AT_FDCWD, source,
			  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (fd < 0 ||
	    syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)))
		return err_sys(e, "show the build %.200s", source);
	r->trees[r->tree_count++] = (struct chamber_tree){.target = target, .fd = fd};
	return 0;
}

static int chamber_root_take_host(struct chamber_root *r, struct err *e)
{
	for (size_t i = 0; i < sizeof(of_host) / sizeof(of_host[0]); i++) {
		char path[32];
		struct stat st;

		snprintf(path, sizeof(path), "/%s", of_host[i]);
		if (!lstat(path, &st) && S_ISDIR(st.st_mode) &&
		    chamber_root_take_tree(r, path, of_host[i], false, e))
			return -1;
	}
	return 0;
}

static int chamber_root_take_devices(struct chamber_root *r, struct err *e)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/%s", devices[i]);
		if (chamber_root_take_tree(r, path, own_strdup(path + 1), false, e))
			return -1;
	}
	/* The chamber has no terminal: programs that open one get an empty device. */
	return chamber_root_take_tree(r, "/dev/null", "dev/console", false, e) ||
			       chamber_root_take_tree(r, "/dev/null", "dev/tty", false, e)
		       ? -1
		       : 0;
}

static void chamber_root_add_copy(struct chamber_root *r, int fd, const char *target)
{
	r->copies = own_grow(r->copies, r->copy_count, sizeof(*r->copies));
	r->copies[r->copy_count++] = (struct chamber_copy){.target = target, .fd = fd};
}

static int chamber_root_add_file(struct chamber_root *r, int dir_fd, const char *path,
				 const char *target, struct err *e)
{
	auto_fd int fd = openat(dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, "open %.200s", path);
	if (S_ISREG(st.st_mode))
		chamber_root_add_copy(r, take_fd(&fd), target);
	return 0;
}

static char *chamber_root_below_inputs(const char *name, const char *file)
{
	return own_printf("%s%s%s/%s", CHAMBER_INPUTS + 1, *name ? "/" : "", name, file);
}

static int chamber_root_add_directory(struct chamber_root *r, const char *path, const char *name,
				      struct err *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_list struct list names = {0};

	if (fd < 0 || names_read(fd, SIZE_MAX, &names) < 0)
		return err_sys(e, "open %.200s", path);
	for (size_t i = 0; i < names.count; i++) {
		const char *file = names.items[i];

		if (*file != '.' &&
		    chamber_root_add_file(r, fd, file, chamber_root_below_inputs(name, file), e))
			return -1;
	}
	return 0;
}

/* Often a link to a file below /run, which a chamber lacks. */
static int chamber_root_add_resolver(struct chamber_root *r, struct err *e)
{
	auto_free char *path = realpath("/etc/resolv.conf", NULL);

	if (!path || !strncmp(path, "/etc/", 5) || !strncmp(path, "/usr/", 5))
		return 0;
	return chamber_root_add_file(r, AT_FDCWD, path, own_strdup(path + 1), e);
}

/*
 * Open the caller's files to be copied, with the caller's rights: the ids of the build may not be
 * allowed to read them.
 */
static int chamber_root_open_inputs(struct chamber_root *r, const struct chamber_inputs *inputs,
				    struct err *e)
{
	struct rlimit files;

	/* Each file has a descriptor until it is copied. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (size_t i = 0; i < inputs->directories.count; i++) {
		if (chamber_root_add_directory(r, inputs->directories.items[i],
					       inputs->names.items[i], e))
			return -1;
	}
	for (size_t i = 0; i < inputs->files.count; i++) {
		if (chamber_root_add_file(
			    r, AT_FDCWD, inputs->files.items[i],
			    chamber_root_below_inputs("", inputs->file_names.items[i]), e))
			return -1;
	}
	return chamber_root_add_resolver(r, e);
}

int chamber_root_open(struct chamber_root *out, const struct chamber_inputs *inputs, struct err *e)
{
	*out = (struct chamber_root){0};
	if (chamber_root_take_host(out, e) || chamber_root_take_devices(out, e) ||
	    chamber_root_take_tree(out, inputs->build, CHAMBER_BUILD + 1, true, e))
		return -1;
	for (size_t i = 0; i < inputs->shown.count; i++) {
		if (chamber_root_take_tree(out, inputs->shown.items[i], inputs->shown.items[i] + 1,
					   false, e))
			return -1;
	}
	return chamber_root_open_inputs(out, inputs, e);
}

/* Make the directory and its parents, relative to the working directory, an empty tree of ours. */
static int chamber_root_make_dir(const char *target, struct err *e)
{
	auto_free char *path = own_strdup(target);

	for (char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return err_sys(e, "make %s", path);
		*p = '/';
	}
	return mkdir(path, 0755) && errno != EEXIST ? err_sys(e, "make %s", path) : 0;
}

static int chamber_root_make_place(const char *target, int tree_fd, struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;

	if (fstat(tree_fd, &st))
		return err_sys(e, "stat %s", target);
	if (S_ISDIR(st.st_mode))
		return chamber_root_make_dir(target, e);
	fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return fd < 0 ? err_sys(e, "make %s", target) : 0;
}

static int chamber_root_attach(const struct chamber_root *r, struct err *e)
{
	for (size_t i = 0; i < r->tree_count; i++) {
		const struct chamber_tree *t = &r->trees[i];

		if (chamber_root_make_place(t->target, t->fd, e))
			return -1;
		if (syscall(SYS_move_mount, t->fd, "", AT_FDCWD, t->target,
			    MOVE_MOUNT_F_EMPTY_PATH))
			return err_sys(e, "mount %s", t->target);
	}
	return 0;
}

/* /bin is a link to usr/bin on a current system. */
static int chamber_root_link_host(struct err *e)
{
	for (size_t i = 0; i < sizeof(of_host) / sizeof(of_host[0]); i++) {
		char path[32];
		char to[PATH_MAX];
		ssize_t n;

		snprintf(path, sizeof(path), "/%s", of_host[i]);
		n = readlink(path, to, sizeof(to) - 1);
		if (n < 0)
			continue;
		to[n] = '\0';
		if (symlink(to, path + 1))
			return err_sys(e, "link %s", path);
	}
	return 0;
}

static int chamber_root_make_own(struct err *e)
{
	static const char *const links[][2] = {
		{"pts/ptmx",        "dev/ptmx"  },
                {"/proc/self/fd",   "dev/fd"    },
		{"/proc/self/fd/0", "dev/stdin" },
                {"/proc/self/fd/1", "dev/stdout"},
		{"/proc/self/fd/2", "dev/stderr"},
	};
	static const char *const dirs[] = {"dev/shm", "dev/pts", "tmp",
					   "var/tmp", "proc",    "inputs"};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (chamber_root_make_dir(dirs[i], e))
			return -1;
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (symlink(links[i][0], links[i][1]))
			return err_sys(e, "link %s", links[i][1]);
	}
	if (chmod("tmp", 01777) || chmod("var/tmp", 01777) || chmod("dev/shm", 01777))
		return err_sys(e, "make tmp");
	if (mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
		  "newinstance,ptmxmode=0666,mode=620"))
		return err_sys(e, "mount devpts");
	/* Before the host's is unmounted: the kernel allows a new one only beside another. */
	return mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)
		       ? fresh_proc_refused("mount proc", e)
		       : 0;
}

static int chamber_root_copy_all(const struct chamber_root *r, struct err *e)
{
	for (size_t i = 0; i < r->copy_count; i++) {
		const struct chamber_copy *c = &r->copies[i];
		auto_free char *parent = own_strdup(c->target);
		auto_fd int to = -1;
		ssize_t n;

		*strrchr(parent, '/') = '\0';
		if (chamber_root_make_dir(parent, e))
			return -1;
		to = open(c->target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (to < 0)
			return err_sys(e, "make %s", c->target);
		while ((n = sendfile(to, c->fd, NULL, 1u << 30)) > 0)
			;
		if (n < 0)
			return err_sys(e, "copy %s", c->target);
	}
	return 0;
}

int chamber_root_make(const struct chamber_root *r, struct err *e)
{
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("glovebox-chamber", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") ||
	    chdir(STAGE))
		return err_sys(e, "make a root for the build");
	if (chamber_root_make_own(e) || chamber_root_attach(r, e) || chamber_root_link_host(e) ||
	    chamber_root_copy_all(r, e))
		return -1;
	if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
		return err_sys(e, "enter the root of the build");
	return 0;
}
