/*
 * unix_filter - no sockets of Unix for a step that has the host's network.
 */
#include "unix_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "glovebox runs on x86_64 and arm64"
#endif

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define ANSWER(x)   BPF_STMT(BPF_RET | BPF_K, x)
#define REFUSE(n)   ANSWER(SECCOMP_RET_ERRNO | (n))

int unix_filter_apply(struct err *e)
{
	/*
	 * Other tables of calls (32 bit's, x32's from 0x40000000 on) have other numbers for the
	 * same, and io_uring makes sockets without a call.
	 */
	struct sock_filter code[] = {
		FIELD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
		REFUSE(ENOSYS),
		FIELD(nr),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
		REFUSE(ENOSYS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 3),
		/* The kernel takes an int: the lower half. Both machines are little-endian. */
		FIELD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
		REFUSE(EAFNOSUPPORT),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
		       ? err_sys(e, "load the filter of sockets")
		       : 0;
}
