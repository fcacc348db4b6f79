/*
 * upload - the files of a form, written to the store while they arrive.
 *
 * At the end all of them are on the disk, or none is in the store.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_UPLOAD_H
#define GLOVEBOX_REQUEST_UPLOAD_H

#include "store/settler.h"
#include "web/http.h"
#include "web/multipart.h"

#define UPLOAD_FOLDER 32

struct upload;

/* The part that differs between faces. */
struct upload_face {
	bool is_one;                               /* of several files the last counts */
	void (*begin)(struct upload *u);           /* the first piece has come; NULL */
	const char *(*name)(const char *filename); /* the part of it that counts; NULL: all */
	void (*reply)(struct upload *u);           /* the files are on the disk */
	void (*missing)(struct upload *u);         /* the form has none */
	void (*refuse)(struct request *r, const struct err *e);
};

struct upload {
	const struct upload_face *face;
	struct request *request;
	char folder[UPLOAD_FOLDER]; /* before the names of the files in the store, with a slash */
	struct file_store_upload *files[MULTIPART_PARTS]; /* owned */
	size_t count;
	/* private to upload.c */
	char *names[MULTIPART_PARTS]; /* owned */
	struct multipart *form;       /* owned; NULL: the body is not a form */
	uint64_t came;                /* bytes of the form received */
	bool has_failed;
	struct err e;
	struct settling settling;
};

/* A file in the store. */
const struct stored_file *upload_file(const struct upload *u, size_t index);

/* `take` and `run` of a route. */
bool upload_take(struct request *r, const struct upload_face *face, const char *bytes,
		 size_t length);
void upload_end(struct request *r);

#endif
