/*
 * audit - a record of every execution: a line of JSON each, in a file (--audit).
 *
 *   {"event":"execution","time":...,"request_id":...,"key":...,"code_sha256":...,"verdict":...}
 *
 * An execution without a record must not run: room for its line is reserved before the program
 * begins, as far as the file system promises that. If a write fails after all, nothing more is
 * admitted until a line can be written; each admission tries.
 *
 * Lines with the event "opened" and "resumed" say when the record starts, and how many lines are
 * missing. Lines are not synced: they survive the end of this process, but not a power failure.
 *
 * Touches the OS. Runs: serve. Needs: nothing but its file.
 */
#ifndef GLOVEBOX_TENANT_AUDIT_H
#define GLOVEBOX_TENANT_AUDIT_H

#include <stdint.h>

#include "base/encode.h"
#include "fs/trusted_path.h"
#include "spec/spec.h"
#include "spec/verdict.h"
#include "tenant/handle.h"
#include "tenant/keys.h"
#include "web/http.h"

struct audit;

/* An execution as known before it runs. Plain data. */
struct audit_record {
	char request_id[HTTP_ID_SIZE];
	char key[KEY_NAME_MOST + 1];
	char key_id[DIGEST_HEX];
	const char *operation;        /* a literal */
	char code_sha256[DIGEST_HEX]; /* "": without code */
	char session[HANDLE_BYTES];   /* the session it runs in; "": none */
	bool is_call;                 /* the session existed before */
	struct limits limits;         /* without its texts */
	struct limits_asked asked;
};

/*
 * audit_open - append to a file; create it with mode 0600 if it is missing.
 *
 * @path, @image  copied. @image  canonical: the image of the programs.
 * Ignores SIGXFSZ, so a file size limit of this process is an error like a full disk.
 * Errors: ERR_SYSTEM: the first line could not be written. On success *out is owned.
 */
int audit_open(struct written_path path, const char *image, struct audit **out, struct err *e);
void audit_close(struct audit *a); /* safe on NULL */

/* The file was rotated: create a new one of its name. After an error nothing is admitted. */
int audit_reopen(struct audit *a, struct err *e);

/* Reserve a line: then call audit_write() or audit_forget() once. ERR_SYSTEM: do not run. */
int audit_admit(struct audit *a, struct err *e);

/*
 * audit_write - the execution has ended: write its line.
 * @verdict  NULL: there is none, because of @failure; both NULL: the session has begun.
 * Errors: ERR_SYSTEM.
 */
int audit_write(struct audit *a, const struct audit_record *record, const struct verdict *verdict,
		const struct err *failure, struct err *e);

/* Release the reserved line: the execution did not run. */
void audit_forget(struct audit *a);

#endif
