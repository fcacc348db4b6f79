/*
 * http_forwarded - judge the fields in which a proxy names the requested host to a server.
 *
 * Some servers prefer them to Host, and do not check that a proxy sent them.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HTTP_FORWARDED_H
#define GLOVEBOX_EGRESS_HTTP_FORWARDED_H

#include "egress/http_host.h"
#include "egress/http_text.h"

/*
 * Judge the value of a field: a list of hosts (X-Forwarded-Host), a path or a URL (X-Original-URL),
 * the parameters of RFC 7239 (Forwarded). Return NULL if every host is this one, or why to refuse
 * the request: a static message.
 */
const char *http_forwarded_hosts(const struct http_host *host, struct http_text value);
const char *http_forwarded_url(const struct http_host *host, struct http_text value);
const char *http_forwarded(const struct http_host *host, struct http_text value);

#endif
