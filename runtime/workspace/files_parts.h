/*
 * files_parts - one operation on files, shared by the files of workspace/files only.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_WORKSPACE_FILES_PARTS_H
#define GLOVEBOX_WORKSPACE_FILES_PARTS_H

#include "base/files_said.h"
#include "sandbox/spawn.h"
#include "workspace/files.h"
#include "workspace/files_path.h"

enum { SLOT_ENDS, SLOT_REPORTS, SLOT_INPUT, SLOT_OUTPUT, SLOT_SAID, SLOTS };

enum phase { PHASE_THAW, PHASE_WORK, PHASE_FREEZE, PHASE_OVER };

/* A piece of the content on its way to mover. */
struct piece {
	struct files_piece head;
	char bytes[FILES_CONTENT_MOST];
	size_t at;
	size_t end;    /* of head and bytes */
	uint64_t read; /* of the content */
};

struct files {
	struct loop loop;
	struct pollfd slots[SLOTS];
	enum phase phase;
	struct files_request request;
	struct files_path path;
	struct files_path to;
	struct freezing *freezing; /* owned; NULL */
	bool was_frozen;
	bool is_cancelled;
	struct child child; /* what belongs to mover */
	uint32_t exec;
	struct piece piece;
	struct buf said; /* a struct files_said */
	struct buf list;
	struct files_got got;
	bool has_ended;
	bool has_failed;
	struct err error;
	uint64_t kill_at;
	uint64_t give_up_at; /* pid 1 does not report its end */
};

/* The path, as errors name it. */
const char *files_where(const struct files *f);

/* End mover, and fail with this error, if it is the first. */
void files_fail(struct files *f, const struct err *e);

/* Relay all that can be relayed now, by `slots`, and see whether mover has ended. */
void files_receive(struct files *f);

#endif
