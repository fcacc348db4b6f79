/*
 * text_width - how many columns text takes on a terminal: 0 for combining marks, 2 for wide
 * East Asian characters and emoji, else 1. wcwidth(3) would need a locale of UTF-8 to be set.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_TEXT_WIDTH_H
#define GLOVEBOX_AGENT_TEXT_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* The width of one visible code point. */
unsigned text_width_of(uint32_t code);

/* The length of the longest prefix of UTF-8 text that fits; *used: its columns. */
size_t text_width_cut(const char *text, size_t length, size_t columns, size_t *used);

#endif
