/*
 * chat - the conversation between the agent and a model: ownership, names of roles.
 */
#include "agent/data/chat.h"
#include "base/own.h"

#include <stdlib.h>

const char *chat_role_name(enum chat_role role)
{
	static const char *const names[] = {
		[CHAT_SYSTEM] = "system",
		[CHAT_USER] = "user",
		[CHAT_ASSISTANT] = "assistant",
		[CHAT_TOOL] = "tool",
	};

	return names[role];
}

void chat_calls_free(struct chat_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(calls[i].id);
		free(calls[i].name);
		free(calls[i].arguments);
	}
	free(calls);
}

void chat_message_fini(struct chat_message *m)
{
	chat_calls_free(m->calls, m->call_count);
	free(m->content);
	free(m->thinking);
	list_fini(&m->images);
	free(m->tool_name);
	free(m->tool_call_id);
	*m = (struct chat_message){.role = m->role};
}

void chat_reply_fini(struct chat_reply *r)
{
	chat_message_fini(&r->message);
	free(r->model);
	*r = (struct chat_reply){.message.role = CHAT_ASSISTANT};
}

struct chat_message chat_message_copy(const struct chat_message *m)
{
	struct chat_message made = {
		.role = m->role,
		.content = own_strdup(m->content),
		.thinking = own_strdup(m->thinking),
		.call_count = m->call_count,
		.tool_name = own_strdup(m->tool_name),
		.tool_call_id = own_strdup(m->tool_call_id),
	};

	made.calls = own_zeroed(m->call_count + 1, sizeof(*made.calls));
	for (size_t i = 0; i < m->call_count; i++) {
		made.calls[i].id = own_strdup(m->calls[i].id);
		made.calls[i].name = own_strdup(m->calls[i].name);
		made.calls[i].arguments = own_strdup(m->calls[i].arguments);
	}
	for (size_t i = 0; i < m->images.count; i++)
		list_add(&made.images, m->images.items[i]);
	return made;
}

struct chat_message chat_message_make(enum chat_role role, const char *content)
{
	return (struct chat_message){.role = role, .content = own_strdup(content)};
}
