/*
 * idblock - lock a range of host ids for the cells of one warm supervisor.
 */
#include "namespace/idblock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/private_dir.h"
#include "fs/state_dir.h"
#include "fs/trusted_path.h"
#include "host/system_program.h"
#include "namespace/idmap.h"
#include "namespace/subid_file.h"

#define TRIES 1000u

/* The last of root's blocks would hold 0xffffffff, which is not an id. */
static const struct idblock_pool root_pool = {0x80000000u, (1u << 18) - 1};

/*
 * Skip the first and the last block of a user's 65536 ids: rootless containers have their users in
 * the first, and dynamic users and nobody in the last.
 */
#define USER_SKIPPED IDBLOCK_COUNT
#define USER_BLOCKS  (SUBIDS_COUNT / IDBLOCK_COUNT - 2)

/* An open file description lock: we hold it until the last copy of the descriptor is closed. */
static bool idblock_try_block(int fd, unsigned number)
{
	struct flock one = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)number, .l_len = 1};

	return !fcntl(fd, F_OFD_SETLK, &one);
}

int idblock_open_in(const char *directory, const struct idblock_pool *pool, struct idblock *out,
		    struct err *e)
{
	const unsigned tries = pool->blocks < TRIES ? pool->blocks : TRIES;
	unsigned start = (unsigned)getpid();
	auto_fd int dir_fd = private_dir_open(directory, e);
	auto_fd int fd = -1;

	*out = idblock_none();
	if (dir_fd < 0)
		return -1;
	fd = openat(dir_fd, "ids", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "open %.300s/ids", directory);
	for (unsigned i = 0; i < tries; i++) {
		unsigned number = (start + i) % pool->blocks;

		if (idblock_try_block(fd, number)) {
			out->first = pool->first + number * IDBLOCK_COUNT;
			out->lock_fd = take_fd(&fd);
			return 0;
		}
		if (errno != EAGAIN && errno != EACCES)
			return err_sys(e, "lock an id block in %.300s/ids", directory);
	}
	return err_set(e, ERR_UNSUPPORTED, "no block of ids is free: %u of %.300s/ids are locked",
		       tries, directory);
}

/* -- an ordinary user's ---------------------------------------------------------------------- */

static int idblock_find_range(struct idblock_pool *out, struct err *e)
{
	char setup[SYSTEM_PROGRAM_SETUP_SIZE];
	char name[SUBID_NAME_SIZE];
	uint32_t uid;
	uint32_t gid;

	if (!subid_file_own(name, &uid, &gid))
		return err_set(e, ERR_UNSUPPORTED,
			       "/etc/subuid and /etc/subgid have no %u ids for %s (%s)",
			       SUBIDS_COUNT, name, system_program_setup(setup));
	if (uid != gid)
		return err_set(e, ERR_UNSUPPORTED,
			       "the ranges of %s in /etc/subuid and /etc/subgid begin with "
			       "different numbers",
			       name);
	*out = (struct idblock_pool){uid + USER_SKIPPED, USER_BLOCKS};
	return 0;
}

/*
 * All supervisors of a user share one directory, which outlives them; /run/user/UID ends with the
 * user's last login. Supervisors with different XDG_STATE_HOME do not see each other's locks, and
 * may take the same block. Their cells then share the kernel's counts per user id, and nothing
 * else: each has a user and a pid namespace of its own (SECURITY.md, "Work within the limits").
 */
static int idblock_open_users(const struct idblock_pool *pool, struct idblock *out, struct err *e)
{
	auto_free char *state = state_dir(false, e);
	auto_fd int made = state ? trusted_path_make(written_path(state), LINKS_OF_CALLER, e) : -1;

	return made < 0 ? -1 : idblock_open_in(state, pool, out, e);
}

static int idblock_open_user(struct idblock *out, struct err *e)
{
	struct idblock_pool pool;

	*out = idblock_none();
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) > 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "newuidmap has no privilege here, because no_new_privs is set "
			       "(NoNewPrivileges= of systemd)");
	if (idblock_find_range(&pool, e) || idblock_open_users(&pool, out, e))
		return -1;
	if (!idmap_try_block(out->first, IDBLOCK_COUNT, e))
		return 0;
	idblock_close(out);
	return -1;
}

static int idblock_open_root(struct idblock *out, struct err *e)
{
	if (!idblock_open_in(PRIVATE_DIR_ROOT, &root_pool, out, e))
		return 0;
	if (e->number == EROFS)
		(void)private_dir_check(PRIVATE_DIR_ROOT, e); /* its error names the remedy */
	return -1;
}

int idblock_open(struct idblock *out, struct err *e)
{
	return geteuid() == 0 ? idblock_open_root(out, e) : idblock_open_user(out, e);
}

void idblock_close(struct idblock *b)
{
	own_close(&b->lock_fd);
}
