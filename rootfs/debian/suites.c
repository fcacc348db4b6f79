/*
 * suites - facts about suites, by name.
 */
#include "suites.h"

#include <stddef.h>
#include <string.h>

static const struct suite {
	const char *name;
	bool rolling;
} debians[] = {
	{"bullseye",     false},
        {"bookworm",     false},
        {"trixie",       false},
        {"forky",        false},
	{"duke",         false},
        {"sid",          true },
        {"unstable",     true },
        {"oldoldstable", false},
	{"oldstable",    false},
        {"stable",       false},
        {"testing",      false},
};

static const struct suite *suites_find(const char *name)
{
	for (size_t i = 0; i < sizeof(debians) / sizeof(debians[0]); i++) {
		if (!strcmp(debians[i].name, name))
			return &debians[i];
	}
	return NULL;
}

bool suite_is_debians(const char *suite)
{
	return suites_find(suite) != NULL;
}

bool suite_is_rolling(const char *suite)
{
	const struct suite *known = suites_find(suite);

	return known && known->rolling;
}
