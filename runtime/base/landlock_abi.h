/*
 * landlock_abi - the numbers and structures of landlock(7), as distributions' headers lag behind
 * kernels.
 *
 * A layout and no code that needs a libc: pid 1 includes it as well.
 */
#ifndef GLOVEBOX_BASE_LANDLOCK_ABI_H
#define GLOVEBOX_BASE_LANDLOCK_ABI_H

#include <stdint.h>

/* The same on every architecture. */
#define LANDLOCK_CREATE        444
#define LANDLOCK_ADD           445
#define LANDLOCK_SELF          446

#define LANDLOCK_PATH_BENEATH  1 /* the kind of a struct landlock_beneath */

#define LANDLOCK_EXECUTE       (1ull << 0)
#define LANDLOCK_WRITE_FILE    (1ull << 1)
#define LANDLOCK_READ_FILE     (1ull << 2)
#define LANDLOCK_READ_DIR      (1ull << 3)
#define LANDLOCK_REMOVE_MAKE   (0x1ffull << 4) /* REMOVE_DIR to MAKE_SYM */
#define LANDLOCK_REFER         (1ull << 13)    /* ABI 2 */
#define LANDLOCK_TRUNCATE      (1ull << 14)    /* ABI 3 */
#define LANDLOCK_IOCTL_DEV     (1ull << 15)    /* ABI 5 */

#define LANDLOCK_ABSTRACT_UNIX (1ull << 0)
#define LANDLOCK_SIGNAL        (1ull << 1)

/* A ruleset denies the rights that it handles, but for its rules. Older ABIs have fewer fields. */
struct landlock_handled {
	uint64_t fs;
	uint64_t net;    /* ABI 4 */
	uint64_t scoped; /* ABI 6 */
};

struct landlock_beneath {
	uint64_t allowed;
	int32_t directory; /* or a file */
} __attribute__((packed));

/* All file system rights of an ABI: 13 at first, then one more at 2, 3 and 5. */
static inline uint64_t landlock_all_rights(int abi)
{
	return (1ull << (13 + (abi >= 2) + (abi >= 3) + (abi >= 5))) - 1;
}

#endif
