/*
 * fuzz_image_reference - a name is canonical and stays inside the store, or is refused.
 */
#include "fuzz.h"

#include "image/image_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	char *again = NULL;
	char *name = NULL;
	struct err e = {0};

	if (image_reference(text, &name, &e)) {
		MUST(!name);
		fuzz_check_error(&e);
	} else {
		MUST(strlen(name) <= 255);
		MUST(strchr(name, ':'));
		MUST(name[0] != '/' && name[0] != '.' && name[0] != '-');
		MUST(!strchr(name, '+') && !strchr(name, '@')); /* '/' becomes '+' in the store */
		MUST(!strstr(name, "//") && !strstr(name, "/."));
		for (const char *p = name; *p; p++)
			MUST(*p > ' ' && *p < 0x7f);
		MUST(!image_reference(name, &again, &e));
		MUST(!strcmp(name, again)); /* canonical is canonical */
	}
	free(again);
	free(name);
	free(text);
	return 0;
}
