/*
 * defuse - text of programs and files, made harmless for a model to read.
 *
 * Theory of operation. What a program prints is put between lines of ours. Three things would
 * let it pretend to be more than output: characters that are not seen, marks that a chat
 * template or we ourselves use, and the fence around it. So control characters are written as
 * escapes (colours are left out, of a line that overwrites itself the last state stays),
 * invisible and bidirectional ones as \uXXXX, bad UTF-8 as U+FFFD; into a mark one blank is
 * put behind its first character: "[ EXECUTION RESULT]", "< |im_start|>", "` ``". Marks are
 * compared without regard to case, blanks and punctuation.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_DEFUSE_H
#define GLOVEBOX_AGENT_DEFUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

void defuse(const void *bytes, size_t length, struct buf *out);

/* The same in one line: line breaks and tabs are escapes, too. */
void defuse_line(const void *bytes, size_t length, struct buf *out);

/* A code point that is not seen, turns the direction of text, or ends a line for some. */
bool defuse_is_invisible(uint32_t code);

#endif
