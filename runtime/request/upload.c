/*
 * upload - the files of a form, written to the store while they arrive.
 */
#include "request/upload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "request/server.h"
#include "store/file_store.h"
#include "web/media_type.h"

#define FIELD        "file"     /* of the form */
#define AROUND_BYTES (1u << 20) /* of the form, in excess of its files */

static void upload_drop_files(struct upload *u)
{
	while (u->count) {
		u->count--;
		file_store_upload_abandon(take_ptr(&u->files[u->count]));
		free(take_ptr(&u->names[u->count]));
	}
}

static void upload_free(struct upload *u)
{
	upload_drop_files(u);
	multipart_close(u->form);
	free(u);
}

/* The client is gone: discard what has come. */
static void upload_abandon(struct request *r)
{
	struct upload *u = r->work;

	settler_forget(&r->server->settler, &u->settling);
	upload_free(u);
	r->work = NULL;
	r->abandon = NULL;
}

const struct stored_file *upload_file(const struct upload *u, size_t index)
{
	return file_store_upload_file(u->files[index]);
}

/* -- what comes ------------------------------------------------------------------------------ */

static void upload_fail(struct upload *u)
{
	u->has_failed = true;
	upload_drop_files(u);
}

/* The last file is complete: it needs no descriptor any more. */
static int upload_end_file(struct upload *u)
{
	const char *name = u->names[u->count - 1];

	return file_store_upload_end(u->files[u->count - 1], *name ? name : NULL, &u->e);
}

static void upload_begin_file(struct upload *u, const char *filename)
{
	const struct request *r = u->request;

	if (u->face->is_one)
		upload_drop_files(u);
	if (u->count && upload_end_file(u)) {
		upload_fail(u);
		return;
	}
	filename = filename ? filename : "";
	if (u->face->name)
		filename = u->face->name(filename);
	u->names[u->count] = own_printf("%s%s", u->folder, filename);
	u->count++;
	if (file_store_upload_begin(r->server->files, r->key->id, &u->files[u->count - 1], &u->e))
		upload_fail(u);
}

/* The parser bounds how many parts there are. */
static void upload_take_part(void *context, const char *field, const char *filename,
			     const char *bytes, size_t length)
{
	struct upload *u = context;

	if (u->has_failed || strcmp(field, FIELD) != 0)
		return;
	if (!length)
		upload_begin_file(u, filename);
	else if (file_store_upload_take(u->files[u->count - 1], bytes, length, &u->e))
		upload_fail(u);
}

/* Bound the form as a whole: other fields and the preamble count, too. */
static void upload_check_size(struct upload *u, uint64_t bytes)
{
	const uint64_t files = u->face->is_one ? 1 : MULTIPART_PARTS;

	if (bytes <= (u->request->server->options.file_max_mb << 20) * files + AROUND_BYTES ||
	    u->has_failed)
		return;
	err_set(&u->e, ERR_LIMIT, "the form is too large");
	u->e.number = EFBIG;
	upload_fail(u);
}

static struct upload *upload_begin(struct request *r, const struct upload_face *face)
{
	const char *type = request_header(r, "Content-Type");
	struct upload *u = own_zeroed(1, sizeof(*u));

	u->face = face;
	u->request = r;
	if (face->begin)
		face->begin(u);
	if (media_type_is(type, "multipart/form-data") &&
	    multipart_open(type, upload_take_part, u, &u->form, &u->e))
		upload_fail(u);
	upload_check_size(u, request_length(r));
	r->work = u;
	r->abandon = upload_abandon;
	return u;
}

bool upload_take(struct request *r, const struct upload_face *face, const char *bytes,
		 size_t length)
{
	struct upload *u = r->work ? r->work : upload_begin(r, face);
	struct err malformed;

	u->came += length;
	upload_check_size(u, u->came);
	if (u->form && !u->has_failed && multipart_add(u->form, bytes, length, &malformed) &&
	    !u->has_failed) {
		u->e = malformed;
		upload_fail(u);
	}
	return u->form && !u->has_failed;
}

/* -- its end --------------------------------------------------------------------------------- */

static void upload_settled(void *context, const struct err *failure)
{
	struct upload *u = context;

	if (failure) {
		u->face->refuse(u->request, failure);
	} else {
		u->face->reply(u);
		for (size_t i = 0; i < u->count; i++)
			file_store_upload_keep(take_ptr(&u->files[i]));
	}
	upload_free(u);
}

/* All has come: complete the files. */
static int upload_complete(struct upload *u)
{
	if (u->form && !u->has_failed && multipart_end(u->form, &u->e))
		upload_fail(u);
	if (u->count && upload_end_file(u))
		upload_fail(u);
	return u->has_failed ? -1 : 0;
}

void upload_end(struct request *r)
{
	struct upload *u = r->work;

	if (!upload_complete(u) && u->count) {
		u->settling = (struct settling){.settled = upload_settled,
						.context = u,
						.uploads = u->files,
						.count = u->count};
		settler_ask(&r->server->settler, &u->settling);
		return;
	}
	if (u->has_failed)
		u->face->refuse(r, &u->e);
	else
		u->face->missing(u);
	upload_free(u);
}
