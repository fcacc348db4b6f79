/*
 * dockerfile_run - execute the program of RUN in the root of the build, and let it see nothing
 * else.
 *
 * We mount the chamber's /dev and /proc, /etc/hosts, and with a network /etc/resolv.conf into the
 * root, so they leave no files. Then it becomes the root of the mount namespace, without the host's
 * files of a chamber. The program has docker's capabilities over the chamber's namespaces, but none
 * over its network; its user namespace has ids that no user of the host has.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/io.h"
#include "base/own.h"
#include "dockerfile_tasks.h"
#include "fs/resolve.h"
#include "image/image_user.h"
#include "root/root_ca.h"
#include "root/root_plan.h"
#include "rootfs/archive/place.h"

#define CAP(name) (UINT64_C(1) << CAP_##name)
#define KEPT                                                                                       \
	(CAP(CHOWN) | CAP(DAC_OVERRIDE) | CAP(FOWNER) | CAP(FSETID) | CAP(KILL) | CAP(SETGID) |    \
	 CAP(SETUID) | CAP(SETPCAP) | CAP(SETFCAP) | CAP(SYS_CHROOT) | CAP(NET_BIND_SERVICE) |     \
	 CAP(MKNOD) | CAP(AUDIT_WRITE))

#define CA_FILE "/dev/ca.pem" /* of the chamber: it leaves no file in the root */
#define HOSTS   "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n"

/* Open a directory of the root, made if missing. Owned. */
static int dockerfile_run_place(int root_fd, const char *below, struct err *e)
{
	auto_free char *path = own_strdup(below);
	int fd = place_open(root_fd, path, true);

	return fd < 0 ? err_sys(e, "make /%.300s", below) : fd;
}

static int dockerfile_run_mount(int root_fd, const char *below, const char *source,
				const char *type, unsigned long flags, const char *options,
				struct err *e)
{
	auto_fd int fd = dockerfile_run_place(root_fd, below, e);
	struct stat root;
	struct stat st;

	if (fd < 0)
		return -1;
	/* A mount over the root would hide it from pivot_root(2), and leave us outside. */
	if (fstat(root_fd, &root) || fstat(fd, &st))
		return err_sys(e, "stat /%.300s", below);
	if (st.st_dev == root.st_dev && st.st_ino == root.st_ino)
		return err_input(e, "/%.300s leads to the root itself", below);
	return mount(source, fd_path(fd).text, type, flags, options)
		       ? err_sys(e, "mount /%.300s", below)
		       : 0;
}

/* Open a file below /etc, made if missing; follow a link within the root. Owned. */
static int dockerfile_run_file(int root_fd, const char *name, struct err *e)
{
	auto_free char *below = own_printf("etc/%s", name);
	auto_fd int etc = -1;
	auto_fd int made = -1;
	int fd = resolve_open(root_fd, below, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);

	if (fd >= 0)
		return fd;
	etc = dockerfile_run_place(root_fd, "etc", e);
	if (etc < 0)
		return -1;
	/* A dangling link. */
	(void)unlinkat(etc, name, 0);
	made = openat(etc, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	fd = made < 0 ? -1 : openat(etc, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "make /etc/%s", name) : fd;
}

/* @source: a file of the chamber's own, made here */
static int dockerfile_run_cover(int root_fd, const char *name, const char *source, const char *text,
				struct err *e)
{
	auto_fd int place = dockerfile_run_file(root_fd, name, e);
	auto_fd int file = -1;

	if (place < 0)
		return -1;
	file = open(source, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (file < 0 || io_write_all(file, text, strlen(text)) ||
	    mount(source, fd_path(place).text, NULL, MS_BIND, NULL))
		return err_sys(e, "mount /etc/%s", name);
	return 0;
}

static int dockerfile_run_mount_all(int root_fd, const struct plan_run *run, struct err *e)
{
	if (dockerfile_run_mount(root_fd, "dev", "/dev", NULL, MS_BIND | MS_REC, NULL, e) ||
	    dockerfile_run_mount(root_fd, "proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
				 NULL, e) ||
	    dockerfile_run_cover(root_fd, "hosts", "/tmp/hosts", HOSTS, e))
		return -1;
	for (size_t i = 0; i < run->empty.count; i++) {
		if (dockerfile_run_mount(root_fd, run->empty.items[i] + 1, "empty", "tmpfs",
					 MS_NOSUID | MS_NODEV, "mode=1777", e))
			return -1;
	}
	return run->egress ? dockerfile_run_cover(root_fd, "resolv.conf", "/tmp/resolv",
						  ROOT_PLAN_RESOLVER, e)
			   : 0;
}

static int dockerfile_run_make_directories(int root_fd, const struct plan_step *step, struct err *e)
{
	auto_fd int workdir = -1;

	for (size_t i = 0; i < step->directories.count; i++) {
		auto_fd int fd = dockerfile_run_place(root_fd, step->directories.items[i] + 1, e);

		if (fd < 0)
			return -1;
	}
	workdir = dockerfile_run_place(root_fd, step->run.workdir + 1, e);
	return workdir < 0 ? -1 : 0;
}

/* The old root is unreachable then, with all of the host's files that a chamber shows. */
static int dockerfile_run_enter(int root_fd, const char *workdir, struct err *e)
{
	if (fchdir(root_fd) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) ||
	    chdir("/"))
		return err_sys(e, "enter the root of the build");
	return chdir(workdir) ? err_sys(e, "change to %.300s", workdir) : 0;
}

static int dockerfile_run_become(const struct image_user *user, struct err *e)
{
	for (int cap = 0; cap < 64; cap++) {
		if (!(KEPT >> cap & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EINVAL)
			return err_sys(e, "drop capability %d", cap);
	}
	if (setgroups(0, NULL) || setresgid(user->gid, user->gid, user->gid) ||
	    setresuid(user->uid, user->uid, user->uid))
		return err_sys(e, "become user %u:%u, which must be below 65536", user->uid,
			       user->gid);
	umask(022);
	return 0;
}

static int dockerfile_run_write_ca(const struct image *image, const char *ca, struct err *e)
{
	auto_fd int fd = -1;
	auto_buf struct buf text = {0};

	if (!ca)
		return 0;
	if (root_ca_text(image, ca, &text, e))
		return err_prefix(e, "--ca");
	fd = open(CA_FILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd < 0 || io_write_all(fd, text.data, text.length)
		       ? err_sys(e, "write the certificates of --ca")
		       : 0;
}

/* execvp() searches PATH for the program. */
static void dockerfile_run_set_environment(const struct plan_run *run,
					   const struct image_user *user)
{
	clearenv();
	setenv("HOME", user->home && *user->home ? user->home : "/", 1);
	for (const char *const *p = root_ca_variables; run->ca && *p; p++) {
		auto_free char *name = own_strndup(*p, strcspn(*p, "="));

		setenv(name, CA_FILE, 1);
	}
	for (size_t i = 0; i < run->env.count; i++)
		putenv(run->env.items[i]);
}

static int dockerfile_run_execute(const struct list *words, struct err *e)
{
	char **argv = own_zeroed(words->count + 1, sizeof(*argv));

	for (size_t i = 0; i < words->count; i++)
		argv[i] = words->items[i];
	execvp(argv[0], argv);
	err_sys(e, "execute %.300s", argv[0]);
	free(argv);
	return -1;
}

int dockerfile_task_run(const void *task, struct err *e)
{
	const struct dockerfile_task *t = task;
	const struct plan_run *run = &t->step->run;
	struct image image = {.reference = (char *)"of the build"};
	auto_image_user struct image_user user = {0};
	auto_fd int root_fd = -1;

	if (mount(t->root, t->root, NULL, MS_BIND | MS_REC, NULL))
		return err_sys(e, "mount the root of the build");
	root_fd = open(t->root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (root_fd < 0)
		return err_sys(e, "open the root of the build");
	image.root_fd = root_fd;
	if (image_user_find(&image, *run->user ? run->user : "0", &user, e) ||
	    dockerfile_run_make_directories(root_fd, t->step, e) ||
	    dockerfile_run_write_ca(&image, run->ca, e) ||
	    dockerfile_run_mount_all(root_fd, run, e) ||
	    dockerfile_run_enter(root_fd, run->workdir, e) || dockerfile_run_become(&user, e))
		return -1;
	dockerfile_run_set_environment(run, &user);
	return dockerfile_run_execute(&run->argv, e);
}
