/*
 * mover_told - what `mover watch` tells of a directory.
 */
#include "workspace/mover_told.h"

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

int mover_told_take(struct buf *bytes, struct change *out)
{
	struct files_change head;
	size_t size;

	if (bytes->length < sizeof(head))
		return 0;
	memcpy(&head, bytes->data, sizeof(head));
	size = sizeof(head) + head.path_bytes;
	if (head.kind >= KINDS || head.path_bytes > FILES_PATH_BYTES_MAX)
		return -1;
	if (bytes->length < size)
		return 0;
	*out = (struct change){.kind = head.kind, .is_directory = head.is_directory};
	memcpy(out->path, bytes->data + sizeof(head), head.path_bytes);
	bytes->length -= size;
	memmove(bytes->data, bytes->data + size, bytes->length);
	return mover_told_is_path(out->path, head.path_bytes) ? 1 : -1;
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
		return err_set(e, ERR_SYSTEM, "%.300s: the process that looks at it was killed",
			       path);
	memcpy(out, said->data, sizeof(*out));
	if (!files_answer_read(&request, &where, out, result, e))
		return 0;
	/* Its paths are relative to the root. */
	snprintf(text, sizeof(text), "/%.*s", (int)sizeof(text) - 2, e->text);
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
		(void)err_set(e, ERR_LIMIT,
			      "%.300s: there are more directories than can be watched: 4096, or "
			      "fewer if fs.inotify says so",
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
