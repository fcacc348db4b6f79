/*
 * arenas - put Python's small objects into a few huge pages.
 *
 * CPython maps memory for small objects an arena at a time (256 KB, since 3.10 1 MB), and the
 * kernel places it anywhere between libraries. So few of the nursery's arenas could become huge
 * pages (rootfs/guest/hugepages.py). This allocator takes arenas from pieces with the size and
 * alignment of a huge page.
 *
 * This extension module works while it is loaded, and returns no module: CPython raises
 * SystemError, and sys.modules stays as the preloads would find it in a cold start.
 *
 * Runs: nursery, before the preloads; the GIL is held. Needs: nothing.
 */
#include <stdint.h>
#include <sys/mman.h>

#include "inside/sys.h"

#define HUGE        (2ul << 20) /* with pages of 4 KB; with others it does no harm */
#define FIRST_ERROR (-4095ul)

/* PyObjectArenaAllocator. The default one unmaps every arena that it is given back, also ours. */
struct allocator {
	void *context;
	void *(*take)(void *context, size_t size);
	void (*give)(void *context, void *arena, size_t size);
};

void PyObject_GetArenaAllocator(struct allocator *out);
void PyObject_SetArenaAllocator(const struct allocator *allocator);

static struct allocator before;
static uintptr_t piece; /* the rest of it */
static uintptr_t piece_end;

/* Take a new piece: map twice its size, and unmap what lies outside of it. */
static int arenas_take_piece(void)
{
	long n = sys_call6(__NR_mmap, 0, 2 * HUGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t start = (uintptr_t)n;

	if (start >= FIRST_ERROR)
		return -1;
	piece = (start + HUGE - 1) & -HUGE;
	piece_end = piece + HUGE;
	if (piece > start)
		sys2(__NR_munmap, start, piece - start);
	if (start + 2 * HUGE > piece_end)
		sys2(__NR_munmap, piece_end, start + 2 * HUGE - piece_end);
	return 0;
}

static void *arenas_take(void *context, size_t size)
{
	void *arena;

	if (size > HUGE)
		return before.take(before.context, size);
	if (piece_end - piece < size && arenas_take_piece())
		return NULL;
	arena = (void *)piece;
	piece += size;
	(void)context;
	return arena;
}

static void arenas_give(void *context, void *arena, size_t size)
{
	(void)context;
	before.give(before.context, arena, size);
}

/* For cells: give the program's objects the same places as in a cold start. */
void arenas_end(void);
void arenas_end(void)
{
	PyObject_SetArenaAllocator(&before);
}

void *PyInit_arenas(void);
void *PyInit_arenas(void)
{
	static const struct allocator ours = {NULL, arenas_take, arenas_give};

	PyObject_GetArenaAllocator(&before);
	PyObject_SetArenaAllocator(&ours);
	return NULL;
}
