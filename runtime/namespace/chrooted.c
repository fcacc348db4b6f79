/*
 * chrooted - tell whether our root differs from our mount namespace's root.
 */
#include "namespace/chrooted.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/process.h"
#include "host/mount_table.h"

#define STACK_BYTES     (64 << 10)
#define TABLE_MAX_BYTES (16u << 20)

struct place {
	uint64_t mount;
	uint64_t inode;
	bool is_mount_root;
};

struct question {
	int pidfd; /* of this process */
	struct place answer;
	bool is_answered;
};

static bool chrooted_look(struct place *out)
{
	struct statx st;

	if (statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &st) ||
	    !(st.stx_mask & STATX_MNT_ID) || !(st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT))
		return false;
	*out = (struct place){st.stx_mnt_id, st.stx_ino, st.stx_attributes & STATX_ATTR_MOUNT_ROOT};
	return true;
}

/*
 * A process that enters a mount namespace, even its own, gets that namespace's root (setns(2)).
 * Runs: a process that shares our memory and rights, but has its own root.
 */
static int chrooted_enter_again(void *argument)
{
	struct question *q = argument;

	q->is_answered = !setns(q->pidfd, CLONE_NEWNS) && chrooted_look(&q->answer);
	return 0;
}

/* Needs: CAP_SYS_ADMIN and CAP_SYS_CHROOT; false without them. */
static bool chrooted_namespace_root(struct place *out)
{
	_Alignas(16) char stack[STACK_BYTES];
	auto_fd int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct question q = {.pidfd = self};
	pid_t pid;

	if (self < 0)
		return false;
	pid = clone(chrooted_enter_again, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, &q);
	if (pid < 0)
		return false;
	(void)process_reap(pid, __WALL);
	*out = q.answer;
	return q.is_answered;
}

/*
 * Without privilege: compare with the mounts of the host's init. Mounts have numbers of their own
 * in each namespace, so if our root's is among init's mounts, init's root is our namespace's.
 */
static bool chrooted_is_below_inits_root(const struct place *ours)
{
	auto_mount_table struct mount_table table = {0};
	const struct mount_entry *entry;
	struct err ignored;

	if (io_read_file(AT_FDCWD, "/proc/1/mountinfo", TABLE_MAX_BYTES, &table.text, &ignored) ||
	    mount_table_parse(&table, &ignored))
		return false;
	entry = mount_table_find(&table, ours->mount);
	return entry && strcmp(entry->point, "/") != 0;
}

bool is_chrooted(void)
{
	struct place ours;
	struct place theirs;

	if (!chrooted_look(&ours))
		return false;
	if (!ours.is_mount_root)
		return true;
	if (chrooted_namespace_root(&theirs))
		return theirs.mount != ours.mount || theirs.inode != ours.inode;
	return chrooted_is_below_inits_root(&ours);
}
