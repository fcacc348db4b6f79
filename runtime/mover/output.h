/*
 * output - the tar stream, or what else is asked for, on descriptor 1.
 *
 * If it cannot be written, that is said, and the program ends (mover/note.h).
 *
 * Touches the OS. Runs: mover. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_OUTPUT_H
#define GLOVEBOX_MOVER_OUTPUT_H

#include <stddef.h>

/* Room for @size bytes, at most 64 KiB, which output_used() then takes or a part of them. */
unsigned char *output_room(size_t size);
void output_used(size_t size);

/*
 * output_file - write the data of a file, exactly @size bytes and what fills the last block.
 *
 * @error  a negative errno if it could not be read; 0.
 * Returns how many bytes are zeros because the file had no more.
 */
long long output_file(int fd, long long size, long *error);

/* The same without any zeros. */
long long output_data(int fd, long long size, long *error);

/* Write all that waits. */
void output_flush(void);

/* The same, with the end of a tar. */
void output_end(void);

#endif
