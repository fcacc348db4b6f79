/*
 * pending - directories that get their mode and their time when all that is in them is there.
 */
#include "mover/pending.h"

#include "mover/note.h"
#include "mover/path.h"
#include "mover/place.h"

#define PENDING_MOST (TAR_NAME_MOST / 2 + 1) /* a byte and a slash each */

static struct pending_level {
	size_t end; /* in pending_path */
	unsigned mode;
	long mtime_ns;
	long long mtime;
} pending_levels[PENDING_MOST];
static unsigned pending_depth;
static char pending_path[TAR_NAME_MOST + 1];

void pending_add(const char *path, size_t length, const struct tar_entry *entry)
{
	/* Somebody has removed it meanwhile, and it was made again. */
	if (pending_depth && pending_levels[pending_depth - 1].end >= length)
		pending_depth--;
	if (pending_depth == PENDING_MOST)
		return;
	for (size_t i = 0; i < length; i++)
		pending_path[i] = path[i];
	pending_path[length] = '\0';
	pending_levels[pending_depth++] = (struct pending_level){
		.end = length,
		.mode = entry->mode,
		.mtime = entry->mtime,
		.mtime_ns = entry->mtime_ns,
	};
}

static bool pending_holds(const struct pending_level *level, const char *path, size_t length)
{
	if (level->end > length || (level->end < length && path[level->end] != '/'))
		return false;
	for (size_t i = 0; i < level->end; i++)
		if (path[i] != pending_path[i])
			return false;
	return true;
}

static void pending_finish(struct beneath *b, const struct pending_level *level)
{
	static struct tar_entry entry;
	size_t last = path_last(pending_path, level->end);
	int dir = beneath_open(b, pending_path, last ? last - 1 : 0, false);
	long error = dir;

	pending_path[level->end] = '\0';
	entry.mode = level->mode;
	entry.mtime = level->mtime;
	entry.mtime_ns = level->mtime_ns;
	if (dir >= 0)
		error = place_finish_directory(dir, pending_path + last, &entry);
	if (error < 0)
		note_failure("set the mode", pending_path, error);
}

void pending_leave(struct beneath *b, const char *path, size_t length)
{
	while (pending_depth) {
		const struct pending_level *level = &pending_levels[pending_depth - 1];

		if (length && pending_holds(level, path, length))
			break;
		pending_finish(b, level);
		pending_depth--;
	}
}
