/*
 * get - write the tar of a file or a directory to descriptor 1.
 *
 * Devices, FIFOs and sockets, what cannot be read and what lies too deep are left out. A
 * file whose size changes while it is read has the size that it had.
 *
 * Touches the OS. Runs: mover get. Needs: the right to read what is there.
 */
#ifndef GLOVEBOX_MOVER_GET_H
#define GLOVEBOX_MOVER_GET_H

#include <stddef.h>

/* Errors are in the notes (mover/note.h). @name: of the top entry; NULL: the path's last.
 */
void get_run(const char *path, const char *name);

/*
 * get_name - what a path's last part is: ".", for the content, where it ends in "/.", "/.." or "/"
 * alone.
 *
 * @length  how much of the result it is; slashes behind it do not count.
 */
const char *get_name(const char *path, size_t *length);

#endif
