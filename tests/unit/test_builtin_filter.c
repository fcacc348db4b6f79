/*
 * test_builtin_filter - the shipped filter, loaded into the kernel, each time in a child of its
 * own.
 *
 * Each denied call is first made without the filter: the filter's answer proves something only if
 * the kernel's own answer differs. The arguments are chosen so that the call does no harm even as
 * root: bad pointers, bad descriptors, unknown flags. Where the kernel gives the same answer by
 * itself (to an ordinary user, or because it was built without the feature), a line says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seccomp/builtin_filter.h"
#include "under_valgrind.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define HIGH_BITS     0x100000000 /* bits that the kernel ignores in an int argument */
#define BAD           1L          /* a pointer to nothing */

enum { SUCCESS = 200, NO_FILTER, KILLED }; /* beside errno values, in an exit status */

static int load_filter(void)
{
	struct sock_fprog program;

	program.filter = (struct sock_filter *)builtin_filter(&program.len);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* Run `body` in a child. Returns what it returns, or KILLED if SIGSYS ended it. */
static int in_child(bool filtered, int (*body)(const void *argument), const void *argument)
{
	int status;
	pid_t pid;

	needs_no_valgrind("a filter meets the calls of valgrind itself");
	pid = fork();
	if (pid == 0) {
		if (filtered && load_filter())
			_exit(NO_FILTER);
		_exit(body(argument));
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return KILLED;
	if (!WIFEXITED(status))
		fail_msg("child ended by signal %d", WTERMSIG(status));
	assert_int_not_equal(WEXITSTATUS(status), NO_FILTER);
	return WEXITSTATUS(status);
}

struct call {
	const char *name;
	long number;
	int answer; /* an errno for denied calls */
	long args[6];
};

static int make_call(const void *argument)
{
	const struct call *c = argument;
	long result;

	errno = 0;
	result = syscall(c->number, c->args[0], c->args[1], c->args[2], c->args[3], c->args[4],
			 c->args[5]);
	if (result == -1)
		return errno;
	if (result == 0 && (c->number == SYS_clone))
		_exit(0); /* the child's child */
	return SUCCESS;
}

static void must_be_denied(const struct call *c)
{
	int with = in_child(true, make_call, c);
	int without = in_child(false, make_call, c);

	if (with != c->answer)
		fail_msg("%s: the filter answers %d (%s), not %s", c->name, with, strerror(with),
			 strerrorname_np(c->answer));
	if (without == with)
		print_message("    %s: %s here without the filter, too\n", c->name,
			      strerrorname_np(with));
}

static void must_be_allowed(const struct call *c)
{
	int with = in_child(true, make_call, c);
	int without = in_child(false, make_call, c);

	if (with != without || with == ENOSYS)
		fail_msg("%s: %d with the filter, %d without", c->name, with, without);
}

static void test_privileged_calls_are_not_permitted(void **state)
{
	static const struct call denied[] = {
		{"unshare",           SYS_unshare,           EPERM, {CLONE_NEWUSER}        },
		{"unshare of files",  SYS_unshare,           EPERM, {CLONE_FILES}          },
		{"setns",             SYS_setns,             EPERM, {-1}                   },
		{"chroot",            SYS_chroot,            EPERM, {BAD}                  },
		{"pivot_root",        SYS_pivot_root,        EPERM, {BAD, BAD}             },
		{"mount",             SYS_mount,             EPERM, {BAD, BAD, BAD}        },
		{"umount2",           SYS_umount2,           EPERM, {BAD, ~0}              },
		{"ptrace",            SYS_ptrace,            EPERM, {0}                    },
		{"process_vm_readv",  SYS_process_vm_readv,  EPERM, {-1, 0, 0, 0, 0, 1}    },
		{"process_vm_writev", SYS_process_vm_writev, EPERM, {-1, 0, 0, 0, 0, 1}    },
		{"process_madvise",   SYS_process_madvise,   EPERM, {-1, 0, 0, 0, 1}       },
		{"process_mrelease",  SYS_process_mrelease,  EPERM, {-1, 1}                },
		{"kcmp",              SYS_kcmp,              EPERM, {-1, -1, 99}           },
		{"pidfd_getfd",       SYS_pidfd_getfd,       EPERM, {-1, -1, 1}            },
		{"bpf",               SYS_bpf,               EPERM, {9999}                 },
		{"perf_event_open",   SYS_perf_event_open,   EPERM, {BAD, 0, 0, -1, ~0}    },
		{"userfaultfd",       SYS_userfaultfd,       EPERM, {0xff}                 },
		{"fanotify_init",     SYS_fanotify_init,     EPERM, {~0}                   },
		{"fanotify_mark",     SYS_fanotify_mark,     EPERM, {-1, ~0}               },
		{"vmsplice",          SYS_vmsplice,          EPERM, {-1, 0, 0, 0xff}       },
		{"name_to_handle_at", SYS_name_to_handle_at, EPERM, {-1, BAD, BAD, BAD, ~0}},
		{"open_by_handle_at", SYS_open_by_handle_at, EPERM, {-1, BAD, 0}           },
		{"quotactl",          SYS_quotactl,          EPERM, {~0}                   },
		{"quotactl_fd",       SYS_quotactl_fd,       EPERM, {-1, ~0}               },
		{"syncfs",            SYS_syncfs,            EPERM, {-1}                   },
		{"swapon",            SYS_swapon,            EPERM, {BAD, ~0}              },
		{"swapoff",           SYS_swapoff,           EPERM, {BAD}                  },
		{"acct",              SYS_acct,              EPERM, {BAD}                  },
		{"settimeofday",      SYS_settimeofday,      EPERM, {BAD}                  },
		{"adjtimex",          SYS_adjtimex,          EPERM, {BAD}                  },
		{"clock_settime",     SYS_clock_settime,     EPERM, {0, BAD}               },
		{"clock_adjtime",     SYS_clock_adjtime,     EPERM, {0, BAD}               },
		{"init_module",       SYS_init_module,       EPERM, {BAD, 1, BAD}          },
		{"finit_module",      SYS_finit_module,      EPERM, {-1, BAD, ~0}          },
		{"delete_module",     SYS_delete_module,     EPERM, {BAD, 0}               },
		{"kexec_load",        SYS_kexec_load,        EPERM, {0, 20000, BAD, ~0}    },
		{"kexec_file_load",   SYS_kexec_file_load,   EPERM, {-1, -1, 0, 0, ~0}     },
		{"reboot",            SYS_reboot,            EPERM, {0}                    },
		{"sethostname",       SYS_sethostname,       EPERM, {BAD, -1}              },
		{"setdomainname",     SYS_setdomainname,     EPERM, {BAD, -1}              },
		{"syslog",            SYS_syslog,            EPERM, {99}                   },
		{"ioprio_set",        SYS_ioprio_set,        EPERM, {99}                   },
		{"sched_setattr",     SYS_sched_setattr,     EPERM, {0, BAD, 1}            },
		{"capset",            SYS_capset,            EPERM, {BAD, BAD}             },
#ifdef __x86_64__
		{"modify_ldt",        SYS_modify_ldt,        EPERM, {99}                   },
		{"iopl",              SYS_iopl,              EPERM, {7}                    },
		{"ioperm",            SYS_ioperm,            EPERM, {70000, 1, 1}          },
#endif
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++)
		must_be_denied(&denied[i]);
}

static void test_absent_calls_answer_enosys(void **state)
{
	static const struct call denied[] = {
		{"clone3",                  SYS_clone3,                  ENOSYS, {BAD, 0}              },
		{"open_tree",               SYS_open_tree,               ENOSYS, {-1, BAD, ~0}         },
		{"move_mount",              SYS_move_mount,              ENOSYS, {-1, BAD, -1, BAD, ~0}},
		{"fsopen",                  SYS_fsopen,                  ENOSYS, {BAD, ~0}             },
		{"fsmount",                 SYS_fsmount,                 ENOSYS, {-1, ~0}              },
		{"fspick",                  SYS_fspick,                  ENOSYS, {-1, BAD, ~0}         },
		{"mount_setattr",           SYS_mount_setattr,           ENOSYS, {-1, BAD, ~0}         },
		{"io_uring_setup",          SYS_io_uring_setup,          ENOSYS, {0, BAD}              },
		{"io_uring_enter",          SYS_io_uring_enter,          ENOSYS, {-1, 0, 0, ~0}        },
		{"io_uring_register",       SYS_io_uring_register,       ENOSYS, {-1, ~0}              },
		{"io_setup",                SYS_io_setup,                ENOSYS, {0, BAD}              },
		{"shmget",                  SYS_shmget,                  ENOSYS, {0, 0, 0}             },
		{"semget",                  SYS_semget,                  ENOSYS, {0, -1, 0}            },
		{"msgctl",                  SYS_msgctl,                  ENOSYS, {-1, -1, BAD}         },
		{"mq_open",                 SYS_mq_open,                 ENOSYS, {BAD}                 },
		{"mbind",                   SYS_mbind,                   ENOSYS, {1, 1, ~0}            },
		{"set_mempolicy",           SYS_set_mempolicy,           ENOSYS, {~0}                  },
		{"get_mempolicy",           SYS_get_mempolicy,           ENOSYS, {0, 0, 0, 0, ~0}      },
		{"move_pages",              SYS_move_pages,              ENOSYS, {0, 0, 0, 0, 0, ~0}   },
		{"migrate_pages",           SYS_migrate_pages,           ENOSYS, {-1, 0, BAD, BAD}     },
		{"add_key",                 SYS_add_key,                 ENOSYS, {BAD, BAD}            },
		{"request_key",             SYS_request_key,             ENOSYS, {BAD, BAD}            },
		{"keyctl",                  SYS_keyctl,                  ENOSYS, {9999}                },
		{"seccomp",                 SYS_seccomp,                 ENOSYS, {99}                  },
		{"landlock_create_ruleset", SYS_landlock_create_ruleset, ENOSYS, {BAD, 0, ~0}          },
		{"memfd_secret",            SYS_memfd_secret,            ENOSYS, {0xff}                },
		{"pkey_alloc",              SYS_pkey_alloc,              ENOSYS, {0xff}                },
		{"execveat",                SYS_execveat,                ENOSYS, {-1, BAD, 0, 0, 0xff} },
		{"tee",                     SYS_tee,                     ENOSYS, {-1, -1, 0, 0xff}     },
		{"remap_file_pages",        SYS_remap_file_pages,        ENOSYS, {1, 1, 1, 1, 1}       },
		{"futex_waitv",             449,                         ENOSYS, {0, 0, ~0}            },
		{"cachestat",               451,                         ENOSYS, {-1, BAD, BAD, ~0}    },
		{"fchmodat2",               452,                         ENOSYS, {-1, BAD, 0, ~0}      },
		{"statmount",               457,                         ENOSYS, {BAD, BAD, 0, ~0}     },
		{"listmount",               458,                         ENOSYS, {BAD, BAD, 0, ~0}     },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++)
		must_be_denied(&denied[i]);
}

static void test_everyday_calls_do_what_they_do_without_the_filter(void **state)
{
	static const struct call allowed[] = {
		{"getpid",            SYS_getpid,            0, {0}                            },
		{"openat",            SYS_openat,            0, {AT_FDCWD, (long)"/", O_RDONLY}},
		{"read",              SYS_read,              0, {-1}                           },
		{"execve",            SYS_execve,            0, {(long)"/nonexistent"}         },
		{"fork by clone",     SYS_clone,             0, {SIGCHLD}                      },
		{"vfork by clone",    SYS_clone,             0, {CLONE_VFORK | SIGCHLD}        },
		{"kill",              SYS_kill,              0, {0, 0}                         },
		{"getxattr",          SYS_getxattr,          0, {(long)"/", (long)"user.x"}    },
		{"sched_setaffinity", SYS_sched_setaffinity, 0, {0, 0, BAD}                    },
		{"setuid",            SYS_setuid,            0, {12345}                        },
		{"memfd_create",      SYS_memfd_create,      0, {(long)"x", 0}                 },
		{"prlimit64",         SYS_prlimit64,         0, {0, 4}                         },
		{"pidfd_open",        SYS_pidfd_open,        0, {-1}                           },
 /* The calls that our own pid 1 makes. */
		{"wait4",             SYS_wait4,             0, {-1, 0, 1}                     },
		{"waitid",            SYS_waitid,            0, {0, 0, 0, 5}                   },
		{"ppoll",             SYS_ppoll,             0, {0, 0, BAD}                    },
		{"signalfd4",         SYS_signalfd4,         0, {-1, BAD, 8}                   },
		{"rt_sigtimedwait",   SYS_rt_sigtimedwait,   0, {BAD, 0, 0, 8}                 },
		{"rt_sigprocmask",    SYS_rt_sigprocmask,    0, {0, 0, 0, 8}                   },
		{"sendmsg",           SYS_sendmsg,           0, {-1}                           },
		{"recvmsg",           SYS_recvmsg,           0, {-1}                           },
		{"close",             SYS_close,             0, {-1}                           },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(allowed); i++)
		must_be_allowed(&allowed[i]);
}

static void test_extended_attributes_are_not_written(void **state)
{
	static const struct call denied[] = {
		{"setxattr",    SYS_setxattr,    EOPNOTSUPP, {BAD, BAD, BAD, 0, 0xff}},
		{"fsetxattr",   SYS_fsetxattr,   EOPNOTSUPP, {-1, BAD, BAD, 0, 0xff} },
		{"removexattr", SYS_removexattr, EOPNOTSUPP, {BAD, BAD}              },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++)
		must_be_denied(&denied[i]);
}

static void test_clone_makes_no_namespace(void **state)
{
	static const int flags[] = {
		CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
		CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET,
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(flags); i++) {
		struct call c = {"clone", SYS_clone, EPERM, {flags[i] | SIGCHLD}};
		struct call high = {
			"clone, high bits", SYS_clone, EPERM, {flags[i] | SIGCHLD | HIGH_BITS}};

		must_be_denied(&c);
		must_be_denied(&high);
	}
}

static void test_device_nodes_are_not_made(void **state)
{
	static const struct call denied[] = {
		{"mknodat, character", SYS_mknodat, EPERM, {-1, BAD, S_IFCHR | 0600, 259}     },
		{"mknodat, block",     SYS_mknodat, EPERM, {-1, BAD, S_IFBLK | 0600, 259}     },
		{"mknodat, high bits", SYS_mknodat, EPERM, {-1, BAD, S_IFCHR | HIGH_BITS, 259}},
		{"mknodat, 17th bit",  SYS_mknodat, EPERM, {-1, BAD, S_IFCHR | 0x10000, 259}  },
	};
	static const struct call allowed[] = {
		{"mknodat, file",      SYS_mknodat, 0, {-1, (long)"x", 0600}               },
		{"mknodat, fifo",      SYS_mknodat, 0, {-1, (long)"x", S_IFIFO | 0600}     },
		{"mknodat, socket",    SYS_mknodat, 0, {-1, (long)"x", S_IFSOCK | 0600}    },
		{"mknodat, high bits", SYS_mknodat, 0, {-1, (long)"x", S_IFREG | HIGH_BITS}},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++)
		must_be_denied(&denied[i]);
	for (size_t i = 0; i < LENGTH(allowed); i++)
		must_be_allowed(&allowed[i]);
}

static void test_set_uid_files_are_not_made(void **state)
{
	static const struct call denied[] = {
		{"fchmod, set-uid",   SYS_fchmod,   EPERM,  {-1, 04755}                          },
		{"fchmod, set-gid",   SYS_fchmod,   EPERM,  {-1, 02755}                          },
		{"fchmod, high bits", SYS_fchmod,   EPERM,  {-1, 04755 | HIGH_BITS}              },
		{"fchmodat, set-uid", SYS_fchmodat, EPERM,  {-1, BAD, 04755}                     },
		{"openat, O_CREAT",   SYS_openat,   EPERM,  {-1, BAD, O_CREAT, 04755}            },
		{"openat, O_TMPFILE", SYS_openat,   EPERM,  {-1, BAD, O_TMPFILE | O_RDWR, 02755} },
		{"openat, high bits", SYS_openat,   EPERM,  {-1, BAD, O_CREAT | HIGH_BITS, 04755}},
		{"mknodat, set-uid",  SYS_mknodat,  EPERM,  {-1, BAD, S_IFREG | 04755}           },
		{"openat2",           SYS_openat2,  ENOSYS, {-1, BAD, BAD, 0}                    },
#ifdef __x86_64__
		{"open, O_CREAT",     SYS_open,     EPERM,  {BAD, O_CREAT, 04755}                },
		{"creat, set-uid",    SYS_creat,    EPERM,  {BAD, 04755}                         },
		{"chmod, set-uid",    SYS_chmod,    EPERM,  {BAD, 04755}                         },
#endif
	};
	static const struct call allowed[] = {
		{"fchmod",          SYS_fchmod,   0, {-1, 01777}                        },
		{"fchmodat",        SYS_fchmodat, 0, {-1, BAD, 0777}                    },
		{"openat, O_CREAT", SYS_openat,   0, {-1, BAD, O_CREAT, 0666}           },
 /* Where no file is created, the mode is whatever the register held. */
		{"openat, no mode", SYS_openat,   0, {AT_FDCWD, (long)"/", O_RDONLY, ~0}},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++)
		must_be_denied(&denied[i]);
	for (size_t i = 0; i < LENGTH(allowed); i++)
		must_be_allowed(&allowed[i]);
}

/* One call on a new terminal of the child's own. */
static int ioctl_on_terminal(const void *argument)
{
	const struct call *c = argument;
	int terminal = (int)c->args[0];
	int byte = 'x';

	setsid();
	ioctl(terminal, TIOCSCTTY, 0);
	if (syscall(SYS_ioctl, terminal, c->args[1], c->args[2] ? (long)&byte : 0) == -1)
		return errno;
	return SUCCESS;
}

static void test_terminal_input_cannot_be_faked(void **state)
{
	static const long commands[] = {TIOCSTI, TIOCLINUX, TIOCSETD, 0x12345};
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int terminal;

	(void)state;
	if (master < 0 || grantpt(master) || unlockpt(master)) {
		printf("cannot: no terminal can be made here\n");
		skip();
	}
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(terminal >= 0);
	for (size_t i = 0; i < LENGTH(commands); i++) {
		struct call c = {
			"ioctl", SYS_ioctl, EPERM, {terminal, commands[i], 1}
                };
		int without = in_child(false, ioctl_on_terminal, &c);

		if (without == EPERM)
			print_message("    ioctl %#lx: EPERM without the filter, too\n", c.args[1]);
		assert_int_equal(in_child(true, ioctl_on_terminal, &c), EPERM);
		c.args[1] |= HIGH_BITS;
		assert_int_equal(in_child(false, ioctl_on_terminal, &c), without);
		assert_int_equal(in_child(true, ioctl_on_terminal, &c), EPERM);
	}
	struct call get = {
		"ioctl", SYS_ioctl, 0, {terminal, FIONREAD | HIGH_BITS, 1}
        };

	assert_int_equal(in_child(true, ioctl_on_terminal, &get), SUCCESS);
	close(terminal);
	close(master);
}

static int socket_refusal(int family, int protocol)
{
	if (family != AF_NETLINK)
		return EPERM;
	if (protocol == NETLINK_ROUTE)
		return EOPNOTSUPP;
	return protocol % 32 ? EPROTONOSUPPORT : EPERM;
}

static bool socket_is_allowed(int family, int type, int protocol)
{
	if (family == AF_UNIX)
		return type == SOCK_STREAM || type == SOCK_DGRAM || type == SOCK_SEQPACKET;
	if (family != AF_INET && family != AF_INET6)
		return false;
	return (type == SOCK_STREAM && (protocol == 0 || protocol == IPPROTO_TCP)) ||
	       (type == SOCK_DGRAM && (protocol == 0 || protocol == IPPROTO_UDP));
}

/*
 * Try every combination of a small space, with flags and high bits. Prints and counts the wrong
 * answers.
 */
static int try_all_sockets(const void *argument)
{
	static const int protocols[] = {0, 1, 2, 4, 6, 17, 33, 58, 132, 136, 255, 256, 262};
	static const long extra[] = {0, SOCK_CLOEXEC | SOCK_NONBLOCK, HIGH_BITS | SOCK_CLOEXEC};
	int wrong = 0;

	(void)argument;
	for (int family = 0; family < 50; family++) {
		for (int i = 0; i < 11 * (int)LENGTH(protocols) * (int)LENGTH(extra); i++) {
			int protocol = protocols[i % (int)LENGTH(protocols)];
			long flags = extra[i / (int)LENGTH(protocols) % (int)LENGTH(extra)];
			int type = i / (int)(LENGTH(protocols) * LENGTH(extra));
			long high = flags & HIGH_BITS;
			long fd = syscall(SYS_socket, family | high, type | flags, protocol | high);
			bool denied = fd < 0 && errno == socket_refusal(family, protocol);

			if (fd >= 0)
				close((int)fd);
			if (denied == socket_is_allowed(family, type, protocol)) {
				fprintf(stderr, "socket(%d, %d, %d): wrongly %s\n", family, type,
					protocol, denied ? "denied" : "allowed");
				wrong++;
			}
		}
	}
	return wrong > 100 ? 100 : wrong;
}

static void test_only_unix_tcp_and_udp_sockets_open(void **state)
{
	static const struct call reachable[] = {
		{"netlink of routes",  SYS_socket,     EOPNOTSUPP,      {AF_NETLINK, SOCK_RAW, 0}          },
		{"netlink of audit",   SYS_socket,     EPROTONOSUPPORT, {AF_NETLINK, SOCK_RAW, 9}          },
		{"netlink, high bits",
		 SYS_socket,			   EPROTONOSUPPORT,
		 {AF_NETLINK | HIGH_BITS, SOCK_RAW, 16}                                                    },
		{"vsock",              SYS_socket,     EPERM,           {AF_VSOCK, SOCK_STREAM, 0}         },
		{"alg",                SYS_socket,     EPERM,           {AF_ALG, SOCK_SEQPACKET, 0}        },
		{"packet",             SYS_socket,     EPERM,           {AF_PACKET, SOCK_RAW, 0}           },
		{"raw",                SYS_socket,     EPERM,           {AF_INET, SOCK_RAW, IPPROTO_ICMP}  },
		{"ping",               SYS_socket,     EPERM,           {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}},
		{"MPTCP",              SYS_socket,     EPERM,           {AF_INET, SOCK_STREAM, 262}        },
		{"SCTP",               SYS_socket,     EPERM,           {AF_INET, SOCK_STREAM, 132}        },
		{"UDP-Lite",           SYS_socket,     EPERM,           {AF_INET, SOCK_DGRAM, 136}         },
		{"SMC",                SYS_socket,     EPERM,           {43, SOCK_STREAM, 0}               },
		{"socketpair, TIPC",   SYS_socketpair, EPERM,           {30, SOCK_STREAM, 0, BAD}          },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(reachable); i++)
		must_be_denied(&reachable[i]);
	assert_int_equal(in_child(true, try_all_sockets, NULL), 0);
}

static int set_option(const void *argument)
{
	const struct call *c = argument;
	int fd = socket(c->args[0] == 41 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
	long one[2] = {1, 0};

	if (syscall(SYS_setsockopt, fd, c->args[0], c->args[1], one, sizeof(one)) == -1)
		return errno;
	return SUCCESS;
}

static void test_socket_options_that_reach_deep_are_denied(void **state)
{
	static const struct call denied[] = {
		{"TCP_ULP",            0, EPERM, {6, 31}                        },
		{"TCP_ULP, high bits", 0, EPERM, {6 | HIGH_BITS, 31 | HIGH_BITS}},
		{"SO_ATTACH_FILTER",   0, EPERM, {1, 26}                        },
		{"SO_ATTACH_BPF",      0, EPERM, {1, 50}                        },
		{"SO_ZEROCOPY",        0, EPERM, {1, 60}                        },
		{"IPT_SO_SET_REPLACE", 0, EPERM, {0, 64}                        },
		{"IPV6_ADDRFORM",      0, EPERM, {41, 1}                        },
		{"SOL_TLS",            0, EPERM, {282, 1}                       },
		{"TCP_MD5SIG",         0, EPERM, {6, 14}                        },
		{"TCP_CONGESTION",     0, EPERM, {6, 13}                        },
		{"TCP_FASTOPEN",       0, EPERM, {6, 23}                        },
		{"SO_NO_CHECK",        0, EPERM, {1, 11}                        },
	};
	static const struct call allowed[] = {
		{"SO_REUSEADDR",     0, 0, {1, 2}  },
                {"SO_REUSEPORT",     0, 0, {1, 15} },
		{"SO_RCVTIMEO",      0, 0, {1, 20} },
                {"TCP_NODELAY",      0, 0, {6, 1}  },
		{"TCP_KEEPIDLE",     0, 0, {6, 4}  },
                {"TCP_USER_TIMEOUT", 0, 0, {6, 18} },
		{"IP_TOS",           0, 0, {0, 1}  },
                {"IP_RECVERR",       0, 0, {0, 11} },
		{"SO_BROADCAST",     0, 0, {1, 6}  },
                {"SO_SNDBUF",        0, 0, {1, 7}  },
		{"SO_KEEPALIVE",     0, 0, {1, 9}  },
                {"SO_PRIORITY",      0, 0, {1, 12} },
		{"TCP_CORK",         0, 0, {6, 3}  },
                {"TCP_QUICKACK",     0, 0, {6, 12} },
		{"IP_MTU_DISCOVER",  0, 0, {0, 10} },
                {"IPV6_V6ONLY",      0, 0, {41, 26}},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++) {
		assert_int_equal(in_child(true, set_option, &denied[i]), EPERM);
		if (in_child(false, set_option, &denied[i]) == EPERM)
			print_message("    %s: EPERM without the filter, too\n", denied[i].name);
	}
	for (size_t i = 0; i < LENGTH(allowed); i++) {
		if (in_child(true, set_option, &allowed[i]) != SUCCESS)
			fail_msg("%s is denied", allowed[i].name);
	}
}

/* What programs of the Python stack ask for, beside what is closed (policy/README.md). */
static void test_what_is_needed_of_restricted_calls_is_allowed(void **state)
{
	static const struct call allowed[] = {
		{"sendto",                 SYS_sendto,             0, {-1, 0, 0, MSG_NOSIGNAL}       },
		{"sendmsg",                SYS_sendmsg,            0, {-1, BAD, MSG_DONTWAIT}        },
		{"recvfrom",               SYS_recvfrom,           0, {-1, 0, 0, MSG_PEEK}           },
		{"recvmsg",                SYS_recvmsg,            0, {-1, BAD, MSG_CMSG_CLOEXEC}    },
		{"recvmmsg",               SYS_recvmmsg,           0, {-1, BAD, 1, MSG_WAITFORONE}   },
		{"futex, wake",            SYS_futex,              0, {BAD, 1 | 128, 1}              },
		{"futex, wait by clock",   SYS_futex,              0, {0, 9 | 128 | 256, 0, 0, 0, ~0}},
		{"futex, requeue",         SYS_futex,              0, {0, 4, 1, 0, BAD, 0}           },
		{"madvise, DONTNEED",      SYS_madvise,            0, {0, 0, 4}                      },
		{"madvise, FREE",          SYS_madvise,            0, {0, 0, 8}                      },
		{"madvise, HUGEPAGE",      SYS_madvise,            0, {0, 0, 14}                     },
		{"madvise, DONTDUMP",      SYS_madvise,            0, {0, 0, 16}                     },
		{"madvise, POPULATE",      SYS_madvise,            0, {0, 0, 23}                     },
		{"madvise, GUARD_INSTALL", SYS_madvise,            0, {0, 0, 102}                    },
		{"madvise, high bits",     SYS_madvise,            0, {0, 0, 4 | HIGH_BITS}          },
		{"timer_create",           SYS_timer_create,       0, {1, BAD, BAD}                  },
		{"timer of the boot time", SYS_timer_create,       0, {7, BAD, BAD}                  },
		{"clock_nanosleep",        SYS_clock_nanosleep,    0, {1, 0, BAD}                    },
		{"membarrier, query",      SYS_membarrier,         0, {0, 0}                         },
		{"membarrier, register",   SYS_membarrier,         0, {16, 0}                        },
		{"fallocate",              SYS_fallocate,          0, {-1, 0, 0, 1}                  },
		{"fallocate, a hole",      SYS_fallocate,          0, {-1, 3, 0, 1}                  },
		{"fadvise64, sequential",  SYS_fadvise64,          0, {-1, 0, 0, 2}                  },
		{"fcntl, F_DUPFD_CLOEXEC", SYS_fcntl,              0, {-1, F_DUPFD_CLOEXEC}          },
		{"fcntl, F_OFD_SETLK",     SYS_fcntl,              0, {-1, 37}                       },
		{"fcntl, F_SETPIPE_SZ",    SYS_fcntl,              0, {-1, 1031, 4096}               },
		{"fcntl, F_ADD_SEALS",     SYS_fcntl,              0, {-1, 1033}                     },
		{"fcntl, F_SETOWN",        SYS_fcntl,              0, {-1, 8}                        },
		{"sched_setscheduler",     SYS_sched_setscheduler, 0, {0, SCHED_OTHER, BAD}          },
		{"SCHED_RESET_ON_FORK",    SYS_sched_setscheduler, 0, {0, SCHED_BATCH | 1 << 30, BAD}},
		{"mmap",                   SYS_mmap,               0, {0, 1, 0, 0x22, -1}            },
		{"memfd_create",           SYS_memfd_create,       0, {BAD, 3}                       },
		{"IP_MULTICAST_TTL",       SYS_setsockopt,         0, {-1, 0, 33, BAD, 4}            },
		{"sequenced packets",      SYS_socketpair,         0, {AF_UNIX, SOCK_SEQPACKET, 0, 1}},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(allowed); i++)
		must_be_allowed(&allowed[i]);
}

static void test_prctl_and_personality_are_lists(void **state)
{
	static const struct call denied[] = {
		{"PR_SET_MM",               SYS_prctl,       EPERM, {35, 99}             },
		{"PR_SET_SECCOMP",          SYS_prctl,       EPERM, {22, 99}             },
		{"PR_SET_SPECULATION_CTRL", SYS_prctl,       EPERM, {53, 99}             },
		{"PR_SET_MEMORY_MERGE",     SYS_prctl,       EPERM, {67, 99}             },
		{"PR_SCHED_CORE",           SYS_prctl,       EPERM, {62, 99}             },
		{"an unknown option",       SYS_prctl,       EPERM, {0x777}              },
		{"READ_IMPLIES_EXEC",       SYS_personality, EPERM, {0x400000}           },
		{"ADDR_NO_RANDOMIZE",       SYS_personality, EPERM, {0x40000}            },
		{"... with high bits",      SYS_personality, EPERM, {0x40000 | HIGH_BITS}},
	};
	static const struct call allowed[] = {
		{"PR_GET_DUMPABLE",        SYS_prctl,       0, {3}            },
		{"PR_SET_NAME",            SYS_prctl,       0, {15, (long)"x"}},
		{"PR_SET_PDEATHSIG",       SYS_prctl,       0, {1, 9}         },
		{"PR_SET_NO_NEW_PRIVS",    SYS_prctl,       0, {38, 1}        },
		{"personality, PER_LINUX", SYS_personality, 0, {0}            },
		{"personality, query",     SYS_personality, 0, {0xffffffff}   },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++)
		must_be_denied(&denied[i]);
	for (size_t i = 0; i < LENGTH(allowed); i++)
		must_be_allowed(&allowed[i]);
}

#ifdef __x86_64__
static int call_as_i386(const void *argument)
{
	long result;

	(void)argument;
	/* the number of getpid on i386 */
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(20L)
			 : "memory", "r8", "r9", "r10", "r11");
	return result > 0 ? SUCCESS : ENOSYS;
}

static void test_i386_calls_are_killed(void **state)
{
	(void)state;
	assert_int_equal(in_child(true, call_as_i386, NULL), KILLED);
	assert_int_equal(in_child(false, call_as_i386, NULL), SUCCESS);
}

static void test_x32_numbers_are_killed(void **state)
{
	(void)state;
	for (long number = 0; number < 600; number += 13) {
		struct call c = {
			"x32", 0x40000000 | number, 0, {-1, BAD, BAD, BAD, BAD, BAD}
                };

		assert_int_equal(in_child(true, make_call, &c), KILLED);
	}
	struct call c = {"x32 execve", 0x40000000 | 520, 0, {-1}};

	assert_int_equal(in_child(true, make_call, &c), KILLED);
}

static void test_arch_prctl_is_a_list(void **state)
{
	static const struct call denied[] = {
		{"ARCH_SET_CPUID",    SYS_arch_prctl, EPERM, {0x1012, 1}  },
		{"ARCH_MAP_VDSO_X32", SYS_arch_prctl, EPERM, {0x2001, BAD}},
		{"ARCH_SHSTK_ENABLE", SYS_arch_prctl, EPERM, {0x5001, 0}  },
	};
	static const struct call allowed[] = {
		{"ARCH_GET_FS",         SYS_arch_prctl, 0, {0x1003, BAD}},
		{"ARCH_GET_XCOMP_SUPP", SYS_arch_prctl, 0, {0x1021, BAD}},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(denied); i++)
		must_be_denied(&denied[i]);
	for (size_t i = 0; i < LENGTH(allowed); i++)
		must_be_allowed(&allowed[i]);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_privileged_calls_are_not_permitted),
		cmocka_unit_test(test_absent_calls_answer_enosys),
		cmocka_unit_test(test_everyday_calls_do_what_they_do_without_the_filter),
		cmocka_unit_test(test_extended_attributes_are_not_written),
		cmocka_unit_test(test_clone_makes_no_namespace),
		cmocka_unit_test(test_device_nodes_are_not_made),
		cmocka_unit_test(test_set_uid_files_are_not_made),
		cmocka_unit_test(test_terminal_input_cannot_be_faked),
		cmocka_unit_test(test_only_unix_tcp_and_udp_sockets_open),
		cmocka_unit_test(test_socket_options_that_reach_deep_are_denied),
		cmocka_unit_test(test_what_is_needed_of_restricted_calls_is_allowed),
		cmocka_unit_test(test_prctl_and_personality_are_lists),
#ifdef __x86_64__
		cmocka_unit_test(test_i386_calls_are_killed),
		cmocka_unit_test(test_x32_numbers_are_killed),
		cmocka_unit_test(test_arch_prctl_is_a_list),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
