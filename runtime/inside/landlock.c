/*
 * landlock - a second barrier behind the read-only mounts (Linux 5.13, landlock(7)).
 *
 * It allows reading and executing everywhere inside, writing only below writable mounts, and to the
 * devices in /dev. If the kernel supports it: device ioctls only in /dev (ABI 5), no abstract
 * sockets and no signals to processes outside (ABI 6).
 *
 * The structures are defined here because distributions' headers lag behind kernels.
 */
#include <fcntl.h>

#include "inside/confine.h"
#include "inside/sys.h"

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule       445
#define __NR_landlock_restrict_self  446
#endif

#define FS_EXECUTE    (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE  (1ull << 2)
#define FS_READ_DIR   (1ull << 3)
#define FS_TRUNCATE   (1ull << 14)
#define FS_IOCTL_DEV  (1ull << 15)

/* All rights that a rule on a single file may have; more is EINVAL. */
#define FS_OF_FILES         (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define SCOPE_ABSTRACT_UNIX (1ull << 0)
#define SCOPE_SIGNAL        (1ull << 1)

#define RULE_PATH_BENEATH   1

struct ruleset_attr {
	uint64_t handled_fs;
	uint64_t handled_net; /* ABI 4: unused, the network namespace is empty */
	uint64_t scoped;      /* ABI 6 */
};

struct path_beneath_attr {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

/* All file system rights of an ABI: 13 at first, then one more at 2, 3 and 5. */
static uint64_t landlock_all_rights(int abi)
{
	int count = 13 + (abi >= 2) + (abi >= 3) + (abi >= 5);

	return (1ull << count) - 1;
}

static int landlock_allow(int ruleset, const char *path, uint64_t rights, struct err *e)
{
	struct path_beneath_attr rule = {.allowed = rights};
	long fd = sys_openat(AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);
	long n;

	if (fd < 0)
		return inside_fail(e, fd, "open for landlock", path);
	rule.parent_fd = (int)fd;
	n = sys4(__NR_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	sys_close((int)fd);
	return n < 0 ? inside_fail(e, n, "allow in landlock", path) : 0;
}

static int landlock_add_rules(const struct inside_plan *plan, int ruleset, struct err *e)
{
	uint64_t all = landlock_all_rights(plan->landlock_abi);

	if (landlock_allow(ruleset, "/", FS_EXECUTE | FS_READ_FILE | FS_READ_DIR, e) ||
	    landlock_allow(ruleset, "/dev", all & (FS_WRITE_FILE | FS_IOCTL_DEV), e))
		return -1;
	for (size_t i = 0; i < plan->op_count; i++) {
		const struct root_op *op = &plan->ops[i];

		if (!op->landlock_write)
			continue;
		/* Include the slash in front of `path`: see root_plan. */
		if (landlock_allow(ruleset, op->path - 1, op->is_file ? all & FS_OF_FILES : all, e))
			return -1;
	}
	return 0;
}

int confine_landlock(const struct inside_plan *plan, struct err *e)
{
	struct ruleset_attr attr = {.handled_fs = landlock_all_rights(plan->landlock_abi)};
	size_t size = plan->landlock_abi >= 6 ? sizeof(attr) : plan->landlock_abi >= 4 ? 16 : 8;
	long ruleset;
	long n;

	if (plan->landlock_abi == 0)
		return 0;
	if (plan->landlock_abi >= 6)
		attr.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
	ruleset = sys3(__NR_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return inside_fail(e, ruleset, "create the landlock ruleset", NULL);
	if (landlock_add_rules(plan, (int)ruleset, e))
		return -1;
	n = sys2(__NR_landlock_restrict_self, ruleset, 0);
	sys_close((int)ruleset);
	return n < 0 ? inside_fail(e, n, "enforce landlock", NULL) : 0;
}
