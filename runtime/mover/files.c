/*
 * files - single files below one directory, for the faces of a session.
 */
#include "mover/files.h"

#include "inside/sys.h"
#include "mover/said.h"

unsigned long long files_number(const char *digits, unsigned base)
{
	unsigned long long value = 0;

	while (*digits >= '0' && *digits <= '9')
		value = value * base + (unsigned)(*digits++ - '0');
	return value;
}

void files_run(long count, char **words)
{
	static const struct {
		const char *name;
		long words;
		void (*run)(char **words);
	} verbs[] = {
		{"list",    4, list_run   },
                {"read",    3, read_run   },
                {"write",   3, write_run  },
		{"remove",  2, remove_run },
                {"archive", 4, archive_run},
                {"make",    2, make_run   },
		{"rename",  3, rename_run },
                {"usage",   3, usage_run  },
                {"watch",   3, watch_run  },
	};

	for (unsigned i = 0; count > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!sys_equal(words[1], verbs[i].name) || count - 2 != verbs[i].words)
			continue;
		verbs[i].run(words + 2);
		said_end();
	}
}
