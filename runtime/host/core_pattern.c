/*
 * core_pattern - keep the host's core_pattern program away from a sandbox's crashes.
 */
#include "host/core_pattern.h"

#include <fcntl.h>

#include "base/io.h"
#include "spec/spec.h"

bool core_pattern_is_program(void)
{
	char pattern[256];

	return !io_peek(AT_FDCWD, "/proc/sys/kernel/core_pattern", pattern, sizeof(pattern)) &&
	       (pattern[0] == '|' || pattern[0] == '@');
}

int core_pattern_check(const struct rlimit *core, struct err *e)
{
	if ((core->rlim_cur == SPEC_NO_CORE && core->rlim_max == SPEC_NO_CORE) ||
	    !core_pattern_is_program())
		return 0;
	if (core->rlim_max > SPEC_NO_CORE)
		return err_set(e, ERR_UNSUPPORTED,
			       "--ulimit core: a program of this host takes the cores "
			       "(kernel.core_pattern), outside of the sandbox: leave it out");
	return err_set(
		e, ERR_UNSUPPORTED,
		"a program of this host takes crashes (kernel.core_pattern), and only a core "
		"limit of 1 keeps it out, but yours is 0: ulimit -Hc must be 1 or more");
}
