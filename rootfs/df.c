/*
 * df - `glovebox image df`: show the store's disk use, and how much of it can be freed.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/own.h"
#include "command.h"
#include "rootfs/store/leftovers.h"
#include "rootfs/store/size.h"
#include "rootfs/store/store.h"
#include "rootfs/store/usage.h"

struct df_options {
	uint64_t quota;
};

/* clang-format off */
static const struct setting df_settings[] = {
	{"quota", 0, "SIZE", GROUP_PROGRAM, FACE_IMAGE, SETTING_BYTES, offsetof(struct df_options, quota), NULL, .min = 1, .max = INT64_MAX, .none = "0", .help = "let your images take so much: builds and imports beyond it are refused; 0: no limit"},
	SETTING_END,
};
/* clang-format on */

static void df_print(const char *what, size_t count, uint64_t bytes, const char *remedy)
{
	char size[24];

	printf("%-10s %6zu  %-8s %s\n", what, count, size_text(bytes, size), count ? remedy : "");
}

static int df_run(int argc, char **argv, struct err *e)
{
	auto_store struct store s = {.fd = -1, .tmp_fd = -1};
	auto_list struct list tagged = {0};
	auto_list struct list untagged = {0};
	uint64_t bytes[2] = {0};
	struct df_options o = {0};
	struct leftovers kept;
	auto_fd int lock = -1;
	uint64_t quota;
	int at = arguments_read(&command_df, argc, argv, &o, e);

	if (at < 0 || arguments_expect(&command_df, argc - at, 0, 0, e) || store_open(&s, e))
		return -1;
	/* Hold the lock: a tree that another process removes would fail the walk. */
	lock = store_lock(&s, e);
	if (lock < 0 || (o.quota && usage_set_quota(&s, o.quota, e)) ||
	    usage_quota(&s, &quota, e) || store_trees(&s, &tagged, &untagged, e) ||
	    usage_add(&s, &tagged, &bytes[0], e) || usage_add(&s, &untagged, &bytes[1], e))
		return -1;
	leftovers_count(&s, &kept);
	printf("%-10s %6s  %-8s %s\n", "WHAT", "COUNT", "SIZE", "REMOVED BY");
	df_print("images", tagged.count, bytes[0], "glovebox image rm NAME, or prune --all");
	df_print("untagged", untagged.count, bytes[1], "glovebox image prune");
	df_print("bases", kept.count, kept.bytes, "glovebox image prune --bases");
	df_print("total", tagged.count + untagged.count + kept.count,
		 bytes[0] + bytes[1] + kept.bytes, "");
	if (quota != USAGE_UNLIMITED)
		df_print("quota", tagged.count + untagged.count, quota,
			 "of the images; df --quota 0");
	return 0;
}

const struct command command_df = {
	.name = "df",
	.usage = "[--quota SIZE]",
	.summary = "Say what your images take on the disk",
	.settings = df_settings,
	.help = "Bases are what builds keep for later builds: those of recipes, and what a RUN "
		"has\n"
		"changed. Images of others are not counted.\n",
	.run = df_run,
};
