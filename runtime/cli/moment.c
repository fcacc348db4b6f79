/*
 * moment - the moments that people name: --since and --until.
 */
#include "cli/moment.h"

#include <string.h>
#include <time.h>

#include "base/own.h"
#include "base/parse.h"
#include "loop/clock.h"

#define LONGEST_MS (100ull * 366 * 24 * 3600 * 1000)

/* ".25" is 250 ms. Returns its end. */
static const char *moment_parse_fraction(const char *text, uint64_t *ms)
{
	*ms = 0;
	if (*text != '.')
		return text;
	text++;
	for (unsigned weight = 100; *text >= '0' && *text <= '9'; text++, weight /= 10)
		*ms += (uint64_t)(*text - '0') * weight;
	return text;
}

/* Seconds of the epoch, with a fraction: "1796007015.123". Returns whether it is that. */
static bool moment_parse_epoch(const char *text, uint64_t *out)
{
	const size_t digits = strspn(text, "0123456789");
	auto_free char *whole = own_strndup(text, digits);
	struct err ignored;
	int64_t seconds;
	uint64_t ms;

	if (*moment_parse_fraction(text + digits, &ms) ||
	    parse_int(whole, 0, INT32_MAX * 1000ll, &seconds, &ignored))
		return false;
	*out = (uint64_t)seconds * 1000 + ms;
	return true;
}

int moment_parse(uint64_t *out, const char *value, struct err *e)
{
	struct tm tm = {0};
	const char *end = strptime(value, "%Y-%m-%dT%H:%M:%S", &tm);
	uint64_t ms;
	uint64_t ago;

	if (!end) {
		tm = (struct tm){0};
		end = strptime(value, "%Y-%m-%d", &tm);
	}
	if (end)
		end = moment_parse_fraction(end, &ms);
	if (end && (!*end || !strcmp(end, "Z"))) {
		*out = (uint64_t)timegm(&tm) * 1000 + ms;
		return 0;
	}
	if (moment_parse_epoch(value, out))
		return 0;
	if (parse_duration(value, 0, LONGEST_MS, &ago, e))
		return err_input(
			e,
			"\"%.100s\" is neither a time (2026-11-29T12:00:00Z) nor a duration "
			"(10m)",
			value);
	*out = clock_now_ms() - (ago < clock_now_ms() ? ago : clock_now_ms());
	return 0;
}
