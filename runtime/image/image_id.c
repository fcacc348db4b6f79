/*
 * image_id - find an image by its id, or by the beginning of one.
 */
#include "image/image_id.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/own.h"
#include "fs/names.h"

#define WHOLE      (IMAGE_ID - 1)
#define DIGITS_MIN 12
#define DIRECTORY  (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

bool image_id_of_target(const char *target, char id[IMAGE_ID])
{
	const char *digits = !strncmp(target, "../trees/", 9) ? target + 9 : "";

	if (strlen(digits) != WHOLE || strspn(digits, "0123456789abcdef") != WHOLE)
		return false;
	memcpy(id, digits, IMAGE_ID);
	return true;
}

/* Return the number of digits; 0: the name has another form. */
static size_t image_id_digits(const char *reference, const char **digits)
{
	const bool is_said = !strncmp(reference, "sha256:", 7);
	size_t length;

	*digits = reference + (is_said ? 7 : 0);
	length = strspn(*digits, "0123456789abcdef");
	if (length > WHOLE || strcmp(*digits + length, is_said ? "" : ":latest") != 0)
		return 0;
	return is_said || length >= DIGITS_MIN ? length : 0;
}

/* Ids of a store: of its trees, or of its tags where it is another user's. */
static void image_id_read(const char *store, struct list *out)
{
	auto_free char *trees = own_printf("%s/trees", store);
	auto_free char *tags = own_printf("%s/tags", store);
	auto_fd int trees_fd = open(trees, DIRECTORY);
	auto_fd int tags_fd = trees_fd < 0 ? open(tags, DIRECTORY) : -1;
	auto_list struct list names = {0};

	if (trees_fd >= 0)
		(void)names_read(trees_fd, SIZE_MAX, out);
	if (tags_fd < 0 || names_read(tags_fd, SIZE_MAX, &names) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		char target[128] = "";
		char id[IMAGE_ID];

		if (readlinkat(tags_fd, names.items[i], target, sizeof(target) - 1) > 0 &&
		    image_id_of_target(target, id))
			list_add(out, id);
	}
}

int image_id_find(const char *store, const char *reference, char id[IMAGE_ID], struct err *e)
{
	auto_list struct list ids = {0};
	const char *digits;
	const size_t length = image_id_digits(reference, &digits);
	int found = 0;

	if (!length)
		return 0;
	image_id_read(store, &ids);
	for (size_t i = 0; i < ids.count; i++) {
		if (strlen(ids.items[i]) != WHOLE || strncmp(ids.items[i], digits, length) != 0 ||
		    (found && !strcmp(id, ids.items[i])))
			continue;
		if (found)
			return err_input(e, "%.70s begins the ids of several images", reference);
		memcpy(id, ids.items[i], IMAGE_ID);
		found = 1;
	}
	return found;
}
