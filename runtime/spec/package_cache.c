/*
 * package_cache - --cache pip: the user's directory of wheels, read-only in a sandbox.
 */
#include "spec/package_cache.h"

#include <unistd.h>

#include "base/cache_dir.h"
#include "base/own.h"

int package_cache_finish(struct sandbox_spec *s, struct err *e)
{
	auto_free char *directory = NULL;
	struct mount_spec *m;
	char *source;

	if (s->cache == PACKAGE_CACHE_NONE)
		return 0;
	directory = cache_dir(e);
	if (!directory)
		return err_prefix(e, "--cache");
	source = spec_printf(s, "%s/" PACKAGE_CACHE_WHEELS, directory);
	if (access(source, F_OK) && errno == ENOENT)
		return err_input(e,
				 "--cache: there is no cache yet; glovebox cache pip NAME makes "
				 "one, in %.200s",
				 source);
	m = spec_add_mount(s, MOUNT_BIND, PACKAGE_CACHE_PLACE);
	m->source = source;
	m->read_only = true;
	return 0;
}

const char *const *package_cache_variables(const struct sandbox_spec *s)
{
	static const char *const none[] = {NULL};
	static const char *const found[] = {"PIP_FIND_LINKS=" PACKAGE_CACHE_PLACE, NULL};
	static const char *const alone[] = {"PIP_FIND_LINKS=" PACKAGE_CACHE_PLACE, "PIP_NO_INDEX=1",
					    NULL};

	if (s->cache == PACKAGE_CACHE_NONE)
		return none;
	return s->egress.has_list ? found : alone;
}
