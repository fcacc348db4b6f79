/*
 * generate - write the manual page of `glovebox image`, and the words of its completion.
 *
 * Runs: glovebox-image. Needs: nothing.
 */
#ifndef GLOVEBOX_ROOTFS_GENERATE_H
#define GLOVEBOX_ROOTFS_GENERATE_H

/*
 * generate - "man", or "words" with the words after `glovebox image` so far, the last one perhaps
 * empty. Prints; returns the exit status, or -1 for another word.
 */
int generate(int argc, char **argv);

#endif
