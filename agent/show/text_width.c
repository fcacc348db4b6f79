/*
 * text_width - how many columns text takes on a terminal.
 */
#include "agent/show/text_width.h"

#include <stdbool.h>

#include "base/utf8.h"

struct range {
	uint32_t first;
	uint32_t last;
};

/* Marks that stand on the character before them, and what is not seen. In order. */
static const struct range no_width[] = {
	{0x0300, 0x036f},
        {0x0483, 0x0489},
        {0x0591, 0x05bd},
        {0x0610, 0x061a},
        {0x064b, 0x065f},
	{0x06d6, 0x06dc},
        {0x06df, 0x06e4},
        {0x0900, 0x0902},
        {0x093c, 0x093c},
        {0x0941, 0x0948},
	{0x094d, 0x094d},
        {0x0e31, 0x0e31},
        {0x0e34, 0x0e3a},
        {0x0e47, 0x0e4e},
        {0x1ab0, 0x1aff},
	{0x1dc0, 0x1dff},
        {0x200b, 0x200f},
        {0x20d0, 0x20ff},
        {0x302a, 0x302d},
        {0x3099, 0x309a},
	{0xfe00, 0xfe0f},
        {0xfe20, 0xfe2f},
};

static const struct range two_columns[] = {
	{0x1100,  0x115f },
        {0x231a,  0x231b },
        {0x23e9,  0x23ec },
        {0x25fd,  0x25fe },
	{0x2614,  0x2615 },
        {0x2648,  0x2653 },
        {0x267f,  0x267f },
        {0x26a1,  0x26a1 },
	{0x26aa,  0x26ab },
        {0x26bd,  0x26be },
        {0x26c4,  0x26c5 },
        {0x26d4,  0x26d4 },
	{0x26ea,  0x26ea },
        {0x2705,  0x2705 },
        {0x270a,  0x270b },
        {0x2728,  0x2728 },
	{0x274c,  0x274c },
        {0x274e,  0x274e },
        {0x2753,  0x2757 },
        {0x2795,  0x2797 },
	{0x2b1b,  0x2b1c },
        {0x2b50,  0x2b50 },
        {0x2b55,  0x2b55 },
        {0x2e80,  0x303e },
	{0x3041,  0xa4cf },
        {0xa960,  0xa97f },
        {0xac00,  0xd7a3 },
        {0xf900,  0xfaff },
	{0xfe30,  0xfe6f },
        {0xff00,  0xff60 },
        {0xffe0,  0xffe6 },
        {0x1f18e, 0x1f18e},
	{0x1f191, 0x1f19a},
        {0x1f200, 0x1f320},
        {0x1f32d, 0x1f64f},
        {0x1f680, 0x1f6ff},
	{0x1f7e0, 0x1f7eb},
        {0x1f900, 0x1f9ff},
        {0x1fa70, 0x1faff},
        {0x20000, 0x3fffd},
};

static bool is_within(const struct range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count && ranges[i].first <= code; i++)
		if (code <= ranges[i].last)
			return true;
	return false;
}

unsigned text_width_of(uint32_t code)
{
	if (code < 0x300)
		return 1;
	if (is_within(no_width, sizeof(no_width) / sizeof(no_width[0]), code))
		return 0;
	return is_within(two_columns, sizeof(two_columns) / sizeof(two_columns[0]), code) ? 2 : 1;
}

size_t text_width_cut(const char *text, size_t length, size_t columns, size_t *used)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t i = 0;

	*used = 0;
	while (i < length) {
		uint32_t code;
		size_t n = utf8_decode(p + i, length - i, &code);
		unsigned width = text_width_of(code);

		if (*used + width > columns)
			break;
		*used += width;
		i += n;
	}
	return i;
}
