/*
 * defuse - escape text of programs and files for a model.
 *
 * Theory of operation. The output of a program stands between lines of ours. Three things would let
 * it pretend to be more than output: invisible characters, marks of a chat template or of ours, and
 * the fence around it. So control characters are written as escapes, invisible and bidirectional
 * ones as \uXXXX, invalid UTF-8 as U+FFFD; and a mark gets a blank after its first character: "[
 * EXECUTION RESULT]", "< |im_start|>", "` ``". Marks are recognised in any case, with any blanks
 * and punctuation. Terminal sequences are resolved before (base/terminal_text.h).
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

/* Defuse into one line: line breaks and tabs are escaped, too. */
void defuse_line(const void *bytes, size_t length, struct buf *out);

/*
 * Whether a code point is invisible, changes the direction of text, or ends a line for some
 * readers.
 */
bool defuse_is_invisible(uint32_t code);

#endif
