/*
 * writable - --writable[=SIZE]: changes to the root, kept in memory while the sandbox lives.
 */
#include "spec/writable.h"

#include <string.h>

#include "base/parse.h"
#include "spec/run_settings.h"

#define LEAST   (64ull << 10)
#define MOST    (1ull << 46)
#define DEFAULT (1ull << 30)

int writable_flag(void *spec, const char *value, struct err *e)
{
	struct sandbox_spec *s = spec;
	struct err ignored;

	s->writable_bytes = 0;
	if (!parse_bool(value, &s->writable, &ignored))
		return 0;
	s->writable = true;
	return parse_size(value, LEAST, MOST, &s->writable_bytes, e);
}

/*
 * Changes count as memory. At half of the limit a full overlay fails the write (ENOSPC), before the
 * kernel ends the sandbox for its memory.
 */
static uint64_t writable_default(const struct limits *l)
{
	return l->memory_bytes / 2 < DEFAULT ? l->memory_bytes / 2 : DEFAULT;
}

/* docker's containers have a root that can be changed, and this machine's own /usr has none. */
static bool writable_is_expected(const struct sandbox_spec *s)
{
	return s->is_docker && s->stays && strncmp(s->image, "host:", 5) != 0 &&
	       !setting_given(run_settings, s->given, "read-only") &&
	       !setting_given(run_settings, s->given, "writable");
}

int writable_finish(struct sandbox_spec *s, struct err *e)
{
	s->writable |= writable_is_expected(s);
	if (!s->writable)
		return 0;
	if (setting_given(run_settings, s->given, "read-only"))
		return err_input(e, "--read-only conflicts with --writable: give one of the two");
	if (!s->writable_bytes)
		s->writable_bytes = writable_default(&s->limits);
	return 0;
}
