/*
 * record_names - the names of sandboxes that stay: links in STATE/names, each to an id.
 *
 * The record says its name itself, in the link `name` if it has been renamed: a link in names/
 * counts only if the record that it leads to says that name. So a crash between two steps leaves
 * the old name or the new one, never both and never none. Names are given and taken below one lock.
 *
 * Runs: monitor, its clients. Needs: nothing.
 */
#ifndef GLOVEBOX_RECORD_RECORD_NAMES_H
#define GLOVEBOX_RECORD_RECORD_NAMES_H

#include "record/record.h"

/*
 * record_names_take - give a record a name that it says already.
 * Errors: ERR_EXISTS: another sandbox has it; ERR_BUSY: another process holds the names.
 */
int record_names_take(const char *name, const char *id, struct err *e);

/*
 * record_names_check - refuse a name that a record has. The caller holds it in the registry
 * (client/registry.h), as everybody does who gives a record one.
 * Errors: ERR_EXISTS.
 */
int record_names_check(const char *name, struct err *e);

/* Take it from the record again, if it has it. */
void record_names_free(const char *name, const char *id);

/* Remove the links that do not count: of processes that were killed between two steps. */
void record_names_sweep(void);

/*
 * record_names_change - give a record another name; the old one is free.
 *
 * @dir   of the record; borrowed. The caller has its lock, so that it is not removed meanwhile.
 * @name  its name; out: @to.
 * Errors: as record_names_take(); then nothing has changed. ERR_INPUT: it has that name.
 */
int record_names_change(int dir, const char *id, char name[RECORD_NAME], const char *to,
			struct err *e);

#endif
