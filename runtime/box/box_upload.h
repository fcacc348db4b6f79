/*
 * box_upload - files that a request puts into a session: its body, or the parts `file` of a form.
 *
 *   box_upload_open   the first piece has come
 *   box_upload_take   each piece
 *   box_upload_end    all has come: put the files, in their order
 *
 * The bytes of all lie behind one another in one file of ours (request/session_content.h).
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_BOX_BOX_UPLOAD_H
#define GLOVEBOX_BOX_BOX_UPLOAD_H

#include "request/session_content.h"
#include "web/multipart.h"

struct box_upload;

/* The part that differs between faces. */
struct box_upload_face {
	/* The absolute path of a name that a client gives. Owned; NULL: it leads out. */
	char *(*resolve)(const char *said);
	/* All is there: reply. */
	void (*reply)(struct session_work *w, const struct box_upload *u);
	void (*refuse)(struct session_work *w, const struct err *e);
	unsigned status; /* of a form that is wrong */
	/* Texts of refusals. */
	const char *no_path;
	const char *no_file;
	const char *leads_out; /* 403 */
};

struct box_upload_file {
	char *path;     /* owned; absolute */
	uint64_t begin; /* of its bytes in the content of the work */
	uint64_t bytes;
};

struct box_upload {
	const struct box_upload_face *face;
	struct session_work *work;
	char *path; /* owned; of the one file, as the client says it; NULL: a form's parts have
		       names */
	struct box_upload_file files[MULTIPART_PARTS];
	size_t count;
	/* private to box_upload.c */
	struct multipart *form; /* owned; NULL: the body is the file */
	size_t at;              /* the file that is put */
	unsigned status;        /* of a refusal; 0: none */
	const char *why;
	bool is_other; /* the part that comes has another name than `file` */
};

/* @path  taken over. The work of the request from now on. */
struct box_upload *box_upload_open(struct request *r, const struct box_upload_face *face,
				   const char *name, char *path);

/* The upload of a request's work. */
struct box_upload *box_upload_of(const struct request *r);

/* Refuse it in the end, unless it is to be refused already. @why  borrowed. */
void box_upload_fail(struct box_upload *u, unsigned status, const char *why);

/* Whether box_upload_end() will refuse it, whatever the session says. */
bool box_upload_is_refused(const struct box_upload *u);

/* false: it is refused, and needs no more of the body. */
bool box_upload_take(struct box_upload *u, const char *bytes, size_t length);

void box_upload_end(struct request *r);

#endif
