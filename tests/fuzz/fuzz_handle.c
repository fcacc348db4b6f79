/*
 * fuzz_handle - nothing but what was made for an owner is his handle.
 */
#include "fuzz.h"

#include "tenant/handle.h"

#define OWNER "alice"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct handle_secret secret = {{7}};
	char *text = fuzz_string(data, size);
	char made[HANDLE_BYTES];
	char label[HANDLE_LABEL_MOST + 1] = "";

	/* The seeds were made with another secret. */
	MUST(!handle_check(&secret, OWNER, text));
	snprintf(label, sizeof(label), "%.16s", text);
	if (!handle_label_is_valid(label))
		label[0] = '\0';
	handle_make(&secret, OWNER, *label ? label : NULL, made);
	MUST(strlen(made) < HANDLE_BYTES && handle_check(&secret, OWNER, made));
	MUST(!handle_check(&secret, text, made) || !strcmp(text, OWNER));
	/* One byte is changed. */
	if (size > 1) {
		size_t at = data[0] % strlen(made);

		if (data[1] && (char)data[1] != made[at]) {
			made[at] = (char)data[1];
			MUST(!handle_check(&secret, OWNER, made));
		}
	}
	free(text);
	return 0;
}
