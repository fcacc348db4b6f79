/*
 * defuse - text of programs and files, made harmless for a model to read.
 *
 * Theory of operation. The output of a program is put between lines of ours. Three things would let
 * it pretend to be more than output: invisible characters, marks that a chat template or we
 * ourselves use, and the fence around it. So control characters are written as escapes, invisible
 * and bidirectional ones as \uXXXX, bad UTF-8 as U+FFFD; and a mark gets a blank after its first
 * character: "[ EXECUTION RESULT]", "< |im_start|>", "` ``". Marks are recognised in any case, with
 * any blanks and punctuation. Output that was written for a terminal is resolved before
 * (base/terminal_text.h).
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

/* The same in one line: line breaks and tabs are escaped, too. */
void defuse_line(const void *bytes, size_t length, struct buf *out);

/*
 * A code point that is invisible, changes the direction of text, or counts as a line end for some.
 */
bool defuse_is_invisible(uint32_t code);

#endif
