/*
 * files_answer - what mover has said, as a result or an error.
 *
 * Its words are a stranger's (base/files_said.h): whatever they are, the result is one, and a path
 * in an error is cut.
 *
 * No side effects. Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_WORKSPACE_FILES_ANSWER_H
#define GLOVEBOX_WORKSPACE_FILES_ANSWER_H

#include "base/files_said.h"
#include "workspace/files.h"
#include "workspace/files_path.h"

/* 0, or -1 with *e: what was wrong. */
int files_answer_read(const struct files_request *request, const struct files_path *path,
		      const struct files_said *said, struct files_result *out, struct err *e);

/*
 * files_answer_list - the entries that mover has written, sorted, as JSON (workspace/files.h).
 *
 * @bytes  one struct files_entry after the other; if they were cut at a bound, the last in part.
 * @out    `json`; and `listed` if more than max_list_bytes would be needed.
 * Errors: ERR_SYSTEM: they are no listing.
 */
int files_answer_list(const struct buf *bytes, const struct files_rules *rules,
		      struct files_result *out, struct err *e);

/* The error for an errno at a path; causes that users know have a sentence. Returns -1. */
int files_answer_error(const char *path, int number, struct err *e);

#endif
