/*
 * addresses - the sockets of a server: its own, and one for each --face.
 */
#include "serve/addresses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "serve/faces.h"
#include "web/listen.h"

/* An IPv6 address needs brackets. */
static char *addresses_own_where(const struct serve_options *o)
{
	const bool is_six = strchr(o->host, ':') && *o->host != '[';

	if (o->listen)
		return own_strdup(o->listen);
	return own_printf(is_six ? "[%s]:%" PRIu64 : "%s:%" PRIu64, o->host, o->port);
}

/* @face  NULL: the server's own. @where  NULL: the socket that systemd has passed. */
static int addresses_add(const struct server *server, bool is_tls, const struct face *face,
			 const char *where, struct addresses *a, struct err *e)
{
	struct http_listener *listener = &a->all[a->count];

	if (a->count == HTTP_LISTENERS)
		return err_input(e, "a server has %d addresses at most", HTTP_LISTENERS);
	listener->site = face ? face->site : &routes_site;
	listener->fd = listen_open(where, is_tls, &listener->kind, &a->said[a->count], e);
	if (listener->fd < 0)
		return -1;
	a->count++;
	if (listener->kind != LISTEN_PUBLIC || server->options.keys)
		return 0;
	return err_input(e,
			 "others can reach that address, and there are no keys: give --keys, or "
			 "listen on 127.0.0.1 or unix:PATH");
}

static int addresses_add_face(const struct server *server, bool is_tls, const char *text,
			      struct addresses *a, struct err *e)
{
	const char *where;
	const struct face *face = faces_read(text, &where, e);

	return !face || addresses_add(server, is_tls, face, where, a, e)
		       ? err_prefix(e, "--face %.200s", text)
		       : 0;
}

int addresses_open(const struct server *server, bool is_tls, struct addresses *out, struct err *e)
{
	auto_free char *where = addresses_own_where(&server->options);
	const struct list *texts = &server->options.faces;
	const bool is_passed = listen_is_passed();

	if (addresses_add(server, is_tls, NULL, is_passed ? NULL : where, out, e))
		return err_prefix(e, "--listen %.200s", is_passed ? "by systemd" : where);
	for (size_t i = 0; i < texts->count; i++) {
		if (addresses_add_face(server, is_tls, texts->items[i], out, e))
			return -1;
	}
	return 0;
}

void addresses_close(struct addresses *a)
{
	for (unsigned i = 0; i < HTTP_LISTENERS; i++) {
		if (i < a->count)
			own_close(&a->all[i].fd);
		own_free(&a->said[i]);
	}
	a->count = 0;
}

char *addresses_say(const struct addresses *a, struct server *server)
{
	const struct list *texts = &server->options.faces;
	struct buf all = {0};

	log_say(&server->log, "serving on %s", a->said[0]);
	buf_text(&all, a->said[0]);
	for (size_t i = 0; i < texts->count; i++) {
		const int length = (int)strcspn(texts->items[i], "=");

		log_say(&server->log, "serving %.*s on %s", length, texts->items[i],
			a->said[i + 1]);
		buf_printf(&all, " %.*s=%s", length, texts->items[i], a->said[i + 1]);
		list_addf(&server->faces, "%.*s=%s", length, texts->items[i], a->said[i + 1]);
	}
	return buf_take(&all);
}
