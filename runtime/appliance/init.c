/*
 * init - the one file as the only program of a machine: what its kernel starts as /init.
 *
 * The kernel gives its words behind `--` to it, so `-- doctor` on its command line is `glovebox
 * doctor`. Here the file systems of the kernel are mounted first, and the machine is switched off
 * when the command has ended. The root of an initramfs cannot be left by pivot_root(2), which every
 * sandbox does, so it is mounted once more, on itself (as by switch_root(8), but nothing is
 * copied).
 *
 * Only pid 1 of a machine without a /proc, whose root is that of an initramfs, gets here: a
 * container has the one and lacks the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

#include "cli/command.h"

#define ROOT "/root"

/* The linker has these stand for main (-Wl,--wrap). */
int __real_main(int argc, char **argv);
/* A chroot in a pid namespace may lack a /proc, too; its root lies on what a machine runs from. */
static bool init_is_machine(void)
{
	struct statfs root;

	return getpid() == 1 && access("/proc/self", F_OK) && !statfs("/", &root) &&
	       (root.f_type == RAMFS_MAGIC || root.f_type == TMPFS_MAGIC);
}

int __wrap_main(int argc, char **argv);

static const struct {
	const char *type;
	const char *place;
	unsigned long flags;
	const char *options;
} mounts[] = {
	{"proc",     "/proc",          MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL        },
	{"sysfs",    "/sys",           MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL        },
	{"cgroup2",  "/sys/fs/cgroup", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL        },
	{"devtmpfs", "/dev",           MS_NOSUID | MS_NOEXEC,            "mode=0755" },
	{"tmpfs",    "/tmp",           MS_NOSUID | MS_NODEV,             "mode=01777"},
	{"tmpfs",    "/run",           MS_NOSUID | MS_NODEV,             "mode=0755" },
};

static int init_fail(const char *what, const char *place, struct err *e)
{
	return err_sys(e, "%s %s", what, place);
}

/* Every mount that follows is made on the new one. */
static int init_mount_root_again(struct err *e)
{
	if ((mkdir(ROOT, 0700) && errno != EEXIST) || mount("/", ROOT, NULL, MS_BIND, NULL) ||
	    chdir(ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		return init_fail("mount once more", "/", e);
	return 0;
}

static int init_mount_all(struct err *e)
{
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		const char *place = mounts[i].place;

		if ((mkdir(place, 0755) && errno != EEXIST) ||
		    mount(mounts[i].type, place, mounts[i].type, mounts[i].flags,
			  mounts[i].options))
			return init_fail("mount", place, e);
	}
	return 0;
}

/* The kernel has opened no console where the initramfs has no /dev/console. */
static int init_open_console(struct err *e)
{
	int fd = open("/dev/console", O_RDWR);

	for (int i = 0; i <= STDERR_FILENO && fd >= 0; i++)
		dup2(fd, i);
	if (fd > STDERR_FILENO)
		close(fd);
	return fd < 0 ? init_fail("open", "/dev/console", e) : 0;
}

static int init_raise_loopback(struct err *e)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int bad = fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request);

	if (fd >= 0)
		close(fd);
	return bad ? init_fail("bring up", "lo", e) : 0;
}

/* Whatever ends here is waited for; what is asked for is the status of our own child. */
static int init_wait_for(pid_t child)
{
	int status = 0;
	pid_t pid;

	do
		pid = wait(&status);
	while (pid != child && (pid > 0 || errno == EINTR));
	if (pid < 0)
		return EXIT_OURS;
	return process_exit_code(status);
}

/* The terminal's Ctrl-C reaches the command. */
static _Noreturn void init_command(int argc, char **argv)
{
	setsid();
	ioctl(STDIN_FILENO, TIOCSCTTY, 1);
	exit(__real_main(argc, argv));
}

static int init_run(int argc, char **argv)
{
	struct err e;
	pid_t child;

	if (init_mount_root_again(&e) || init_mount_all(&e) || init_open_console(&e) ||
	    init_raise_loopback(&e))
		return fail_with(&e);
	child = fork();
	if (child == 0)
		init_command(argc, argv);
	return child < 0 ? EXIT_OURS : init_wait_for(child);
}

int __wrap_main(int argc, char **argv)
{
	int status;

	if (!init_is_machine())
		return __real_main(argc, argv);
	status = init_run(argc, argv);
	printf("glovebox: exit status %d; the machine is switched off\n", status);
	fflush(stdout);
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT); /* nothing here can switch it off */
	return status;
}
