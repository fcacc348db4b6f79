/*
 * image_reference - the canonical form of an image's name, by Docker's grammar.
 *
 * Pure.
 *
 * Runs: anywhere. Needs: nothing.
 */
#ifndef GLOVEBOX_IMAGE_IMAGE_REFERENCE_H
#define GLOVEBOX_IMAGE_IMAGE_REFERENCE_H

#include "base/err.h"

/*
 * image_reference - "python" is "python:latest", "docker.io/library/python:3.12" is "python:3.12".
 *
 * @text  what a user typed.
 * @out   owned by the caller (free).
 * Errors: ERR_INPUT for what Docker's grammar refuses (upper case, "..", empty parts, longer than
 * 255 bytes); digests (@sha256:...) are refused by name.
 */
int image_reference(const char *text, char **out, struct err *e);

#endif
