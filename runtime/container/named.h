/*
 * named - the sandbox that stays which a word of the command line names; of any other word the
 * error says what it names instead, and which command is for that.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_NAMED_H
#define GLOVEBOX_CONTAINER_NAMED_H

#include <stdint.h>

#include "base/err.h"
#include "record/record.h"

/*
 * named_find - record_find().
 * @verb    the name of the command, for the remedy.
 * Errors: its own; ERR_UNSUPPORTED: a session, or a run in the foreground, has the name.
 */
int named_find(const char *verb, const char *word, struct record *out, struct err *e);

/* named_find_program - the same of a word that may name a program: program_find(). */
int named_find_program(const char *verb, const char *word, struct record *out, uint32_t *number,
		       struct err *e);

/* named_explain - put more into an error if it is that no sandbox that stays has the name. -1. */
int named_explain(const char *verb, const char *word, struct err *e);

/* Whether one of the user's sessions has the name; none has under the name docker. */
bool named_is_session(const char *word);

#endif
