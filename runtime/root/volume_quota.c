/*
 * volume_quota - the size of a volume, as a project quota of its file system.
 */
#include "root/volume_quota.h"

#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/quota.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/random.h"

#define PROJECTS    2           /* the type of quota: PRJQUOTA of the kernel */
#define FIRST       0x47000000u /* ours are FIRST to LAST: an administrator's are small */
#define LAST        0x47ffffffu
#define TRIES       100
#define PER_BLOCK   1024u /* bytes of a unit of limits (quotactl(2)) */
#define INODE_BYTES 1024u

static int volume_quota_call(int fd, unsigned command, uint32_t project, void *data)
{
	return (int)syscall(SYS_quotactl_fd, fd, QCMD(command, PROJECTS), project, data);
}

static int volume_quota_check_enforced(int fd, struct err *e)
{
	struct fs_quota_stat stat = {.qs_version = FS_QSTAT_VERSION};

	if (!volume_quota_call(fd, Q_XGETQSTAT, 0, &stat) && stat.qs_flags & FS_QUOTA_PDQ_ENFD)
		return 0;
	return err_set(
		e, ERR_UNSUPPORTED,
		"the file system of volumes has no project quotas that are enforced: that of "
		"ext4 or xfs, mounted with prjquota, has");
}

/* A number that neither files nor limits have. */
static int volume_quota_choose(int fd, uint32_t *project, struct err *e)
{
	struct dqblk had;

	for (int tries = 0; tries < TRIES; tries++) {
		random_bytes(project, sizeof(*project));
		*project = FIRST | (*project & (LAST - FIRST));
		if (volume_quota_call(fd, Q_GETQUOTA, *project, &had)) {
			if (errno == ENOENT) /* xfs: nothing was ever counted */
				return 0;
			return err_sys(e, "look for a free project quota");
		}
		if (!had.dqb_curspace && !had.dqb_curinodes && !had.dqb_bhardlimit)
			return 0;
	}
	return err_set(e, ERR_LIMIT, "no project quota is free for volumes");
}

static int volume_quota_limit(int fd, uint32_t project, uint64_t bytes)
{
	struct dqblk limit = {.dqb_bhardlimit = (bytes + PER_BLOCK - 1) / PER_BLOCK,
			      .dqb_ihardlimit = (bytes + INODE_BYTES - 1) / INODE_BYTES,
			      .dqb_valid = QIF_LIMITS};

	return volume_quota_call(fd, Q_SETQUOTA, project, &limit);
}

int volume_quota_set(int dir_fd, uint64_t bytes, struct err *e)
{
	struct fsxattr attributes;
	uint32_t project;

	if (volume_quota_check_enforced(dir_fd, e))
		return -1;
	if (volume_quota_choose(dir_fd, &project, e) ||
	    (volume_quota_limit(dir_fd, project, bytes) && err_sys(e, "set a project quota")))
		return e->number == EPERM ? err_set(e, ERR_UNSUPPORTED,
						    "only root of this machine sets project quotas")
					  : -1;
	if (!ioctl(dir_fd, FS_IOC_FSGETXATTR, &attributes)) {
		attributes.fsx_projid = project;
		attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
		if (!ioctl(dir_fd, FS_IOC_FSSETXATTR, &attributes))
			return 0;
	}
	(void)err_sys(e, "put a volume under a project quota");
	volume_quota_clear(dir_fd, project);
	return -1;
}

uint32_t volume_quota_project(int dir_fd)
{
	struct fsxattr attributes;

	return ioctl(dir_fd, FS_IOC_FSGETXATTR, &attributes) || attributes.fsx_projid < FIRST ||
			       attributes.fsx_projid > LAST
		       ? 0
		       : attributes.fsx_projid;
}

void volume_quota_clear(int fs_fd, uint32_t project)
{
	if (project)
		(void)volume_quota_limit(fs_fd, project, 0);
}
