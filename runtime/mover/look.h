/*
 * look - say what is at a path, without following it.
 *
 * One line: TYPE MODE SIZE MTIME NAME [LINK]. TYPE is file, dir, link or other; MODE is octal;
 * NAME, the path's last part, and LINK, the text of a link, are hexadecimal, because names are any
 * bytes.
 *
 * Touches the OS. Runs: mover stat. Needs: the right to search the directories on the way.
 */
#ifndef GLOVEBOX_MOVER_LOOK_H
#define GLOVEBOX_MOVER_LOOK_H

/* Errors are in the notes (mover/note.h). */
void look_run(const char *path);

#endif
