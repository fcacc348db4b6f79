/*
 * meter - limit the rate of bytes, and the number of names below wildcards.
 */
#include "egress/meter.h"

#include <string.h>

#define PARTS 1000 /* per byte: a rate of one byte a second yields one part a millisecond */

/* -- bytes ------------------------------------------------------------------------------------ */

static int64_t meter_bounded(uint64_t value)
{
	return value < (uint64_t)METER_MAX ? (int64_t)value : METER_MAX;
}

void meter_init(struct meter *meter, uint64_t rate, uint64_t burst)
{
	meter->rate = meter_bounded(rate);
	meter->full = PARTS * meter_bounded(burst ? burst : 1);
	meter->tokens = meter->full;
	meter->since_ms = 0;
}

/* Milliseconds to gain so many parts, rounded up. */
static uint64_t meter_time_ms(const struct meter *meter, int64_t parts)
{
	return (uint64_t)((parts + meter->rate - 1) / meter->rate);
}

static void meter_count(struct meter *meter, uint64_t now_ms)
{
	uint64_t passed;

	if (now_ms <= meter->since_ms)
		return;
	passed = now_ms - meter->since_ms;
	meter->since_ms = now_ms;
	if (passed >= meter_time_ms(meter, meter->full - meter->tokens))
		meter->tokens = meter->full;
	else
		meter->tokens += (int64_t)passed * meter->rate;
}

size_t meter_allows(struct meter *meter, uint64_t now_ms)
{
	if (!meter->rate)
		return SIZE_MAX;
	meter_count(meter, now_ms);
	return meter->tokens > 0 ? (size_t)(meter->tokens / PARTS) : 0;
}

void meter_take(struct meter *meter, size_t size)
{
	const int64_t most = PARTS * METER_MAX;

	meter->tokens -= PARTS * meter_bounded(size);
	if (meter->tokens < -most)
		meter->tokens = -most;
}

uint64_t meter_wait_ms(struct meter *meter, size_t size, uint64_t now_ms)
{
	int64_t wanted = PARTS * meter_bounded(size);

	if (!meter->rate)
		return 0;
	meter_count(meter, now_ms);
	if (wanted > meter->full)
		wanted = meter->full;
	return wanted > meter->tokens ? meter_time_ms(meter, wanted - meter->tokens) : 0;
}

/* -- names ------------------------------------------------------------------------------------ */

bool wild_allows(struct wild_meter *meter, const char *name, uint64_t now_ms)
{
	struct wild_name *place = NULL;
	size_t length = strnlen(name, HOST_NAME_SIZE);

	if (length == HOST_NAME_SIZE)
		return false;
	for (size_t i = 0; i < WILD_NAMES; i++) {
		struct wild_name *one = &meter->names[i];

		if (one->until_ms <= now_ms) {
			place = place ? place : one;
		} else if (!strcmp(one->name, name)) {
			place = one;
			break;
		}
	}
	if (!place)
		return false;
	memcpy(place->name, name, length + 1);
	place->until_ms = now_ms + WILD_MINUTE_MS;
	return true;
}

bool wild_fits(const char *pattern, const char *name)
{
	return host_name_wild_bytes(pattern, name) <= WILD_BYTES_MAX;
}
