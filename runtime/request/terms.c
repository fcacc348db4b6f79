/*
 * terms - the limits of one request's run.
 */
#include "request/terms.h"

#include <string.h>

#include "loop/clock.h"
#include "request/server.h"
#include "spec/egress_list.h"
#include "spec/egress_within.h"
#include "spec/setting_ceiling.h"
#include "spec/setting_sources.h"

#define TERMS_WANTED "\"egress\": say true, or a list of hosts"

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

int terms_reach_all(const struct request *r, struct sandbox_spec *terms, struct err *e)
{
	const struct list *hosts = &r->key->ceiling.quota.egress;

	return hosts->count ? egress_list_add_hosts(terms, hosts->items, hosts->count, e) : 0;
}

static int terms_reach_hosts(const struct request *r, const struct list *hosts,
			     struct sandbox_spec *terms, struct err *e)
{
	const struct sandbox_spec *most = &r->key->ceiling.run;

	return egress_list_add_hosts(terms, hosts->items, hosts->count, e) ||
			       egress_within(terms, &most->egress, NULL, e)
		       ? -1
		       : 0;
}

static int terms_reach_some(const struct request *r, const struct json *list,
			    struct sandbox_spec *terms, struct err *e)
{
	auto_list struct list hosts = {0};

	for (const struct json *item = json_first(list); item; item = json_next(item)) {
		const char *host = json_string(item);

		if (!host)
			return err_input(e, TERMS_WANTED);
		list_add(&hosts, host);
	}
	return terms_reach_hosts(r, &hosts, terms, e);
}

static int terms_reach_any(const struct request *r, struct sandbox_spec *terms, struct err *e)
{
	if (!r->key->ceiling.quota.egress.count)
		return err_set(e, ERR_LIMIT, "\"egress\": no ceiling here names a host");
	return terms_reach_all(r, terms, e);
}

int terms_reach_text(const struct request *r, const char *egress, struct sandbox_spec *terms,
		     struct err *e)
{
	auto_list struct list hosts = {0};

	if (!egress)
		return 0;
	if (!strcmp(egress, "true"))
		return terms_reach_any(r, terms, e);
	while (*egress) {
		const size_t length = strcspn(egress, ",");

		list_addf(&hosts, "%.*s", (int)length, egress);
		egress += length + (egress[length] == ',');
	}
	return terms_reach_hosts(r, &hosts, terms, e);
}

int terms_reach(const struct request *r, const struct json *egress, struct sandbox_spec *terms,
		struct err *e)
{
	if (!egress || json_is_null(egress))
		return 0;
	if (json_is_array(egress))
		return terms_reach_some(r, egress, terms, e);
	if (!json_is_bool(egress))
		return err_input(e, TERMS_WANTED);
	return json_is_true(egress) ? terms_reach_any(r, terms, e) : 0;
}
