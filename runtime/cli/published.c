/*
 * published - say which ports were taken for those that -p left open.
 */
#include "cli/published.h"

#include <stdio.h>

#include "cli/command.h"

void published_say(const struct sandbox *s)
{
	const struct egress_spec *asked = &s->spec->egress;
	const struct egress *begun = &s->egress;

	for (size_t i = 0; i < asked->published_count && i < begun->published_count; i++) {
		const struct egress_published *p = &begun->published[i];
		auto_buf struct buf outside = {0};

		if (asked->published[i].host_port)
			continue;
		egress_write_endpoint(&p->address, p->host_port, &outside);
		fprintf(stderr, "%s: %s is port %u inside\n", our_name(), buf_string(&outside),
			(unsigned)p->port);
	}
}
