/*
 * log - what the program of a sandbox that stays has printed, in files of its record.
 *
 * Each piece is a line "TIME STREAM LENGTH" and its bytes, so that a log has every byte, in order,
 * with its stream and time; a monitor that is killed leaves at most one piece that is cut, which
 * readers ignore. Half of what may be kept is in `log`; when that is full it becomes `log.old`.
 *
 * Runs: monitor writes, its clients read. Needs: nothing.
 */
#ifndef GLOVEBOX_RECORD_LOG_H
#define GLOVEBOX_RECORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct log {
	int dir; /* borrowed; of the record */
	int fd;  /* owned; -1 */
	uint64_t most;
	uint64_t written;
	int error; /* errno of a write that failed; 0 */
};

/* @most  bytes to keep; UINT64_MAX: all. */
int log_begin(struct log *l, int dir, uint64_t most, struct err *e);

/* log_add - append a piece. @stream: 1 or 2. A full disk loses it; l->error says so. */
void log_add(struct log *l, int stream, const char *bytes, size_t length);
void log_end(struct log *l);

struct log_wish {
	uint64_t since_ms; /* of the epoch; 0: all */
	uint64_t until_ms; /* UINT64_MAX: all */
	uint64_t tail;     /* lines; UINT64_MAX: all */
	bool times;        /* before each line */
};

struct log_reader;

/*
 * log_read_open - read a log from its beginning.
 * @dir  of the record; borrowed. Owned: log_read_close().
 */
struct log_reader *log_read_open(int dir, const struct log_wish *wish);

/*
 * log_read - write what has come since, as the wish says, to descriptors 1 and 2.
 * Returns 0, or -1 with errno: a write failed.
 */
int log_read(struct log_reader *r);
void log_read_close(struct log_reader *r);

#endif
