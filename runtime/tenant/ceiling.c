/*
 * ceiling - the upper bounds of one run, and of all that a key has.
 */
#include "tenant/ceiling.h"

#include <stdlib.h>

#include "ceiling_file.h"
#include "fs/document.h"
#include "spec/egress_list.h"
#include "spec/egress_within.h"
#include "spec/setting_ceiling.h"

static struct setting_table ceiling_quotas(struct ceiling *c)
{
	return (struct setting_table){quota_settings, &c->quota, c->quota.given};
}

void ceiling_init(struct ceiling *c)
{
	struct err e;
	auto_json struct json *document = json_parse(files[0].bytes, files[0].length, &e);

	/* the document is compiled in and tested */
	if (!document || ceiling_read(document, NULL, c, &e))
		abort();
}

void ceiling_fini(struct ceiling *c)
{
	spec_fini(&c->run);
	list_fini(&c->quota.egress);
}

/* Without a list of its own it has that of @above. */
static int ceiling_read_egress(const struct json *document, const struct ceiling *above,
			       struct ceiling *out, struct err *e)
{
	const struct list *hosts = &out->quota.egress;

	if (document && json_get(document, "egress"))
		return egress_list_add_hosts(&out->run, hosts->items, hosts->count, e) ||
				       (above && above->run.egress.has_list &&
					egress_within(&out->run, &above->run.egress, NULL, e))
			       ? -1
			       : 0;
	if (!above || !above->run.egress.has_list)
		return 0;
	for (size_t i = 0; i < above->quota.egress.count; i++)
		list_add(&out->quota.egress, above->quota.egress.items[i]);
	return egress_list_add_hosts(&out->run, hosts->items, hosts->count, e);
}

int ceiling_read(const struct json *document, const struct ceiling *above, struct ceiling *out,
		 struct err *e)
{
	auto_json struct json *nothing = document ? NULL : json_parse("{}", 2, e);

	*out = (struct ceiling){0};
	spec_init(&out->run);
	if (settings_read_ceiling_with(document ? document : nothing, &out->run,
				       ceiling_quotas(out), e) ||
	    ceiling_read_egress(document, above, out, e))
		return -1;
	return above && (settings_check_ceiling(&out->run, &above->run, e) ||
			 settings_check_ceiling_of(ceiling_quotas(out), &above->quota, e))
		       ? -1
		       : 0;
}

int ceiling_load(const char *path, const struct ceiling *above, struct ceiling *out, struct err *e)
{
	auto_json struct json *document = document_read(path, e);

	if (!document) {
		*out = (struct ceiling){0};
		spec_init(&out->run);
		return -1;
	}
	return ceiling_read(document, above, out, e) ? err_prefix(e, "%.300s", path) : 0;
}
