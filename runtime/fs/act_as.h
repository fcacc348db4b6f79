/*
 * act_as - access files with another user's rights, for a moment.
 *
 * Root works in a user's directory as that user: new files belong to the user without a chown, and
 * names that the user exchanges meanwhile lead only where the user could go anyway. Our groups
 * stay, except the one given.
 *
 * Touches the calling thread. Runs: monitor, client. Needs: root, unless the ids are ours.
 */
#ifndef GLOVEBOX_FS_ACT_AS_H
#define GLOVEBOX_FS_ACT_AS_H

#include <stdbool.h>
#include <sys/types.h>

struct act_as {
	bool taken;
	bool was_dumpable;
	int parent_death_signal;
	uid_t old_uid;
	gid_t old_gid;
};

/*
 * Returns -1 if we may not; then nothing has changed. If the ids are already ours, it costs two
 * calls.
 */
int act_as_begin(struct act_as *a, uid_t uid, gid_t gid);

/* Restore our ids; does nothing if act_as_begin() failed. Keeps errno. */
void act_as_end(struct act_as *a);
#define auto_act_as __attribute__((cleanup(act_as_end)))

#endif
