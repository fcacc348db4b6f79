/*
 * fuzz_recipe - what an image recipe hands to apt and pip can be no option and no path.
 */
#include "fuzz.h"

#include "../../rootfs/debian/recipe.h"

static void check_words(const struct list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		MUST(l->items[i][0] && l->items[i][0] != '-');
		MUST(!strpbrk(l->items[i], "/ \t\n;|&$`\"'\\"));
		MUST(strlen(l->items[i]) <= 200);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_recipe struct recipe r = {0};
	struct err e = {0};

	/* Twice, as a base and what is built on it. */
	for (int i = 0; i < 2; i++) {
		if (recipe_parse(&r, (const char *)data, size, &e))
			fuzz_check_error(&e);
	}
	check_words(&r.apt);
	check_words(&r.pip);
	check_words(&r.without);
	check_words(&r.preload);
	for (size_t i = 0; i < r.env.count; i++)
		MUST(strchr(r.env.items[i], '=') > r.env.items[i]);
	return 0;
}
