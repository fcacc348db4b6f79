/*
 * memory_holder - leave a process that keeps an ended program's memory, so that its end is reported
 * at once.
 */
#include "inside/memory_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>

#include "inside/cell.h"
#include "inside/sys.h"

#define CLONE_FLAGS (0x100 /* CLONE_VM */ | SIGCHLD)

static bool is_permitted;

void memory_holder_permit(bool permitted)
{
	is_permitted = permitted;
}

/* A directory has a link for each directory in it, and two of its own. */
static bool memory_holder_has_threads(void)
{
	struct stat tasks = {0};

	return sys4(__NR_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0) < 0 ||
	       tasks.st_nlink != 2 + 1;
}

/* Signal 0 reaches every process of the namespace but pid 1 and the sender (kill(2)). */
static bool memory_holder_has_company(void)
{
	return sys2(__NR_kill, -1, 0) != -ESRCH;
}

/*
 * The holder executes these few instructions for ever, and writes no memory: the stack is the
 * program's. Without descriptors, a timeout or a mask ppoll(2) ends only by a signal.
 */
static void memory_holder_clone(void)
{
#if defined(__x86_64__)
	long n = __NR_clone;

	__asm__ volatile(
		"xor %%r10d, %%r10d\n\t"
		"xor %%r8d, %%r8d\n\t"
		"syscall\n\t"
		"test %%rax, %%rax\n\t"
		"jnz 2f\n"
		"1:\n\t"
		"xor %%edi, %%edi\n\t"
		"mov %[wait], %%eax\n\t"
		"syscall\n\t"
		"jmp 1b\n"
		"2:"
		: "+a"(n)
		: "D"(CLONE_FLAGS), "S"(0), "d"(0), [wait] "i"(__NR_ppoll)
		: "rcx", "r8", "r10", "r11", "memory");
#else
	register long x8 __asm__("x8") = __NR_clone;
	register long x0 __asm__("x0") = CLONE_FLAGS;
	register long x1 __asm__("x1") = 0;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;

	__asm__ volatile(
		"svc 0\n\t"
		"cbnz x0, 2f\n\t"
		"mov x8, %[wait]\n"
		"1:\n\t"
		"mov x0, xzr\n\t"
		"svc 0\n\t"
		"b 1b\n"
		"2:"
		: "+r"(x0), "+r"(x8)
		: "r"(x1), "r"(x2), "r"(x3), "r"(x4), [wait] "i"(__NR_ppoll)
		: "memory", "cc");
#endif
}

void memory_holder_leave(void)
{
	static const int priority; /* the only one of this policy */
	unsigned long all = ~0ul;

	if (!is_permitted || sys0(__NR_getpid) != CELL_PROGRAM || memory_holder_has_company() ||
	    memory_holder_has_threads())
		return;
	/* Freeing takes long: awake, it must not preempt pid 1, which has to report (sched(7)). */
	sys3(__NR_sched_setscheduler, 0, SCHED_BATCH, &priority);
	sys4(__NR_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
	sys3(__NR_close_range, 0, ~0u, 0);
	memory_holder_clone();
}
