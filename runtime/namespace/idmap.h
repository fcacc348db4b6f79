/*
 * idmap - map the host ids of a sandbox and its files.
 *
 * A sandbox maps one uid and one gid: without capabilities its processes cannot change to another.
 * (Root maps more only for owners of tmpfs mounts.) Rootless, the host ids are the caller's. Root
 * takes them from a range of their own (systemd's table of uid ranges leaves 0x70000000 and above
 * unused), by our pid, which is unique while we live.
 *
 * Runs: monitor, supervisor. Needs: see each function.
 */
#ifndef GLOVEBOX_NAMESPACE_IDMAP_H
#define GLOVEBOX_NAMESPACE_IDMAP_H

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
	uint32_t extra_uids[IDMAP_MAX_EXTRA]; /* inside: owners of tmpfs mounts */
	uint32_t extra_gids[IDMAP_MAX_EXTRA];
	unsigned extra_uid_count;
	unsigned extra_gid_count;
	uint32_t block_first; /* the same inside and outside: for the nursery's cells (idblock.h) */
	uint32_t block_count; /* 0: none */
	bool owner_taken;     /* host ids are those of a writable directory's owner */
	bool privileged;      /* we are root: own ids, setgroups allowed, mounts made outside */
};

/*
 * idmap_check_ids - as root: whether our user namespace has the ids for sandboxes. That of an
 * unprivileged container has 65536, or one.
 * Errors: ERR_UNSUPPORTED with the remedy. Otherwise errno is unchanged.
 */
int idmap_check_ids(struct err *e);

/* Choose the map of a new sandbox of this process. */
void idmap_choose(uint32_t inside_uid, uint32_t inside_gid, struct idmap *out);

/*
 * idmap_add_owner - map another owner of a tmpfs inside.
 * @uid, @gid  inside; mapped ones are skipped.
 * Needs: root. Errors: ERR_INPUT for an ordinary user, who can map only one id, or when there are
 * too many.
 */
int idmap_add_owner(struct idmap *map, uint32_t uid, uint32_t gid, struct err *e);

/*
 * idmap_write - map the ids of a new user namespace.
 * @pid  the namespace's first process, which waits.
 * Needs: CAP_SETUID and CAP_SETGID; or a map of our own ids only; or newuidmap(1) for the block.
 */
int idmap_write(pid_t pid, const struct idmap *map, struct err *e);

/*
 * idmap_namespace - make a user namespace for an id-mapped mount: files of disk_uid:disk_gid appear
 * under the sandbox's host ids, and new files of the sandbox are stored under disk_uid:disk_gid
 * (mount_setattr(2), MOUNT_ATTR_IDMAP, Linux 5.12).
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
