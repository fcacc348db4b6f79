/*
 * listing - shared by commands that list: a table for people, --json for programs.
 */
#include "cli/listing.h"

#include <stddef.h>
#include <stdio.h>

#include "flags/setting_words.h"

struct listing_options {
	bool json;
};

/* clang-format off */
const struct setting listing_settings[] = {
	{"json", 0, NULL, GROUP_RESULT, FACE_CALL, SETTING_FLAG, offsetof(struct listing_options, json), NULL, .help = "print JSON, for programs, instead of a table"},
	SETTING_END,
};
/* clang-format on */

int listing_read(int argc, char **argv, bool *json, struct err *e)
{
	struct listing_options options = {0};
	const struct settings settings = {.face = FACE_CALL,
					  .grammar = WORDS_ANYWHERE,
					  .tables = {{listing_settings, &options, NULL}},
					  .hint = ""};
	int used;

	if (setting_words(&settings, argc - 1, argv + 1, &used, e))
		return -1;
	for (int i = 1; i + used <= argc; i++)
		argv[i] = argv[i + used]; /* including the NULL at the end */
	*json = options.json;
	return argc - used;
}

void listing_print_age(uint64_t ms, int width)
{
	static const struct {
		const char *unit;
		uint64_t seconds;
	} units[] = {
		{"d", 86400},
                {"h", 3600 },
                {"m", 60   },
                {"s", 1    }
        };
	uint64_t seconds = ms / 1000;
	char text[32];
	size_t u = 0;

	while (units[u].seconds > 1 && seconds < units[u].seconds)
		u++;
	snprintf(text, sizeof(text), "%llu%s", (unsigned long long)(seconds / units[u].seconds),
		 units[u].unit);
	printf("%-*s", width, text);
}

const char *listing_bytes(uint64_t bytes, char out[LISTING_BYTES])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
	double value = (double)bytes;
	int unit = 0;

	for (; value >= 1024 && unit < 3; unit++)
		value /= 1024;
	snprintf(out, LISTING_BYTES, value < 10 && unit ? "%.1f %s" : "%.0f %s", value,
		 units[unit]);
	return bytes == UINT64_MAX ? "-" : out;
}
