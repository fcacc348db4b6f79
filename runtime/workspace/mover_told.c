/*
 * mover_told - what `mover watch` tells of a directory.
 */
#include "workspace/mover_told.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workspace/files_answer.h"

static const char *const mover_told_words[] = {
	[FILES_WATCHED] = "watched", [FILES_CREATED] = "created", [FILES_WRITTEN] = "written",
	[FILES_REMOVED] = "removed", [FILES_MOVED] = "moved",     [FILES_MODE] = "changed",
};

#define KINDS (sizeof(mover_told_words) / sizeof(mover_told_words[0]))

const char *mover_told_word(enum files_change_kind kind)
{
	return mover_told_words[kind];
}

/* Whether it is the path of an entry as we would ask for it. */
static bool mover_told_is_path(const char *path, size_t length)
{
	struct files_path clean;
	struct err ignored;

	return strlen(path) == length &&
	       (!length || (!files_path_set(&clean, path, &ignored) && !strcmp(clean.text, path)));
}

void mover_told_add(struct mover_told *t, const char *bytes, size_t length)
{
	if (t->taken)
		memmove(t->bytes.data, t->bytes.data + t->taken, t->bytes.length - t->taken);
	t->bytes.length -= t->taken;
	t->taken = 0;
	if (!t->is_bad)
		buf_add(&t->bytes, bytes, length);
}

void mover_told_fini(struct mover_told *t)
{
	buf_fini(&t->bytes);
}

/* Returns as mover_told_take() does. */
static int mover_told_next(struct mover_told *t, struct change *out)
{
	const char *at = t->bytes.data + t->taken;
	const size_t left = t->bytes.length - t->taken;
	struct files_change head;

	if (left < sizeof(head))
		return 0;
	memcpy(&head, at, sizeof(head));
	if (head.kind >= KINDS || (head.kind == FILES_WATCHED) == t->has_begun ||
	    head.path_bytes > FILES_PATH_BYTES_MAX)
		return -1;
	if (left < sizeof(head) + head.path_bytes)
		return 0;
	*out = (struct change){.kind = head.kind, .is_directory = head.is_directory};
	memcpy(out->path, at + sizeof(head), head.path_bytes);
	t->taken += sizeof(head) + head.path_bytes;
	t->has_begun = true;
	return mover_told_is_path(out->path, head.path_bytes) ? 1 : -1;
}

int mover_told_take(struct mover_told *t, struct change *out)
{
	const int n = t->is_bad ? -1 : mover_told_next(t, out);

	t->is_bad = n < 0;
	return n;
}

/* 0: it is an answer. */
static int mover_told_read(const struct buf *said, const char *path, struct files_said *out,
			   struct files_result *result, struct err *e)
{
	const struct files_request request = {.action = FILES_LIST};
	struct files_path where;
	char text[sizeof(e->text)];

	if (files_path_set_anywhere(&where, path, e))
		return -1;
	if (said->length != sizeof(*out))
		return err_set(e, ERR_SYSTEM,
			       "%.300s: the process that looks at it was ended in the sandbox",
			       path);
	memcpy(out, said->data, sizeof(*out));
	if (!files_answer_read(&request, &where, out, result, e))
		return 0;
	/* Its paths are relative to the root, which is called "/" already. */
	snprintf(text, sizeof(text), "%s%.*s", *e->text == '/' ? "" : "/", (int)sizeof(text) - 2,
		 e->text);
	memcpy(e->text, text, sizeof(text));
	return -1;
}

void mover_told_judge(const struct buf *said, const char *path, struct err *e)
{
	struct files_result result = {0};
	struct files_said answer = {0};

	if (!mover_told_read(said, path, &answer, &result, e))
		(void)err_set(e, ERR_GONE, "%.300s: it is watched no longer", path);
	else if (answer.wrong == FILES_TOO_MANY)
		(void)err_input(e,
				"%.300s: 4096 directories can be watched together, no deeper than "
				"255: choose one below it",
				path);
	else if (answer.wrong == FILES_FAILED && (answer.error == EMFILE || answer.error == ENOSPC))
		(void)err_set(e, ERR_LIMIT,
			      "%.300s: fs.inotify of this machine allows its user no more, with "
			      "all sandboxes and programs: raise it (sysctl)",
			      path);
	else if (answer.wrong == FILES_LOST)
		(void)err_set(e, ERR_LIMIT,
			      "%.300s: changes came faster than they were read: list it again, "
			      "and watch it from then on",
			      path);
}

int mover_told_usage(const struct buf *said, const char *path, uint32_t most,
		     struct files_usage *out, struct err *e)
{
	struct files_result result = {0};
	struct files_said answer = {0};

	if (mover_told_read(said, path, &answer, &result, e))
		return answer.wrong == FILES_TOO_MANY
			       ? err_set(e, ERR_LIMIT, "%.300s: there are more than %u names", path,
					 most)
			       : -1;
	*out = (struct files_usage){answer.size, answer.bytes, answer.entries, answer.unread};
	return 0;
}
