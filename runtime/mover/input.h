/*
 * input - the tar stream on descriptor 0.
 *
 * Each function says by itself that the stream has ended too early or cannot be read
 * (mover/note.h).
 *
 * Touches the OS. Runs: mover put. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_INPUT_H
#define GLOVEBOX_MOVER_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* The next block, valid until the next call; NULL: there is none. */
const unsigned char *input_block(void);

/* Up to @most bytes, as many as are there; *out is valid until the next call. 0: there are none. */
size_t input_some(const unsigned char **out, long long most);

/* Read exactly so many bytes. */
bool input_copy(char *out, size_t size);
bool input_skip(long long size);

/* Skip what fills the last block behind @size bytes of data. */
bool input_padding(long long size);

/* Read to the end, so that the writer can write all it has. */
void input_drain(void);

#endif
