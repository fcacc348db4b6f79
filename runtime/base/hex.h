/*
 * hex - the value of a hexadecimal digit.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_HEX_H
#define GLOVEBOX_BASE_HEX_H

/* Return the value of a digit of either case, or -1. In no locale are there others. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

#endif
