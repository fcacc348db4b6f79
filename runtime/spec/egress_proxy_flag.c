/*
 * egress_proxy_flag - --egress-proxy, and the file with its default.
 */
#include "spec/egress_proxy_flag.h"

#include <string.h>

#include "base/own.h"
#include "netpolicy/egress_preset.h"
#include "netpolicy/egress_proxy.h"
#include "spec/run_settings.h"

#define NONE "none"

static int egress_proxy_flag_take(struct sandbox_spec *s, const char *value, struct err *e)
{
	struct egress_proxy ignored;

	s->egress.proxy = NULL;
	if (!strcmp(value, NONE))
		return 0;
	if (egress_proxy_parse(value, &ignored, e))
		return -1;
	s->egress.proxy = spec_strdup(s, value);
	return 0;
}

int egress_flag_proxy(void *spec, const char *value, struct err *e)
{
	return egress_proxy_flag_take(spec, value, e);
}

static int egress_proxy_flag_default(struct sandbox_spec *s, struct err *e)
{
	struct egress_preset file;
	auto_free char *text = NULL;
	int found = egress_preset_read_own(EGRESS_PROXY_FILE, &file, e);

	if (found)
		return found < 0 ? -1 : 0;
	text = own_strdup(buf_string(&file.text));
	buf_fini(&file.text);
	text[strcspn(text, "\n")] = '\0';
	return egress_proxy_flag_take(s, text, e) ? err_prefix(e, "%.300s", file.path) : 0;
}

int egress_proxy_finish(struct sandbox_spec *s, struct err *e)
{
	if (!s->egress.has_list)
		return s->egress.proxy
			       ? err_input(e,
					   "--egress-proxy needs --egress: what is published "
					   "goes through none")
			       : 0;
	if (setting_given(run_settings, s->given, "egress-proxy"))
		return 0;
	return egress_proxy_flag_default(s, e);
}
