/*
 * landlock - a second barrier behind the read-only mounts (Linux 5.13, landlock(7)).
 *
 * It allows reading and executing everywhere inside, writing only below writable mounts, and to the
 * devices in /dev. If the kernel supports it: device ioctls only in /dev (ABI 5), no abstract
 * sockets and no signals to processes outside (ABI 6).
 *
 * The scope of signals ends at the domain. The door of a session signals the session's program,
 * which is in a domain of its own: so the door, and what it starts, goes without that scope. The
 * pid namespace remains.
 */
#include <fcntl.h>

#include "base/landlock_abi.h"
#include "inside/confine.h"
#include "inside/overlay.h"
#include "inside/sys.h"

/* All rights that a rule on a single file may have; more is EINVAL. */
#define OF_FILES                                                                                   \
	(LANDLOCK_EXECUTE | LANDLOCK_WRITE_FILE | LANDLOCK_READ_FILE | LANDLOCK_TRUNCATE |         \
	 LANDLOCK_IOCTL_DEV)

static int landlock_allow(int ruleset, const char *path, uint64_t rights, struct err *e)
{
	struct landlock_beneath rule = {.allowed = rights};
	long fd = sys_openat(AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
	long n;

	if (fd < 0)
		return inside_fail(e, fd, "open for landlock", path);
	rule.directory = (int)fd;
	n = sys4(LANDLOCK_ADD, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0);
	sys_close((int)fd);
	return n < 0 ? inside_fail(e, n, "allow in landlock", path) : 0;
}

/* For mover, to whom the monitor gives this directory (overlay.h); no path leads to it. */
static int landlock_allow_layers(int ruleset, struct err *e)
{
	const struct landlock_beneath rule = {LANDLOCK_READ_FILE | LANDLOCK_READ_DIR,
					      overlay_layers()};
	long n = rule.directory < 0 ? 0
				    : sys4(LANDLOCK_ADD, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0);

	return n < 0 ? inside_fail(e, n, "allow the layers of the root in landlock", NULL) : 0;
}

static int landlock_add_rules(const struct inside_plan *plan, int ruleset, struct err *e)
{
	uint64_t all = landlock_all_rights(plan->landlock_abi);

	if (landlock_allow(ruleset, "/", LANDLOCK_EXECUTE | LANDLOCK_READ_FILE | LANDLOCK_READ_DIR,
			   e) ||
	    landlock_allow(ruleset, "/dev", all & (LANDLOCK_WRITE_FILE | LANDLOCK_IOCTL_DEV), e))
		return -1;
	for (size_t i = 0; i < plan->op_count; i++) {
		const struct root_op *op = &plan->ops[i];

		if (!op->landlock_write)
			continue;
		/* Include the slash in front of `path`: see root_plan. */
		if (landlock_allow(ruleset, op->path - 1, op->is_file ? all & OF_FILES : all, e))
			return -1;
	}
	return 0;
}

static int landlock_enforce(const struct inside_plan *plan, struct err *e)
{
	struct landlock_handled attr = {.fs = landlock_all_rights(plan->landlock_abi)};
	size_t size = plan->landlock_abi >= 6 ? sizeof(attr) : plan->landlock_abi >= 4 ? 16 : 8;
	long ruleset;
	long n;

	if (plan->landlock_abi >= 6)
		attr.scoped = LANDLOCK_ABSTRACT_UNIX |
			      (plan->is_cell && plan->stays ? 0 : LANDLOCK_SIGNAL);
	ruleset = sys3(LANDLOCK_CREATE, &attr, size, 0);
	if (ruleset < 0)
		return inside_fail(e, ruleset, "create the landlock ruleset", NULL);
	if (landlock_add_rules(plan, (int)ruleset, e) || landlock_allow_layers((int)ruleset, e))
		return -1;
	n = sys2(LANDLOCK_SELF, ruleset, 0);
	sys_close((int)ruleset);
	return n < 0 ? inside_fail(e, n, "enforce landlock", NULL) : 0;
}

int confine_landlock(const struct inside_plan *plan, struct err *e)
{
	const int bad = plan->landlock_abi ? landlock_enforce(plan, e) : 0;

	overlay_forget_layers();
	return bad;
}
