/*
 * generate - the manual page of `glovebox image`, and the words of its completion.
 *
 * Runs: glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_ROOTFS_GENERATE_H
#define GLOVEBOX_ROOTFS_GENERATE_H

/*
 * generate - "man", or "words" and the words behind `glovebox image` so far, of which the last is
 * perhaps empty. Prints; returns the exit status, or -1 if it is neither.
 */
int generate(int argc, char **argv);

#endif
