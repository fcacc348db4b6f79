/*
 * note - say on descriptor 2 what went wrong and what was left out, and which exit code that is.
 *
 * A line is KIND "cannot TEXT NAME: REASON", or KIND "TEXT: NAME" where the kernel has refused
 * nothing. Bytes of a name that are not printed in ASCII, and backslashes, become \ooo: names are a
 * stranger's, a line stays one. monitor/copying.c reads the lines.
 *
 * Touches the OS. Runs: mover. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_NOTE_H
#define GLOVEBOX_MOVER_NOTE_H

#define NOTE_DONE     0
#define NOTE_FAILED   1
#define NOTE_USAGE    2
#define NOTE_LEFT_OUT 3
#define NOTE_NO_ROOM  4 /* it failed for want of room */

#define NOTE_FAILURE  "failed: "
#define NOTE_OMISSION "left out: "

#define NOTE_LINES    100 /* of what was left out */

/* @text: with an error what was tried, as "open". @name: NULL: none. @error: a negative errno, or
 * 0. Only the first failure is told. */
void note_failure(const char *text, const char *name, long error);
void note_left_out(const char *text, const char *name, long error);

/* Say how many more were left out than lines were printed. Returns the exit code. */
int note_end(void);

#endif
