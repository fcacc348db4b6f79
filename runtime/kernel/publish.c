/*
 * publish - what a kernel sends: replies, and what all clients see.
 */
#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "kernel/kernel.h"

#define TYPE_MAX 64

void kernel_publish(struct kernel *k, const struct message *parent, const char *type,
		    const struct buf *content)
{
	auto_frames struct frames parts = {0};

	message_compose(&k->signer, NULL, type, parent, content, &parts);
	sockets_send(k->sockets, SOCKET_IOPUB, &parts);
}

void kernel_publish_stream(struct kernel *k, const char *name, const char *text, size_t length)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{name:%s", name);
	json_put_bytes(&content, "text", text, length);
	buf_text(&content, "}");
	kernel_publish(k, &k->request, "stream", &content);
}

void kernel_publish_error(struct kernel *k, const char *name, const char *value,
			  const char *traceback)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{ename:%s, evalue:%s", name, value);
	json_put_key(&content, "traceback");
	buf_text(&content, traceback);
	buf_text(&content, "}");
	kernel_publish(k, &k->request, "error", &content);
}

void kernel_publish_status(struct kernel *k, const struct message *parent, const char *state)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{execution_state:%s}", state);
	kernel_publish(k, parent, "status", &content);
}

void kernel_reply(struct kernel *k, enum kernel_socket socket, const struct message *request,
		  const struct buf *content)
{
	auto_frames struct frames parts = {0};
	const char *end = strstr(request->type, "_request");
	char type[TYPE_MAX];

	snprintf(type, sizeof(type), "%.*s_reply",
		 end ? (int)(end - request->type) : (int)strlen(request->type), request->type);
	message_compose(&k->signer, request, type, request, content, &parts);
	sockets_send(k->sockets, socket, &parts);
}
