/*
 * outputs - move the outputs of a run into the store.
 */
#include "request/outputs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "loop/clock.h"

/* Adopt one output; the directory with all its entries is private to us. */
static void outputs_adopt(struct outputs *o, const struct collected_file *file, char *id)
{
	const char *slash = strrchr(file->path, '/');
	auto_free char *folder = own_strndup(file->path, slash ? (size_t)(slash - file->path) : 0);
	auto_fd int fd = openat(o->directory_fd, slash ? folder : ".",
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_free char *stored = own_printf("%s%s", o->folder ? o->folder : "", file->path);
	struct file_store_upload *upload;
	struct err e;

	file_store_hold_give(&o->held, file->size_bytes);
	if (fd < 0 || file_store_adopt(o->store, o->owner, fd, slash ? slash + 1 : file->path,
				       stored, &upload, &e))
		return; /* the store is full: the output is left out */
	memcpy(id, file_store_upload_file(upload)->id, FILE_STORE_ID_SIZE);
	o->uploads[o->upload_count++] = upload;
}

bool outputs_make_room(struct outputs *o, bool may_wait, uint64_t copied, uint64_t most,
		       uint64_t *room)
{
	const uint64_t now = monotonic_us();
	struct err e;

	*room = most;
	if (!file_store_hold(o->store, o->owner, most, &o->held, &e))
		return true;
	if (!o->room_until_us)
		o->room_until_us = now + OUTPUTS_ROOM_US;
	if (may_wait && file_store_holds(o->store, o->owner) && now < o->room_until_us)
		return false;
	for (size_t i = 0; i < o->staging->count; i++)
		copied += o->staging->files[i].size_bytes;
	if (file_store_hold_left(o->store, o->owner, most, copied, &o->held, &e))
		*room = 0;
	else
		*room = o->held.bytes;
	return true;
}

/* Discard the outputs that are not files yet, and stop waiting. */
static void outputs_abandon(struct outputs *o)
{
	hub_silence(o->settler->hub, &o->turn);
	settler_forget(o->settler, &o->settling);
	while (o->upload_count)
		file_store_upload_abandon(o->uploads[--o->upload_count]);
}

void outputs_drop(struct outputs *o)
{
	struct err ignored;

	outputs_abandon(o);
	for (size_t i = 0; i < o->next; i++) {
		if (*o->ids[i])
			(void)file_store_delete(o->store, o->owner, o->ids[i], &ignored);
		*o->ids[i] = '\0';
	}
}

static void outputs_settled(void *context, const struct err *failure)
{
	struct outputs *o = context;

	if (failure) {
		say_error(failure);
		outputs_drop(o);
	}
	while (o->upload_count)
		file_store_upload_keep(o->uploads[--o->upload_count]);
	o->done(o->context);
}

/* Adopt files for one turn. Returns whether there is something left to wait for. */
static bool outputs_go_on(struct outputs *o)
{
	const size_t count = o->collected->count;
	const uint64_t until_us = monotonic_us() + OUTPUTS_TURN_US;

	while (o->next < count) {
		const struct collected_file *file = &o->collected->files[o->next];

		outputs_adopt(o, file, o->ids[o->next]);
		o->next++;
		if (monotonic_us() >= until_us)
			break;
	}
	if (o->next < count) {
		/* Not 0: let waiting requests go first. */
		hub_ring(o->settler->hub, &o->turn, monotonic_us() + 1);
	} else if (o->upload_count) {
		o->settling.uploads = o->uploads;
		o->settling.count = o->upload_count;
		settler_ask(o->settler, &o->settling);
	}
	return o->next < count || o->upload_count;
}

static void outputs_turn(void *context)
{
	struct outputs *o = context;

	if (!outputs_go_on(o))
		o->done(o->context);
}

bool outputs_begin(struct outputs *o)
{
	o->ids = own_zeroed(o->collected->count + 1, sizeof(*o->ids));
	o->uploads = own_zeroed(o->collected->count + 1, sizeof(struct file_store_upload *));
	o->turn = (struct hub_timer){.ring = outputs_turn, .context = o};
	o->settling = (struct settling){.settled = outputs_settled, .context = o};
	return outputs_go_on(o);
}

void outputs_put(const struct outputs *o, struct buf *out)
{
	json_put_begin(out, "files", '[');
	for (size_t i = 0; i < o->next; i++) {
		const struct collected_file *file = &o->collected->files[i];

		json_put_begin(out, NULL, '{');
		json_put_name(out, "path", file->path);
		json_put_text(out, "kind", "file");
		json_put_text(out, "file_id", *o->ids[i] ? o->ids[i] : NULL);
		json_put_uint(out, "size_bytes", file->size_bytes);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
	json_put_bool(out, "files_truncated", o->collected->refused > 0);
}

void outputs_fini(struct outputs *o)
{
	if (!o->settler)
		return;
	file_store_hold_end(&o->held);
	outputs_abandon(o);
	free(take_ptr(&o->uploads));
	own_free(&o->ids);
}
