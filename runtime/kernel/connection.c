/*
 * connection - the connection file of a kernel: where its client expects it, and the key of its
 * messages.
 */
#include "kernel/connection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json.h"
#include "base/own.h"
#include "fs/trusted_path.h"

#define FILE_MAX 65536

static const char *const connection_ports[KERNEL_SOCKETS] = {
	[SOCKET_SHELL] = "shell_port",  [SOCKET_CONTROL] = "control_port",
	[SOCKET_STDIN] = "stdin_port",  [SOCKET_IOPUB] = "iopub_port",
	[SOCKET_HEARTBEAT] = "hb_port",
};

static int connection_read_place(const struct json *file, const char *transport, const char *ip,
				 const char *name, char **out, struct err *e)
{
	const bool is_tcp = !strcmp(transport, "tcp");
	uint64_t port = 0;

	if (json_get_uint(file, name, &port, e))
		return -1;
	if (!port || port > (is_tcp ? 65535u : UINT32_MAX))
		return err_input(e, "%s: a number of a port is needed", name);
	*out = own_printf(is_tcp ? "tcp://%s:%" PRIu64 : "ipc://%s-%" PRIu64, ip, port);
	return 0;
}

static int connection_check(const struct json *file, const char *transport, const char *ip,
			    struct err *e)
{
	const char *scheme = json_string_at(file, "signature_scheme");

	if (strcmp(transport, "tcp") != 0 && strcmp(transport, "ipc") != 0)
		return err_input(e, "transport: tcp or ipc, not \"%.40s\"", transport);
	if (!ip || !*ip || strlen(ip) > 200)
		return err_input(e, "ip: an address is needed");
	if (scheme && *scheme && strcmp(scheme, "hmac-sha256") != 0)
		return err_input(e, "signature_scheme: hmac-sha256, not \"%.40s\"", scheme);
	if (json_string_at(file, "curve_secretkey"))
		return err_input(e,
				 "curve_secretkey: this kernel does not encrypt; "
				 "KernelManager.transport_encryption must be disabled");
	return 0;
}

static int connection_take(const struct json *file, struct connection *c, struct err *e)
{
	const char *transport = json_string_at(file, "transport");
	const char *ip = json_string_at(file, "ip");

	transport = transport ? transport : "tcp";
	if (connection_check(file, transport, ip, e))
		return -1;
	for (int i = 0; i < KERNEL_SOCKETS; i++) {
		if (connection_read_place(file, transport, ip, connection_ports[i], &c->places[i],
					  e))
			return -1;
	}
	if (!json_string_at(file, "key"))
		return err_input(e, "key: a text is needed; \"\" would turn signatures off");
	c->key = own_strdup(json_string_at(file, "key"));
	return 0;
}

int connection_read(const char *path, struct connection *out, struct err *e)
{
	auto_fd int fd = trusted_path_read(path, e);
	auto_buf struct buf text = {0};
	auto_json struct json *file = NULL;

	*out = (struct connection){0};
	if (fd < 0 || io_read_fd(fd, path, FILE_MAX, &text, e))
		return -1;
	file = json_parse(buf_string(&text), text.length, e);
	if (file && !json_is_object(file))
		err_input(e, "it is no JSON object");
	else if (file && !connection_take(file, out, e))
		return 0;
	return err_prefix(e, "the connection file %.200s", path);
}

void connection_fini(struct connection *c)
{
	for (int i = 0; i < KERNEL_SOCKETS; i++)
		free(c->places[i]);
	free(c->key);
	*c = (struct connection){0};
}
