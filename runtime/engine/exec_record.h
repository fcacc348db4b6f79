/*
 * exec_record - an exec instance of the Engine, as files in the record of its container:
 *
 *   execs/ID       what it is to run; of one that has begun execs/ID.run, which its server locks
 *   execs/ID.end   its exit code
 *
 * The first half of an id is that of its container, so an id alone is enough to find both. Any
 * number of servers agree, and what a killed one has left says so: begun, without lock or end.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_EXEC_RECORD_H
#define GLOVEBOX_ENGINE_EXEC_RECORD_H

#include "base/json.h"
#include "record/record.h"

#define EXEC_ID 65

struct exec_record {
	char id[EXEC_ID];
	struct record container; /* owned */
	struct json *what;       /* owned: the body of its create */
	bool runs;
	bool has_ended;
	int exit_code;
	uint64_t number; /* a program in the background: of the sandbox (monitor/programs.h); 0 */
};

/* exec_record_make - @body: JSON, which is kept. @id: out. */
int exec_record_make(const struct record *container, const struct json *body, char id[EXEC_ID],
		     struct err *e);

/* exec_record_find - Errors: ERR_NOT_FOUND. @out: end with exec_record_fini(), whatever is
 * returned.
 */
int exec_record_find(const char *id, struct exec_record *out, struct err *e);
void exec_record_fini(struct exec_record *x);
#define auto_exec_record __attribute__((cleanup(exec_record_fini)))

/*
 * exec_record_begin - take it, for good.
 * @lock  out: owned; as long as it is open, it runs.
 * Errors: ERR_EXISTS: it has begun already.
 */
int exec_record_begin(const struct exec_record *x, int *lock, struct err *e);

/* Write its end, or with @number that it is in the background. */
void exec_record_end(const struct exec_record *x, int exit_code, uint64_t number);

#endif
