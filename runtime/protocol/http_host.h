/*
 * http_host - compare a request's host with the host of its connection.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_HTTP_HOST_H
#define GLOVEBOX_PROTOCOL_HTTP_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"
#include "net/hostname.h"
#include "protocol/http_text.h"

/* The host and port of a connection. */
struct http_host {
	char name[HOST_NAME_SIZE]; /* canonical; empty: an address, or none */
	struct address address;
	bool is_address;
	uint16_t port;
};

/*
 * http_host_set - set the host and port of a connection.
 *
 * @name  a canonical name, or the text of an address. Any other text matches no request.
 */
void http_host_set(struct http_host *host, const char *name, uint16_t port)
	__attribute__((nonnull));

/*
 * http_host_is - whether an authority (RFC 3986: of Host, or of a target) means this host: its name
 * in any case, with or without a dot at the end; an address in any spelling, IPv6 in brackets. The
 * port may be missing, or must be the connection's, in decimals without leading zeros.
 */
bool http_host_is(const struct http_host *host, const char *text, size_t size)
	__attribute__((nonnull));

/* Whether the host of a URL, "http://host/path", is this one. */
bool http_host_is_of_url(const struct http_host *host, struct http_text url)
	__attribute__((nonnull));

#endif
