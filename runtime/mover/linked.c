/*
 * linked - files that have more than one name, and which of them is in the tar.
 */
#include "mover/linked.h"

#include "inside/sys.h"

#define LINKED_SLOTS 8192 /* a power of two; half of them are used */
#define LINKED_BYTES (512 * 1024)

static struct linked_slot {
	dev_t device;
	ino_t inode;
	const char *name; /* NULL: free */
} linked_slots[LINKED_SLOTS];
static unsigned linked_count;
static char linked_names[LINKED_BYTES];
static size_t linked_used;

/* The slot of a file, or the free one where it belongs. */
static struct linked_slot *linked_at(const struct stat *st)
{
	unsigned long at = (st->st_ino ^ st->st_dev << 7) * 0x9e3779b97f4a7c15UL >> 51;

	for (;; at++) {
		struct linked_slot *slot = &linked_slots[at % LINKED_SLOTS];

		if (!slot->name || (slot->inode == st->st_ino && slot->device == st->st_dev))
			return slot;
	}
}

const char *linked_find(const struct stat *st)
{
	return linked_at(st)->name;
}

void linked_add(const struct stat *st, const char *name)
{
	struct linked_slot *slot = linked_at(st);
	size_t size = sys_strlen(name) + 1;

	if (linked_count == LINKED_SLOTS / 2 || LINKED_BYTES - linked_used < size)
		return;
	linked_count++;
	slot->device = st->st_dev;
	slot->inode = st->st_ino;
	slot->name = linked_names + linked_used;
	while (size--)
		linked_names[linked_used++] = *name++;
}
