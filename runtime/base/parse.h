/*
 * parse - parse numbers, sizes and durations, with ranges.
 *
 * Every number from outside passes through here. A failure is ERR_INPUT; its text names the value
 * and the accepted ones, and the caller adds the flag's name. Outputs are unchanged on error.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_PARSE_H
#define GLOVEBOX_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Decimal integer, optional sign, nothing around it. */
int parse_int(const char *text, int64_t min, int64_t max, int64_t *out, struct err *e);

/* Octal integer as chmod takes it ("1777", "0755"). */
int parse_octal(const char *text, uint32_t max, uint32_t *out, struct err *e);

/*
 * Bytes as Docker writes them: a decimal number, then b, k, m, g or t, or kb, kib and so on, in any
 * case.
 */
int parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *out_bytes, struct err *e);

/* "30", "30s", "1.5m", "250ms", "1h30m"; a bare number means seconds. */
int parse_duration(const char *text, uint64_t min_ms, uint64_t max_ms, uint64_t *out_ms,
		   struct err *e);

/* Decimal fraction in units of 10^-`places`: parse_decimal("1.5", 3) is 1500. */
int parse_decimal(const char *text, unsigned places, uint64_t max, uint64_t *out, struct err *e);

/* true/false as pflag accepts them: 1 t true 0 f false, in any case. */
int parse_bool(const char *text, bool *out, struct err *e);

/* Write bytes as Docker users do: 536870912 is "512m". */
const char *format_size(uint64_t bytes, char out[24]);

/* Write a duration as a flag would give it: "300ms", "2s". `out` holds at least 24 bytes. */
const char *format_duration(uint64_t ms, char out[24]);

#endif
