/*
 * fuzz_env_file - the content of an --env-file: variables, or a refusal.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "spec/program_flags.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("env", MFD_CLOEXEC);
	struct sandbox_spec s;
	struct err e = {0};
	char path[64];

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	spec_init(&s);
	if (program_flag_env_file(&s, path, &e))
		fuzz_check_error(&e);
	for (size_t i = 0; i < s.env_file.count; i++) {
		const char *line = s.env_file.items[i];
		const char *eq = strchr(line, '=');

		MUST(eq && eq > line);
		MUST(*line != '#' && *line != ' ' && *line != '\t');
		MUST(strcspn(line, " \t") >= (size_t)(eq - line));
	}
	spec_fini(&s);
	close(fd);
	return 0;
}
