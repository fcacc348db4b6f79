/*
 * act_as - access files with another user's rights, for a moment.
 */
#include "fs/act_as.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>

#define NO_ID (-1) /* setfsuid(2) refuses it and returns the current id */

static bool act_as_ids_are(uid_t uid, gid_t gid)
{
	return (uid_t)setfsuid((uid_t)NO_ID) == uid && (gid_t)setfsgid((gid_t)NO_ID) == gid;
}

/*
 * Changing the user id also takes CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_CHOWN and similar ones, until
 * it is restored (capabilities(7), "Effect of user ID changes"). So we change the group first and
 * restore it last. The kernel also makes us undumpable and clears the parent-death signal: restore
 * both.
 */
int act_as_begin(struct act_as *a, uid_t uid, gid_t gid)
{
	a->taken = false;
	if (act_as_ids_are(uid, gid))
		return 0;
	a->old_uid = (uid_t)setfsuid((uid_t)NO_ID);
	a->old_gid = (gid_t)setfsgid((gid_t)NO_ID);
	a->was_dumpable = prctl(PR_GET_DUMPABLE) == 1;
	if (prctl(PR_GET_PDEATHSIG, &a->parent_death_signal))
		a->parent_death_signal = 0;
	a->taken = true;
	setfsgid(gid);
	setfsuid(uid);
	if (act_as_ids_are(uid, gid))
		return 0;
	act_as_end(a);
	errno = EPERM;
	return -1;
}

void act_as_end(struct act_as *a)
{
	int saved = errno;

	if (!a->taken)
		return;
	a->taken = false;
	setfsuid(a->old_uid);
	setfsgid(a->old_gid);
	if (!act_as_ids_are(a->old_uid, a->old_gid))
		abort(); /* we would continue as another user */
	if (a->was_dumpable)
		prctl(PR_SET_DUMPABLE, 1);
	if (a->parent_death_signal)
		prctl(PR_SET_PDEATHSIG, a->parent_death_signal);
	errno = saved;
}
