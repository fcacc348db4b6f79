/*
 * ago - how long ago a time was, as docker images says it.
 */
#include "base/ago.h"

#include <stdio.h>
#include <time.h>

uint64_t ago_seconds(const char *when)
{
	struct tm tm = {0};

	return when && strptime(when, "%Y-%m-%dT%H:%M:%S", &tm) ? (uint64_t)timegm(&tm) : 0;
}

const char *ago_text(const char *when, char out[32])
{
	static const struct {
		time_t seconds;
		const char *name;
	} units[] = {
		{31536000, "year"  },
                {2592000,  "month" },
                {604800,   "week"  },
                {86400,    "day"   },
		{3600,     "hour"  },
                {60,       "minute"},
                {1,        "second"}
        };
	const time_t began = (time_t)ago_seconds(when);
	const time_t age = time(NULL) - began;

	snprintf(out, 32, "-");
	if (!began)
		return out;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		time_t n = age / units[i].seconds;

		if (n <= 0)
			continue;
		snprintf(out, 32, "%lld %s%s ago", (long long)n, units[i].name, n == 1 ? "" : "s");
		return out;
	}
	snprintf(out, 32, "just now");
	return out;
}
