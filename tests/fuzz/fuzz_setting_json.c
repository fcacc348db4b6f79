/*
 * fuzz_setting_json - what a caller from elsewhere asks for: within its bounds and below the
 * ceiling.
 */
#include "fuzz.h"

#include "base/json.h"
#include "spec/setting_ceiling.h"
#include "spec/setting_sources.h"

static void check(struct sandbox_spec *asked, const struct sandbox_spec *ceiling)
{
	struct err e = {0};

	MUST(asked->limits.memory_bytes >= 6 << 20 && asked->limits.pids > 0);
	MUST(!asked->env.count && !asked->mount_count && !asked->code_file);
	MUST(asked->seccomp == SECCOMP_SHIPPED);
	if (settings_check_ceiling(asked, ceiling, &e)) {
		MUST(e.kind == ERR_LIMIT);
		fuzz_check_error(&e);
		return;
	}
	MUST(asked->limits.memory_bytes <= ceiling->limits.memory_bytes);
	MUST(asked->asked.cpus_milli <= ceiling->asked.cpus_milli);
	MUST(asked->limits.wall_time_ms <= ceiling->limits.wall_time_ms);
	if (spec_finish(asked, &e))
		fuzz_check_error(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char most[] = "{\"limits\":{\"memory\":\"1g\",\"cpus\":2,\"timeout\":60}}";
	struct sandbox_spec asked;
	struct sandbox_spec ceiling;
	struct settings settings;
	struct err e = {0};
	struct json *ours = json_parse(most, sizeof(most) - 1, &e);
	struct json *document = json_parse((const char *)data, size, &e);

	spec_init(&asked);
	spec_init(&ceiling);
	settings = settings_of_caller(&asked);
	MUST(ours && !settings_read_ceiling(ours, &ceiling, &e));
	if (!document || settings_from_json(&settings, document, &e))
		fuzz_check_error(&e);
	else
		check(&asked, &ceiling);
	spec_fini(&asked);
	spec_fini(&ceiling);
	json_free(ours);
	json_free(document);
	return 0;
}
