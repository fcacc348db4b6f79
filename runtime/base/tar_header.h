/*
 * tar_header - the header of a member of a tar archive (POSIX ustar, pax(1)).
 *
 * A layout and no code: the program mover, which has no libc, reads it as well.
 */
#ifndef GLOVEBOX_BASE_TAR_HEADER_H
#define GLOVEBOX_BASE_TAR_HEADER_H

#define TAR_BLOCK 512

/* Numbers are octal digits. Texts that fill their field have no NUL. */
struct tar_header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char owner[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char rest[12];
};

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is a block");

#endif
