/*
 * fuzz_files_path - a path below /workspace is clean, short and stays below, or is refused.
 */
#include "fuzz.h"

#include "workspace/files_path.h"

static void check_names(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "/");

		MUST(length > 0 && length <= FILES_NAME_BYTES_MAX);
		MUST(!(length == 1 && *text == '.'));
		MUST(!(length == 2 && !memcmp(text, "..", 2)));
		text += length;
		MUST(!*text || text[1]); /* no slash at the end */
		text += *text == '/';
	}
}

/* Clean is clean; and below /workspace it is the same. */
static void check_again(const struct files_path *p)
{
	char absolute[sizeof("/workspace/") + FILES_PATH_BYTES_MAX];
	struct files_path again;
	struct err e = {0};

	MUST(!files_path_set(&again, p->text, &e));
	MUST(!strcmp(again.text, p->text) && again.name == p->name);
	MUST(again.directory == !*p->text);
	snprintf(absolute, sizeof(absolute), "/workspace/%s", p->text);
	if (strlen(absolute) > FILES_PATH_BYTES_MAX)
		return;
	MUST(!files_path_set(&again, absolute, &e));
	MUST(!strcmp(again.text, p->text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct files_path *p = malloc(sizeof(*p));
	struct err e = {0};

	if (!p)
		abort();
	if (files_path_set(p, text, &e)) {
		fuzz_check_error(&e);
	} else {
		const char *slash = strrchr(p->text, '/');

		MUST(strlen(text) <= FILES_PATH_BYTES_MAX);
		MUST(strlen(p->text) <= strlen(text));
		MUST(p->text + p->name == (slash ? slash + 1 : p->text));
		MUST(*p->text || p->directory);
		check_names(p->text);
		check_again(p);
	}
	free(p);
	free(text);
	return 0;
}
