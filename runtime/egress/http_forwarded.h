/*
 * http_forwarded - the fields in which a proxy tells a server behind it which host was asked for.
 *
 * Servers believe them rather than Host, whoever sends them.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_HTTP_FORWARDED_H
#define GLOVEBOX_EGRESS_HTTP_FORWARDED_H

#include "egress/http_host.h"
#include "egress/http_text.h"

/*
 * Judge the value of such a field: a list of hosts (X-Forwarded-Host), a path or a URL
 * (X-Original-URL), the parameters of RFC 7239 (Forwarded). Return NULL if every host is this one,
 * or why the request is refused: static, for people.
 */
const char *http_forwarded_hosts(const struct http_host *host, struct http_text value);
const char *http_forwarded_url(const struct http_host *host, struct http_text value);
const char *http_forwarded(const struct http_host *host, struct http_text value);

#endif
