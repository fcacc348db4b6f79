/*
 * terms - the limits of one request's run.
 */
#include "request/terms.h"

#include <string.h>

#include "loop/clock.h"
#include "request/server.h"
#include "spec/setting_ceiling.h"
#include "spec/setting_sources.h"

int terms_read(const struct request *r, const struct json *limits, struct sandbox_spec *terms,
	       struct err *e)
{
	const struct serve_options *o = &r->server->options;
	struct settings settings = settings_of_caller(terms);

	spec_init(terms);
	spec_copy_limits(terms, &r->server->terms);
	memset(terms->given, 0, sizeof(terms->given));
	settings.sections = false;
	if (limits && settings_from_json(&settings, limits, e))
		return err_prefix(e, "limits");
	if (settings_check_ceiling(terms, &r->key->ceiling.run, e))
		return -1;
	terms->limits.output_bytes = clock_earlier(o->output_max, terms->limits.output_bytes);
	return 0;
}
