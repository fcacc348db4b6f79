/*
 * recent - the last executions of one key, as the audit has them, for keys that look without a
 * file.
 *
 * In memory, of fixed size, lost at a restart; nothing depends on it.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_TENANT_RECENT_H
#define GLOVEBOX_TENANT_RECENT_H

#include <stdbool.h>

#include "base/err.h"
#include "loop/clock.h"
#include "spec/verdict.h"
#include "tenant/audit.h"

#define RECENT_MOST  32
#define RECENT_ERROR 200

struct recent_entry {
	char time[CLOCK_UTC_SIZE]; /* time of its end */
	char request_id[HTTP_ID_SIZE];
	char session[HANDLE_BYTES]; /* "": none */
	const char *operation;      /* a literal */
	bool has_verdict;
	enum verdict_kind verdict;
	int exit_code;
	uint64_t duration_us;
	char error[RECENT_ERROR]; /* why it has no verdict; "": it has just begun */
};

struct recent {
	struct recent_entry entries[RECENT_MOST];
	unsigned next;
	unsigned count;
};

/*
 * recent_add - add an execution, evicting the oldest.
 * @recent  of its key; allocated if it is NULL; free() it.
 * @verdict, @failure  as for audit_write().
 */
void recent_add(struct recent **recent, const struct audit_record *record,
		const struct verdict *verdict, const struct err *failure);

/* Return the entry added so many before the last one; NULL: none. @recent  may be NULL. */
const struct recent_entry *recent_at(const struct recent *recent, unsigned before);

#endif
