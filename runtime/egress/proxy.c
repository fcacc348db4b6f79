/*
 * proxy - the operator's HTTP proxy, through which hosts of the list are reached.
 */
#include "egress/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/own.h"
#include "net/socket_address.h"
#include "netpolicy/egress.h"
#include "netpolicy/egress_proxy.h"

#define PROXY_RESOLVE_S 8 /* less than our starter's timeout for the first answer */

/* -- where it is ------------------------------------------------------------------------ */

/*
 * Runs: a child, which SIGALRM ends when it takes too long. It writes the addresses that it finds.
 */
__attribute__((noreturn)) static void proxy_look_up(const char *name, int to)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	struct address address;

	alarm(PROXY_RESOLVE_S);
	if (getaddrinfo(name, NULL, &hints, &found))
		_exit(1);
	for (const struct addrinfo *a = found; a; a = a->ai_next) {
		if (socket_address_read(a->ai_addr, &address))
			continue;
		if (write(to, &address, sizeof(address)) != (ssize_t)sizeof(address))
			_exit(1);
	}
	_exit(0);
}

/* Read until the child closes the pipe; a write of one address is atomic (pipe(7)). */
static void proxy_collect(int from, struct proxy *out)
{
	struct address address;
	ssize_t n;

	do {
		n = read(from, &address, sizeof(address));
		if (n == (ssize_t)sizeof(address) && out->count < PROXY_MAX_ADDRESSES)
			out->addresses[out->count++] = address;
	} while (n > 0 || (n < 0 && errno == EINTR));
}

static int proxy_resolve(const char *name, struct proxy *out, struct err *e)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	pid = fork();
	if (pid == 0)
		proxy_look_up(name, ends[1]);
	close(ends[1]);
	if (pid > 0)
		proxy_collect(ends[0], out);
	close(ends[0]);
	if (pid < 0)
		return err_sys(e, "fork");
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return out->count ? 0 : err_input(e, "%s has no address", name);
}

int proxy_open(const char *url, struct proxy *out, struct err *e)
{
	struct egress_proxy parsed;
	auto_buf struct buf secret = {0};

	*out = (struct proxy){0};
	if (egress_proxy_parse(url, &parsed, e))
		return err_prefix(e, "--egress-proxy");
	out->port = parsed.port;
	if (!parsed.name[0])
		out->addresses[out->count++] = parsed.address;
	else if (proxy_resolve(parsed.name, out, e))
		return err_prefix(e, "--egress-proxy");
	if (!parsed.secret[0])
		return 0;
	encode_base64(parsed.secret, strlen(parsed.secret), &secret);
	out->secret = own_strdup(buf_string(&secret));
	return 0;
}

void proxy_close(struct proxy *p)
{
	free(p->secret);
	*p = (struct proxy){0};
}

/* -- what it is asked ------------------------------------------------------------------- */

void proxy_request(const struct proxy *p, const char *name, const struct address *address,
		   uint16_t port, struct buf *out)
{
	auto_buf struct buf host = {0};

	if (name)
		buf_printf(&host, "%s:%u", name, port);
	else
		egress_write_endpoint(address, port, &host);
	buf_printf(out, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", buf_string(&host),
		   buf_string(&host));
	if (p->secret)
		buf_printf(out, "Proxy-Authorization: Basic %s\r\n", p->secret);
	buf_text(out, "\r\n");
}
