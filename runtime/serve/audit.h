/*
 * audit - who ran what, and how it ended: a line of JSON for each execution, in a file (--audit).
 *
 *   {"event":"execution","time":...,"request_id":...,"key":...,"code_sha256":...,"verdict":...}
 *
 * What cannot be written down is not run: room for the line is there before the program begins, as
 * far as the file system can promise that, and a program whose line could not be written after all
 * is the last until lines can be written again. That is tried before each that follows.
 *
 * Lines with the event "opened" and "resumed" say since when there is a record, and what is missing
 * in it. Nothing is synchronised to the disk: lines survive our end, but not the machine's.
 *
 * Touches the OS. Runs: serve. Needs: nothing but its file.
 */
#ifndef GLOVEBOX_SERVE_AUDIT_H
#define GLOVEBOX_SERVE_AUDIT_H

#include <stdint.h>

#include "base/encode.h"
#include "base/trusted_path.h"
#include "serve/handle.h"
#include "serve/http.h"
#include "serve/keys.h"
#include "spec/spec.h"
#include "spec/verdict.h"

struct audit;

/* What is known before it runs. Plain data. */
struct audit_record {
	char request_id[HTTP_ID_SIZE];
	char key[KEY_NAME_MOST + 1];
	char key_id[DIGEST_HEX];
	const char *operation;        /* a literal */
	char code_sha256[DIGEST_HEX]; /* "": it brings no code */
	char session[HANDLE_BYTES];   /* in which it runs; "": none */
	bool is_call;                 /* ... that there was before */
	struct limits limits;         /* without its texts */
	struct limits_asked asked;
};

/*
 * audit_open - append to a file, which is made with mode 0600 if it is not there.
 *
 * @path, @image  copied. @image  canonical: what programs run in.
 * Ignores SIGXFSZ, so that a limit of this process on files is an error like a full disk.
 * Errors: ERR_SYSTEM: not even the first line could be written. On success *out is owned.
 */
int audit_open(struct written_path path, const char *image, struct audit **out, struct err *e);
void audit_close(struct audit *a); /* safe on NULL */

/* The file has been moved away: begin a new one of its name. After an error nothing is admitted. */
int audit_reopen(struct audit *a, struct err *e);

/* May one more run? Then audit_write() or audit_forget() comes once. ERR_SYSTEM: no. */
int audit_admit(struct audit *a, struct err *e);

/*
 * audit_write - it has ended.
 * @verdict  NULL: it has none, because of @failure; if that is NULL, too, it has just begun.
 * Errors: ERR_SYSTEM.
 */
int audit_write(struct audit *a, const struct audit_record *record, const struct verdict *verdict,
		const struct err *failure, struct err *e);

/* It did not run after all. */
void audit_forget(struct audit *a);

#endif
