/*
 * put - unpack the tar on descriptor 0 below a directory.
 *
 * The stream is a stranger's, and so may be what changes the directory meanwhile: every name is
 * walked by mover/beneath.h and made by mover/place.h. The first error ends the unpacking, but the
 * stream is read to its end. Devices, FIFOs and sparse files are left out.
 *
 * Touches the OS. Runs: mover put. Needs: the right to write below the directory.
 */
#ifndef GLOVEBOX_MOVER_PUT_H
#define GLOVEBOX_MOVER_PUT_H

/*
 * put_run - unpack below @directory.
 *
 * @top  the one name there that members may have or lie below, and that hard links may lead to:
 *       what was asked of a sandbox lands nowhere else, whatever the sandbox sends. NULL: any name.
 * Errors are in the notes (mover/note.h). Changes the umask.
 */
void put_run(const char *directory, const char *top);

/*
 * put_lay - lay what layer_write() has written into this root, before any other program.
 *
 * Directories that are there get the mode and the time that they had. What a mount covers is left
 * out. A tar that something else has changed can do what the sandbox's program could do.
 */
void put_lay(void);

#endif
