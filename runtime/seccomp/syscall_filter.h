/*
 * syscall_filter - compile a seccomp profile to a kernel program.
 *
 * The program answers for one ABI, the profile's: calls of other ABIs (i386, x32 and so on) kill
 * the process. Numbers beyond the last one that the profile names are newer calls than the profile;
 * under a default of "errno" they return ENOSYS, so that libc falls back, as under runc.
 *
 * libseccomp only translates names to numbers here. Its own compiler needs over a millisecond, ours
 * a fraction of one, and its program takes longer to load: a binary search over ranges of numbers
 * with equal answers is shorter than a tree over all numbers. We keep no cache on disk, because
 * reading one would cost as much as compiling.
 *
 * No side effects, except that syscall_filter_from_profile() asks the kernel for its version.
 * Runs: monitor, supervisor, build. Needs: nothing.
 */
#ifndef GLOVEBOX_SECCOMP_SYSCALL_FILTER_H
#define GLOVEBOX_SECCOMP_SYSCALL_FILTER_H

#include <linux/filter.h>
#include <stddef.h>

#include "base/err.h"
#include "seccomp/seccomp_profile.h"

struct syscall_filter {
	struct sock_filter *program; /* heap */
	unsigned short length;       /* instructions, at most BPF_MAXINSNS */
};

/*
 * syscall_filter_compile - turn a parsed profile into a program for its architecture.
 *
 * A name that libseccomp does not know is skipped, as under Docker, and gets the default action;
 * but a rule stricter than the default is an error, because skipping it would allow what it
 * forbids. A call that this architecture lacks is always skipped.
 *
 * @out  on success owns the program: end with syscall_filter_fini().
 *
 * Errors: ERR_INPUT: an unknown name as above, or too large a program.  *out is empty then.
 */
int syscall_filter_compile(const struct seccomp_profile *p, struct syscall_filter *out,
			   struct err *e);

/*
 * syscall_filter_from_profile - compile a user's profile text for this machine and its kernel, with
 * the rules of seccomp/filter_guard.h.
 *
 * Errors: those of seccomp_profile_parse() and syscall_filter_compile(); ERR_UNSUPPORTED on an
 * architecture that glovebox does not know.
 */
int syscall_filter_from_profile(const char *text, size_t length, struct syscall_filter *out,
				struct err *e);

/* Free the program; safe on an empty one. */
void syscall_filter_fini(struct syscall_filter *f);

#define auto_syscall_filter __attribute__((cleanup(syscall_filter_fini)))

#endif
