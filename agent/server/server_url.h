/*
 * server_url - turn OLLAMA_HOST, in all the forms that people write, into one base URL.
 *
 * The rules are those of the official client: without a scheme http and port 11434; http:
 * means port 80, https:
 * 443; text behind the first slash is a prefix of every path. Addresses that only a server can
 * listen on (0.0.0.0, ::, none) become loopback ones.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_SERVER_URL_H
#define GLOVEBOX_AGENT_SERVER_URL_H

#include <stdbool.h>

#include "base/err.h"

struct server_url {
	char base[512];    /* "http://127.0.0.1:11434", without a final slash */
	bool https;        /* needs TLS */
	bool loopback;     /* of this machine: not through a proxy */
	bool port_80;      /* from "http://host", for which people expect 11434 */
	char warning[120]; /* about a port replaced by the default; "" */
};

/*
 * server_url_parse - parse the URL that a user wrote.
 *
 * @text  NULL or "": the server on this machine.
 * Errors: ERR_INPUT: another scheme, a user name, an invalid host name.
 */
int server_url_parse(const char *text, struct server_url *out, struct err *e);

#endif
