/*
 * nursery_policy - the system call filter of a nursery, compiled from policy/nursery.json.
 */
#include "warm/nursery_policy.h"

#include "nursery_filter.h"

struct sock_fprog nursery_policy(void)
{
	return (struct sock_fprog){sizeof(nursery_filter) / sizeof(nursery_filter[0]),
				   (struct sock_filter *)nursery_filter};
}
