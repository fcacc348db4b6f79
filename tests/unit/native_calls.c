/*
 * native_calls - system calls that valgrind does not know, made by the processor itself.
 *
 * valgrind 3.24 answers ENOSYS for the calls listed below. They take numbers and descriptors, or
 * read a small structure, and write nothing into memory of which memcheck would have to be told.
 * clone3 is not among them: valgrind has to see a process being born.
 *
 * Takes the place of libc's syscall() and setrlimit() in the programs of `make valgrind`, and is
 * linked into no others.
 */
#if __has_include(<valgrind/valgrind.h>)

#include <errno.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <valgrind/valgrind.h>

#include "inside/sys.h"

#define MOST_ARGUMENTS 6

static const long unknown[] = {
	SYS_pidfd_send_signal,
	SYS_open_tree,
	SYS_move_mount,
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_mount_setattr,
	SYS_seccomp,
	444 /* landlock_create_ruleset */,
};

/* Runs on valgrind's own stack, where there is no libc: no errno, and no canary to look for. */
__attribute__((no_stack_protector)) static long make_natively(long thread, const long *call)
{
	(void)thread;
	return sys_call6(call[0], call[1], call[2], call[3], call[4], call[5], call[6]);
}

static long make(const long *call)
{
	for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (call[0] == unknown[i] && RUNNING_ON_VALGRIND)
			return (long)VALGRIND_NON_SIMD_CALL1(make_natively, call);
	}
	return sys_call6(call[0], call[1], call[2], call[3], call[4], call[5], call[6]);
}

long syscall(long number, ...)
{
	long call[1 + MOST_ARGUMENTS] = {number};
	va_list arguments;
	long result;

	va_start(arguments, number);
	for (unsigned i = 1; i <= MOST_ARGUMENTS; i++)
		call[i] = va_arg(arguments, long);
	va_end(arguments);
	result = make(call);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/* valgrind keeps the limit of descriptors itself, and refuses another hard one: that stays. */
int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	struct rlimit wanted = *limit;
	struct rlimit now;

	if (resource == RLIMIT_NOFILE && RUNNING_ON_VALGRIND && !getrlimit(resource, &now))
		wanted.rlim_max = now.rlim_max;
	return prlimit(0, resource, &wanted, NULL);
}

#endif
