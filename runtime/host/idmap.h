/*
 * idmap - which ids of the host a sandbox and its files use.
 *
 * A sandbox maps one uid and one gid: it has no capability, so it could never change to another.
 * (As root, more are mapped only if a tmpfs shall belong to them.) Rootless they are the caller's.
 * For root they come from a range of their own (systemd's table of uid ranges leaves 0x70000000 and
 * above unused), chosen by our pid, which is unique while we live.
 *
 * Runs: monitor, supervisor. Needs: see each function.
 */
#ifndef GLOVEBOX_HOST_IDMAP_H
#define GLOVEBOX_HOST_IDMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define IDMAP_MAX_EXTRA 16

struct idmap {
	uint32_t inside_uid;
	uint32_t inside_gid;
	uint32_t host_uid;
	uint32_t host_gid;
	uint32_t extra_uids[IDMAP_MAX_EXTRA]; /* inside: owners of tmpfs mounts; no process has them
					       */
	uint32_t extra_gids[IDMAP_MAX_EXTRA];
	unsigned extra_uid_count;
	unsigned extra_gid_count;
	uint32_t block_first; /* the same inside and outside: for cells of this nursery, see
				 idblock.h */
	uint32_t block_count; /* 0: none */
	bool owner_taken;     /* the host ids are those of the owner of a writable directory */
	bool privileged;      /* we are root: own ids, setgroups allowed, mounts made outside */
};

/*
 * idmap_check_ids - as root: whether our user namespace has the ids that sandboxes get. That of an
 * unprivileged container has 65536, or one.
 * Errors: ERR_UNSUPPORTED with the remedy. Else errno is left as it was.
 */
int idmap_check_ids(struct err *e);

/* The map of a new sandbox of this process. */
void idmap_choose(uint32_t inside_uid, uint32_t inside_gid, struct idmap *out);

/*
 * idmap_add_owner - let a tmpfs inside belong to other ids than the sandbox's.
 * @uid, @gid  inside; those already mapped are left alone.
 * Needs: root. Errors: ERR_INPUT without it (only one id can be mapped), or when there are too
 * many.
 */
int idmap_add_owner(struct idmap *map, uint32_t uid, uint32_t gid, struct err *e);

/*
 * idmap_write - map the ids of a new user namespace.
 * @pid  the namespace's first process, waiting.
 * Needs: CAP_SETUID and CAP_SETGID; or a map of our own ids only; or newuidmap(1) for the block.
 */
int idmap_write(pid_t pid, const struct idmap *map, struct err *e);

/*
 * idmap_namespace - a user namespace for an id-mapped mount: files that belong to disk_uid:disk_gid
 * appear under the sandbox's host ids, and files that the sandbox makes are stored under
 * disk_uid:disk_gid (mount_setattr(2), MOUNT_ATTR_IDMAP, Linux 5.12).
 *
 * @out_fd  owned by the caller on success.
 * Needs: root.
 */
int idmap_namespace(const struct idmap *map, uid_t disk_uid, gid_t disk_gid, int *out_fd,
		    struct err *e);

/*
 * idmap_try_block - whether an ordinary user may map this block of ids, by newuidmap(1).
 * Errors: see id_mapper_run().
 */
int idmap_try_block(uint32_t first, uint32_t count, struct err *e);

#endif
