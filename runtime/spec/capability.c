/*
 * capability - names of capabilities; the only user of libcap-ng.
 */
#include "spec/capability.h"

#include <cap-ng.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

bool capability_is_known(const char *name)
{
	char lower[32];
	size_t i;

	if (!strcasecmp(name, "all"))
		return true;
	if (!strncasecmp(name, "cap_", 4))
		name += 4;
	for (i = 0; name[i] && i + 1 < sizeof(lower); i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	lower[i] = '\0';
	return !name[i] && capng_name_to_capability(lower) >= 0;
}
