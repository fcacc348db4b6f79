/*
 * syscall_filter - a seccomp profile compiled to a kernel program.
 *
 * The program answers for one ABI, the profile's: other ABIs (i386, x32 and their tables) are
 * killed, never filtered. Numbers beyond the last one that the profile names are calls newer than
 * the profile; under a default of "errno" they answer ENOSYS so that libc falls back, as under
 * runc.
 *
 * libseccomp only translates names to numbers here. Its own compiler needs over a millisecond
 * where this one needs a fraction, and its program takes longer to load: a binary search over
 * ranges of numbers with equal answers is shorter than a tree over all numbers. There is no cache
 * on disk because compiling costs no more than reading one would.
 *
 * No side effects, but for syscall_filter_from_profile(), which asks the kernel for its version.
 */
#ifndef GLOVEBOX_HOST_SYSCALL_FILTER_H
#define GLOVEBOX_HOST_SYSCALL_FILTER_H

#include <linux/filter.h>
#include <stddef.h>

#include "base/err.h"
#include "spec/seccomp_profile.h"

struct syscall_filter {
	struct sock_filter *program; /* heap */
	unsigned short length;       /* instructions, at most BPF_MAXINSNS */
};

/*
 * syscall_filter_compile - from a parsed profile to a program for its architecture.
 *
 * A name that libseccomp does not know is skipped, as under Docker, where that means the default
 * action; unless the rule is stricter than the default, for then skipping it would open what it
 * closes. A call that does not exist on this architecture is skipped always.
 *
 * @out  on success owns the program: end with syscall_filter_fini().
 *
 * Runs: supervisor, build.  Needs: nothing.
 * Errors: ERR_INPUT: an unknown name as above, or too large a program.  *out is empty then.
 */
int syscall_filter_compile(const struct seccomp_profile *p, struct syscall_filter *out,
			   struct err *e);

/*
 * syscall_filter_from_profile - a user's profile text, for this machine and its kernel, and what
 * spec/filter_guard.h adds.
 *
 * Runs: supervisor.  Needs: nothing.
 * Errors: those of seccomp_profile_parse() and syscall_filter_compile(); ERR_UNSUPPORTED on an
 * architecture that glovebox does not know.
 */
int syscall_filter_from_profile(const char *text, size_t length, struct syscall_filter *out,
				struct err *e);

void syscall_filter_fini(struct syscall_filter *f);

#define auto_syscall_filter __attribute__((cleanup(syscall_filter_fini)))

#endif
