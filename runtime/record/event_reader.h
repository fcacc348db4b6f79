/*
 * event_reader - read the events of sandboxes that stay (record/event.h), and follow them.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_RECORD_EVENT_READER_H
#define GLOVEBOX_RECORD_EVENT_READER_H

#include "base/json.h"

struct event_reader;

/* Begin before the oldest line. Owned: event_reader_close(). */
struct event_reader *event_reader_open(struct err *e);

/*
 * event_reader_read - tell of each line that has come since the last call, the oldest first.
 * @tell  @event is valid during the call; false: read no further.
 * Returns false if tell() did.
 */
bool event_reader_read(struct event_reader *r,
		       bool (*tell)(void *context, const struct json *event), void *context);

/* A borrowed descriptor: it is ready when there may be more to read, and read by the next call. */
int event_reader_fd(const struct event_reader *r);
void event_reader_close(struct event_reader *r);

#endif
