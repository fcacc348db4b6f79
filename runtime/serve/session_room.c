/*
 * session_room - whether a key may have one more session.
 */
#include "serve/session_room.h"

#include <stddef.h>
#include <string.h>

#include "tenant/keys.h"

void session_room_enter(struct sessions *s, struct session_room *room, struct key *key,
			const char *name)
{
	*room = (struct session_room){.key = key, .name = name, .next = s->beginning};
	room->at = &s->beginning;
	if (room->next)
		room->next->at = &room->next;
	s->beginning = room;
}

void session_room_leave(struct session_room *room)
{
	if (!room->at)
		return;
	*room->at = room->next;
	if (room->next)
		room->next->at = room->at;
	room->at = NULL;
	room->key->use.begun++;
}

static bool session_room_is_listed(const struct notebook_result *list, const char *name)
{
	for (size_t i = 0; i < list->session_count; i++) {
		if (!strcmp(list->sessions[i].name, name))
			return true;
	}
	return false;
}

int session_room_check(const struct sessions *s, const struct key *key,
		       const struct notebook_result *list, uint64_t *retry_after_s, struct err *e)
{
	uint64_t count = 0;

	for (size_t i = 0; i < list->session_count; i++)
		count += handle_check(&s->secret, key->id, list->sessions[i].name);
	for (const struct session_room *x = s->beginning; x; x = x->next)
		count += x->key == key && !session_room_is_listed(list, x->name);
	return quota_check_sessions(key, count, retry_after_s, e);
}
