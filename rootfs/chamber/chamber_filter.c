/*
 * chamber_filter - refuse a few system calls to the programs of a chamber.
 */
#include "chamber_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "glovebox runs on x86_64 and arm64"
#endif

#define X32 0x40000000u

/* Test only the lower halves of arguments: both architectures are little-endian. */
#define FIELD(name)        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define JUMP(op, k, t, f)  BPF_JUMP(BPF_JMP | (op) | BPF_K, k, t, f)
#define ANSWER(x)          BPF_STMT(BPF_RET | BPF_K, x)
#define REFUSE(n)          ANSWER(SECCOMP_RET_ERRNO | (n))
#define NO_CALL(number, n) JUMP(BPF_JEQ, number, 0, 1), REFUSE(n)

/* A killed pid 1 needs a CPU to die: its scheduling cannot be changed. */
#define NOT_FOR_ONE(number, argument)                                                              \
	JUMP(BPF_JEQ, number, 0, 4), FIELD(args[argument]), JUMP(BPF_JEQ, 1, 0, 1), REFUSE(EPERM), \
		ANSWER(SECCOMP_RET_ALLOW)
#define NOT_FOR_ONE_OR_USER(number, user)                                                          \
	JUMP(BPF_JEQ, number, 0, 6), FIELD(args[0]), JUMP(BPF_JEQ, user, 2, 0), FIELD(args[1]),    \
		JUMP(BPF_JEQ, 1, 0, 1), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)
#define IOPRIO_WHO_USER 3 /* ioprio_set(2) */

int chamber_filter_apply(bool network, struct err *e)
{
	struct sock_filter code[] = {
		FIELD(arch),
		JUMP(BPF_JEQ, NATIVE, 1, 0),
		REFUSE(ENOSYS),
		FIELD(nr),
		JUMP(BPF_JGE, X32, 0, 1),
		REFUSE(ENOSYS),
		NO_CALL(__NR_io_uring_setup, ENOSYS),
		NO_CALL(__NR_mount_setattr, ENOSYS),
		NO_CALL(__NR_fspick, ENOSYS),
		NOT_FOR_ONE(__NR_sched_setscheduler, 0),
		NOT_FOR_ONE(__NR_sched_setparam, 0),
		NOT_FOR_ONE(__NR_sched_setattr, 0),
		NOT_FOR_ONE(__NR_sched_setaffinity, 0),
		NOT_FOR_ONE(__NR_prlimit64, 0),
		NOT_FOR_ONE_OR_USER(__NR_setpriority, PRIO_USER),
		NOT_FOR_ONE_OR_USER(__NR_ioprio_set, IOPRIO_WHO_USER),
		JUMP(BPF_JEQ, __NR_mount, 0, 4),
		FIELD(args[3]),
		JUMP(BPF_JSET, MS_REMOUNT, 0, 1),
		REFUSE(EPERM),
		ANSWER(SECCOMP_RET_ALLOW),
		JUMP(BPF_JEQ, __NR_socket, 0, 3),
		FIELD(args[0]),
		JUMP(BPF_JEQ, network ? AF_UNIX : UINT32_MAX, 0, 1),
		REFUSE(EAFNOSUPPORT),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
		       ? err_sys(e, "load the filter of system calls")
		       : 0;
}
