/*
 * kill - end what ps lists.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_KILL_H
#define GLOVEBOX_CONTAINER_KILL_H

#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

/*
 * A run that is killed ends within 10 s, or leaves behind what is stuck; its layer
 * (monitor/layer.h) takes a minute at most.
 */
#define KILL_END_S 80

/*
 * kill_at_once - end what has this name, or an id that begins so, and wait for its end.
 * Errors: ERR_NOT_FOUND: nothing of the user's that runs has it.
 */
int kill_at_once(const char *word, struct err *e);

/*
 * kill_kept_at_once, kill_kept_in_time - end a sandbox that stays, and wait until its record says
 * so. If it ends meanwhile, that is success.
 *
 * @time_s  in_time asks it first, and kills it when it has not ended by then; SPEC_UNLIMITED: as
 * its spec says.
 */
int kill_kept_at_once(struct record *r, struct err *e);
int kill_kept_in_time(struct record *r, uint64_t time_s, struct err *e);

#endif
