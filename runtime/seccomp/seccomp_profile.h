/*
 * seccomp_profile - Docker's and OCI's seccomp profile JSON as typed rules.
 *
 * What a profile means here:
 *
 * - A call gets the action of the strictest rule that matches it, whatever their order in the file
 *   (the kernel's own order: kill, trap, errno, log, allow; of two errnos the lower), and the
 *   default action if none matches. libseccomp prefers a rule without conditions; our order is
 *   never weaker.
 * - Conditions on different arguments must all hold. When two of them test the same argument,
 *   each condition becomes a rule of its own, as in runc.
 * - A sandbox holds no capability: a rule with `includes.caps` never applies, and `excludes.caps`
 *   never excludes. `arches` and `minKernel` are compared with the target.
 * - Only the target's own ABI is filtered; `architectures` and `archMap` are checked and then have
 *   no effect, because calls of a foreign ABI kill the process.
 * - Unknown keys and values are refused by name: a skipped rule could be the one that denies.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SECCOMP_SECCOMP_PROFILE_H
#define GLOVEBOX_SECCOMP_SECCOMP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

#define SECCOMP_PROFILE_MAX (1024 * 1024) /* bytes of text; Docker's own profile has 17,000 */

enum filter_arch { FILTER_ARCH_X86_64, FILTER_ARCH_AARCH64 };

/*
 * The machine that a profile is meant for. Kernel 0.0: unknown; rules with minKernel are refused.
 */
struct filter_target {
	enum filter_arch arch;
	unsigned kernel_major;
	unsigned kernel_minor;
};

enum compare_op {
	COMPARE_NE,
	COMPARE_LT,
	COMPARE_LE,
	COMPARE_EQ,
	COMPARE_GE,
	COMPARE_GT,
	COMPARE_MASKED_EQ, /* (argument & mask) == (value & mask) */
};

/* All 64 bits of the argument are compared, unsigned. */
struct seccomp_condition {
	uint8_t argument; /* 0 to 5 */
	enum compare_op op;
	uint64_t value;
	uint64_t mask;
};

/* One system call and one action; all conditions must hold. */
struct seccomp_rule {
	const char *name;
	uint32_t action; /* as a filter returns it, such as SECCOMP_RET_ERRNO | EPERM */
	size_t first_condition;
	size_t condition_count;
};

struct seccomp_profile {
	struct json *document; /* owns the names */
	enum filter_arch arch;
	uint32_t default_action;
	struct seccomp_rule *rules; /* only those that apply to the target */
	size_t rule_count;
	struct seccomp_condition *conditions;
	size_t condition_count;
};

/* The kernel version from uname's release ("6.1.0-9-amd64"); 0.0 if it has another form. */
void filter_target_set_kernel(struct filter_target *target, const char *release);

/*
 * seccomp_profile_parse - read a profile for one target.
 *
 * @text, @length  the document; not kept.
 * @out            on success owns its memory: end with seccomp_profile_fini().
 *
 * Runs: anywhere.  Needs: nothing.
 * Errors: ERR_INPUT; the text says which rule ("syscalls[3]") and key. *out is empty then.
 */
int seccomp_profile_parse(const char *text, size_t length, const struct filter_target *target,
			  struct seccomp_profile *out, struct err *e);
void seccomp_profile_fini(struct seccomp_profile *p);

#define auto_seccomp_profile __attribute__((cleanup(seccomp_profile_fini)))

#endif
