/*
 * server_url - OLLAMA_HOST, in all the forms that people write, as one base URL.
 *
 * The rules are those of the official client: no scheme means http and port 11434, http://
 * means port 80, https:// 443; what follows the first slash is a prefix of every path.
 * Addresses that only a server can listen at (0.0.0.0, ::, none) become the loopback ones.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_SERVER_URL_H
#define GLOVEBOX_AGENT_SERVER_URL_H

#include <stdbool.h>

#include "base/err.h"

struct server_url {
	char base[512];    /* "http://127.0.0.1:11434", no slash at the end */
	bool https;        /* needs TLS */
	bool loopback;     /* of this machine: no proxy is used */
	bool port_80;      /* from "http://host", for which people expect 11434 */
	char warning[120]; /* a port that was replaced by the default one; "" */
};

/*
 * server_url_parse - read what a user wrote.
 *
 * @text  NULL or "" is the server of this machine.
 * Errors: ERR_INPUT for another scheme, a user name, and an invalid host name.
 */
int server_url_parse(const char *text, struct server_url *out, struct err *e);

#endif
