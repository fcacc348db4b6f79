/*
 * renaming - give a sandbox that stays another name.
 *
 * The monitor of one that runs does it, since its place in the registry bears the name as well; a
 * client does it to one that does not run. A name is taken in full or not at all.
 */
#ifndef GLOVEBOX_MONITOR_RENAMING_H
#define GLOVEBOX_MONITOR_RENAMING_H

#include "client/registry.h"
#include "monitor/record_keep.h"

/*
 * renaming_ask - rename the sandbox that a word names.
 * Runs: client. Errors: ERR_NOT_FOUND; ERR_INPUT: of the name; ERR_EXISTS: it is taken. On error
 * nothing has changed, unless ERR_BUSY: the monitor did not answer.
 */
int renaming_ask(const char *word, const char *name, struct err *e);

/* renaming_do - the same. @place: of the monitor. Runs: monitor. */
int renaming_do(struct record_kept *k, struct registration *place, const char *name, struct err *e);

#endif
