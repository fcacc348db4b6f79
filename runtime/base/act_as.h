/*
 * act_as - touch files with the rights of somebody else, for a moment.
 *
 * What root does in a directory of somebody else's it does as that user: what is made is his
 * without a chown, and whatever names he exchanges meanwhile, nothing comes of it that he
 * could not have done himself. Groups beside the one given stay ours.
 *
 * Touches the calling thread. Runs: supervisor. Needs: root, unless the ids are ours.
 */
#ifndef GLOVEBOX_BASE_ACT_AS_H
#define GLOVEBOX_BASE_ACT_AS_H

#include <stdbool.h>
#include <sys/types.h>

struct act_as {
	bool taken;
	bool was_dumpable;
	int parent_death_signal;
	uid_t old_uid;
	gid_t old_gid;
};

/* -1 if we may not; then nothing has changed. Ids that are ours already cost two calls. */
int act_as_begin(struct act_as *a, uid_t uid, gid_t gid);

/* Also of one that never began. Keeps errno. */
void act_as_end(struct act_as *a);
#define auto_act_as __attribute__((cleanup(act_as_end)))

#endif
