/*
 * seccomp - install the system call filter. The last step: from here on the filter holds for the
 * process.
 *
 * The filter was compiled outside (seccomp/syscall_filter, or at build time); here it is one system
 * call. SPEC_ALLOW leaves speculative store bypass as the host has it: the filter does not protect
 * secrets within the process, and the mitigation costs native speed (seccomp(2), Linux 4.17).
 */
#include <linux/audit.h>
#include <linux/seccomp.h>

#include "inside/confine.h"
#include "inside/sys.h"

static int seccomp_install(const struct sock_fprog *filter, struct err *e)
{
	long n;

	if (!filter->filter)
		return 0;
	n = sys3(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, filter);
	return n < 0 ? inside_fail(e, n, "install the system call filter", NULL) : 0;
}

int confine_seccomp(const struct inside_plan *plan, struct err *e)
{
	return seccomp_install(&plan->filter, e);
}

/* The calls that pid 1 makes from here on: wait, obey, report, exit. */
#define ALLOW(name)                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1),                                    \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#else
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

static const struct sock_filter init_program[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(wait4),
	ALLOW(waitid),
	ALLOW(ppoll),
	ALLOW(read),
	ALLOW(write),
	ALLOW(kill),
	ALLOW(signalfd4),
	ALLOW(exit_group),
	ALLOW(restart_syscall),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

int confine_init_seccomp(const struct inside_plan *plan, struct err *e)
{
	const struct sock_fprog filter = {sizeof(init_program) / sizeof(init_program[0]),
					  (struct sock_filter *)init_program};

	(void)plan;
	return seccomp_install(&filter, e);
}
