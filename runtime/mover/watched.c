/*
 * watched - the directories that are watched.
 */
#include "mover/watched.h"

#include <stdbool.h>

#include "inside/sys.h"
#include "mover/path.h"
#include "mover/tar.h"

static struct watched {
	unsigned above;
	char name[PATH_PART_MOST + 1];
} watched[WATCHED_MOST];
static int watched_numbers[WATCHED_MOST]; /* 0: the slot is free; inotify(7) begins with 1 */
static unsigned watched_end;              /* all behind are free */

unsigned watched_find(int number)
{
	for (unsigned slot = 0; slot < watched_end; slot++) {
		if (watched_numbers[slot] == number)
			return slot;
	}
	return WATCHED_NONE;
}

unsigned watched_add(int number, unsigned above, const char *name)
{
	unsigned slot = watched_find(number);
	size_t at = 0;

	if (slot == WATCHED_NONE)
		slot = watched_find(0);
	if (slot == WATCHED_NONE && watched_end < WATCHED_MOST)
		slot = watched_end++;
	if (slot == WATCHED_NONE)
		return WATCHED_NONE;
	watched_numbers[slot] = number;
	watched[slot].above = above;
	for (; at < PATH_PART_MOST && name[at]; at++)
		watched[slot].name[at] = name[at];
	watched[slot].name[at] = '\0';
	return slot;
}

/* Put a name before what begins at `at`. Returns where it begins; 0: it does not fit. */
static size_t watched_prepend(char *out, size_t at, const char *name)
{
	size_t length = sys_strlen(name);
	const bool has_slash = at < TAR_NAME_MOST;

	if (length + has_slash >= at)
		return 0;
	if (has_slash)
		out[--at] = '/';
	at -= length;
	__builtin_memcpy(out + at, name, length);
	return at;
}

size_t watched_path(unsigned slot, const char *name, char *out)
{
	size_t at = watched_prepend(out, TAR_NAME_MOST, name);
	size_t length = TAR_NAME_MOST - at;

	for (; at && slot != WATCHED_FIRST; slot = watched[slot].above) {
		at = watched_prepend(out, at, watched[slot].name);
		length = TAR_NAME_MOST - at;
	}
	if (!at)
		return 0;
	for (size_t i = 0; i < length; i++)
		out[i] = out[at + i];
	out[length] = '\0';
	return length;
}

unsigned watched_child(unsigned above, const char *name)
{
	for (unsigned slot = WATCHED_FIRST + 1; slot < watched_end; slot++) {
		if (watched_numbers[slot] && watched[slot].above == above &&
		    sys_equal(watched[slot].name, name))
			return slot;
	}
	return WATCHED_NONE;
}

/* A program may have moved directories in an order that our names of them make a ring of. */
static bool watched_is_below(unsigned slot, unsigned top)
{
	for (unsigned steps = 0; steps < WATCHED_MOST && slot != WATCHED_FIRST; steps++) {
		if (slot == top)
			return true;
		slot = watched[slot].above;
	}
	return slot == top;
}

void watched_forget(unsigned top, int queue)
{
	static bool goes[WATCHED_MOST];

	if (top == WATCHED_NONE)
		return;
	/* All are looked at while their ways up stand. */
	for (unsigned slot = 0; slot < watched_end; slot++)
		goes[slot] = watched_numbers[slot] && watched_is_below(slot, top);
	for (unsigned slot = 0; slot < watched_end; slot++) {
		if (goes[slot]) {
			(void)sys2(__NR_inotify_rm_watch, queue, watched_numbers[slot]);
			watched_numbers[slot] = 0;
		}
	}
	while (watched_end && !watched_numbers[watched_end - 1])
		watched_end--;
}
