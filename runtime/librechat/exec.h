/*
 * exec - a program of LibreChat's in a fresh cell: its files, and what becomes of it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_LIBRECHAT_EXEC_H
#define GLOVEBOX_LIBRECHAT_EXEC_H

#include "librechat/stored_id.h"
#include "request/execution.h"

/* Embed it as the first member. */
struct exec {
	struct execution run;            /* first */
	char folder[STORED_FOLDER_SIZE]; /* of what it leaves */
	struct list args;
};

/* execution_open(), in /mnt/data. @x  all zero. */
void exec_open(struct exec *x, const struct execution_face *face, struct request *r);

/* `fail` and `crowd` of its faces. */
void exec_fail(struct execution *run, const struct err *e);
void exec_crowd(struct execution *run, uint64_t seconds);

/* Free what it has beyond its run. */
void exec_fini(struct exec *x);

/*
 * exec_read_terms - read files and time from a body. Another step has planned what runs.
 * @body  borrowed until the execution begins. @otherwise_ms  where it says no time.
 * Errors: ERR_INPUT (400), ERR_DENIED (403).
 */
int exec_read_terms(struct exec *x, const struct json *body, uint64_t otherwise_ms, struct err *e);

/* Refuse by such an error. */
void exec_refuse(struct request *r, const struct err *e);

/* exec_files.c: the member "files" of a body. */
int exec_files_read(struct exec *x, const struct json *files, struct err *e);

/* Whether a name is relative, of directories and a name, without dots. */
bool exec_files_is_name(const char *text);

/* exec_result.c: how it went wrong, in words that clients pass on; NULL: it did not. */
const char *exec_result_message(const struct verdict *v);

/* Put stdout, stderr and files. @message  goes to stderr, too; NULL. */
void exec_result_put(struct exec *x, const char *message, struct buf *out);

#endif
