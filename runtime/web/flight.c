/*
 * flight - bound what each key's requests hold while they are answered.
 */
#include "web/flight.h"

/* A holder of nothing may take all that is free. */
static bool flight_may(const struct flight_pool *pool, uint64_t has, uint64_t amount, uint64_t free)
{
	if (amount > free)
		return false;
	if (!has || pool->has_one_holder)
		return true;
	return has + amount <= free - amount;
}

bool flight_take(struct flight_pool *pool, struct flight *flight, enum flight_kind kind,
		 uint64_t amount)
{
	const uint64_t has = flight->has[kind];

	if (!flight_may(pool, has, amount, pool->most[kind] - pool->all.has[kind]))
		return false;
	flight->has[kind] += amount;
	pool->all.has[kind] += amount;
	return true;
}

void flight_give(struct flight_pool *pool, struct flight *flight, enum flight_kind kind,
		 uint64_t amount)
{
	flight->has[kind] -= amount;
	pool->all.has[kind] -= amount;
}
