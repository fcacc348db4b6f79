/*
 * rules - the operator's files: ceilings, keys, certificate, audit.
 */
#include "serve/rules.h"

#include "serve/removal.h"
#include "web/tls.h"

static int rules_read_ceiling(struct server *server, struct ceiling *out, struct err *e)
{
	const char *path = server->options.ceiling;

	return path ? ceiling_load(path, &server->shipped, out, e)
		    : ceiling_read(NULL, &server->shipped, out, e);
}

static int rules_read_origins(struct server *server, struct err *e)
{
	const struct serve_options *o = &server->options;

	for (size_t i = 0; i < o->hosts.count; i++) {
		if (origin_add_host(&server->origin, o->hosts.items[i], e))
			return err_prefix(e, "--allow-host");
	}
	for (size_t i = 0; i < o->origins.count; i++) {
		if (origin_add_cors(&server->origin, o->origins.items[i], e))
			return err_prefix(e, "--cors");
	}
	return 0;
}

static int rules_read_tls(const struct serve_options *o, struct tls **out, struct err *e)
{
	*out = NULL;
	if (!o->tls_cert && !o->tls_key)
		return 0;
	if (!o->tls_cert || !o->tls_key)
		return err_input(e, "--tls-cert and --tls-key belong together: give both");
	*out = tls_open(o->tls_cert, o->tls_key, e);
	return *out ? 0 : -1;
}

int rules_read(struct server *server, struct tls **tls, struct err *e)
{
	const struct serve_options *o = &server->options;

	ceiling_init(&server->shipped);
	if (rules_read_tls(o, tls, e) || rules_read_ceiling(server, &server->ceiling, e))
		return -1;
	/* the key of all requests where keys are not used */
	server->local = key_of_local(&server->ceiling);
	server->origin.is_tls = *tls != NULL;
	if (rules_read_origins(server, e))
		return -1;
	return o->keys ? keys_load(o->keys, &server->ceiling, &server->keys, e) : 0;
}

/* Check the keys against the new ceiling: if one exceeds it, old ceiling and keys stay. */
static int rules_reload_ceilings(struct server *server, struct err *e)
{
	const char *keys = server->options.keys;
	struct keys gone = {0};
	struct ceiling read;

	if (rules_read_ceiling(server, &read, e) ||
	    (keys && keys_reload(keys, &read, &server->keys, &gone, e))) {
		ceiling_fini(&read);
		return -1;
	}
	ceiling_fini(&server->ceiling);
	server->ceiling = read;
	key_lower(server->local, &server->ceiling);
	for (size_t i = 0; i < gone.count; i++)
		removal_begin(server, gone.items[i]);
	keys_fini(&gone);
	return 0;
}

void rules_reload(struct server *server)
{
	struct tls *tls;
	struct err e;

	if (rules_reload_ceilings(server, &e))
		log_error(&server->log, &e);
	if (rules_read_tls(&server->options, &tls, &e))
		log_error(&server->log, &e);
	else if (tls)
		http_set_tls(server->http, tls);
	if (server->audit && audit_reopen(server->audit, &e))
		log_error(&server->log, &e);
}
