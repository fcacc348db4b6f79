/*
 * outputs - drive a program's stdout and stderr together.
 */
#include "host/outputs.h"

#include "host/omit.h"

void outputs_start(struct outputs *o, int i, int from, const struct sink *to, uint64_t limit)
{
	stream_init_sink(&o->streams[i], from, to, host_omits("output") ? UINT64_MAX : limit);
	o->streams[i].own_from = true;
}

void outputs_poll(const struct outputs *o, struct pollfd slots[OUTPUTS_SLOTS])
{
	stream_poll(&o->streams[0], slots);
	stream_poll(&o->streams[1], slots + 2);
}

void outputs_pump(struct outputs *o, const struct pollfd slots[OUTPUTS_SLOTS])
{
	stream_pump(&o->streams[0], slots);
	stream_pump(&o->streams[1], slots + 2);
}

bool outputs_are_done(const struct outputs *o, bool late)
{
	for (int i = 0; i < 2; i++) {
		const struct stream *s = &o->streams[i];

		if (!stream_is_done(s) && !(late && stream_is_stuck(s)))
			return false;
	}
	return true;
}

bool outputs_have_no_reader(const struct outputs *o, bool ended, int *error)
{
	const struct stream *s = o->streams;
	bool nobody = ended ? s[0].lost || s[1].lost : s[0].reader_gone || s[1].reader_gone;

	*error = stream_error(&s[0]);
	if (!*error)
		*error = stream_error(&s[1]);
	return nobody;
}

void outputs_abandon(struct outputs *o)
{
	stream_fini(&o->streams[0]);
	stream_fini(&o->streams[1]);
}

void outputs_end(struct outputs *o, bool truncated[2])
{
	for (int i = 0; i < 2; i++)
		truncated[i] = o->streams[i].truncated || stream_is_stuck(&o->streams[i]);
	outputs_abandon(o);
}
