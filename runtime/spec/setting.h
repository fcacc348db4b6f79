/*
 * setting - one row per setting: everything about it in one place.
 *
 * From the same rows come arguments (spec/setting_words.h), the environment and JSON
 * (spec/setting_sources.h), help, manual page and completion (spec/setting_text.h), defaults, what
 * a face or a warm cell does not have, and how far a remote caller may go (spec/setting_ceiling.h).
 *
 * No side effects, but for the files that a value may name.
 */
#ifndef GLOVEBOX_SPEC_SETTING_H
#define GLOVEBOX_SPEC_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/trusted_path.h"

struct sandbox_spec;

/* Who has a setting. */
enum setting_face {
	FACE_RUN = 1 << 0,     /* glovebox run; docker run is the same */
	FACE_CELL = 1 << 1,    /* no face: a warm cell can have it */
	FACE_SESSION = 1 << 2, /* glovebox session new */
	FACE_CALL = 1 << 3,    /* glovebox session exec */
	FACE_WARM = 1 << 4,    /* glovebox warm start */
	FACE_AGENT = 1 << 5,
	FACE_SETUP = 1 << 6, /* glovebox agent setup */
	FACE_IMAGE = 1 << 7, /* glovebox image ... */
	FACE_HTTP = 1 << 8,  /* what a caller from elsewhere may say of a run */
	FACE_SERVE = 1 << 9, /* glovebox serve, and what its keys may have */
	FACE_MCP = 1 << 10,  /* glovebox mcp */
};

enum setting_kind {
	SETTING_FLAG,     /* bool */
	SETTING_TEXT,     /* const char *; `min` is its least length */
	SETTING_WRITTEN,  /* struct written_path: a path of the host that is written or made */
	SETTING_CHOICE,   /* int: the index in `choices` */
	SETTING_ON_OFF,   /* the same with "on" and "off"; a truth as well, and alone it is on */
	SETTING_COUNT,    /* uint64_t */
	SETTING_INTEGER,  /* int64_t */
	SETTING_BYTES,    /* uint64_t */
	SETTING_DURATION, /* uint64_t: ms */
	SETTING_MILLI,    /* uint64_t: thousandths */
	SETTING_LIST,     /* struct list: one more */
	SETTING_OWN,      /* whatever `parse` makes of it, perhaps one more of a list */
	SETTING_MOOT,     /* no field: what `harmless` has is so anyway, all else is refused */
};

enum setting_group {
	GROUP_PROGRAM,
	GROUP_FILES,
	GROUP_LIMITS,
	GROUP_NETWORK,
	GROUP_CONFINEMENT,
	GROUP_RESULT,
	GROUP_DOCKER, /* accepted for docker run lines; no effect here */
	GROUP_REFUSED,
	GROUP_ALIAS,
	GROUP_COUNT,
};

struct setting {
	const char *name; /* long form without dashes */
	char letter;      /* short form, or 0 */
	const char *arg;  /* what the value is called; NULL: a flag */
	enum setting_group group;
	unsigned faces; /* bits of enum setting_face */
	enum setting_kind kind;
	size_t at;            /* in the struct that the table fills */
	const char *fallback; /* the default, as somebody would write it; NULL: as it was */

	/* By name, where there is something to say. */
	int64_t min, max;     /* in the unit of the kind */
	const char *none;     /* what means "no limit": "0", "-1", "never", or some: "0|-1" */
	const char *choices;  /* "a|b|c"; of an own one only what the completion offers */
	const char *harmless; /* of SETTING_MOOT: "a|b", "*" for all; NULL: no value, or "false" */
	const char *words;    /* the default, for people, where it is no value */
	const char *alone;    /* what it means without a value, which must be attached: --x=VALUE */
	const char *variable; /* another variable of the environment, weaker */
	const char *unfit;    /* for who does not have it: why not, or what to do instead */
	bool repeated;        /* each adds one */
	bool blank;           /* docker's: an empty value is as none */
	bool ceiling;         /* a caller from elsewhere may only tighten it */
	int (*parse)(void *target, const char *value, struct err *e);
	const char *help; /* one line; where a value is refused the reason and the remedy */
};

#define SETTING_END                                                                                \
	{                                                                                          \
		.name = NULL                                                                       \
	}
#define SETTING_GIVEN 2 /* words of 64 bits: a table has at most 128 rows */

struct setting_table {
	const struct setting *rows; /* end with a null name */
	void *target;
	uint64_t *given; /* SETTING_GIVEN words: the rows that somebody gave; NULL: nobody asks */
};

/* What one face reads. */
struct settings {
	unsigned face;
	unsigned grammar;               /* of its command line: spec/setting_words.h */
	struct setting_table tables[5]; /* up to one without rows; the first row of a name counts */
	const struct sandbox_spec *keeper; /* owns the texts; NULL: they are borrowed */

	/* Rows without this bit are refused by name, and why; others that the face lacks do not
	 * exist. */
	unsigned needs;
	const char *unfit;

	const char *hint; /* after "unknown flag: --x; "; "": the flags there are; NULL: none */
	bool *help;       /* --help, and -h where no row has it; NULL: no flags */
	bool sections;    /* of JSON: limits stand in an object of their own */
};

struct setting_found {
	const struct setting *row; /* NULL: there is none */
	const struct setting_table *table;
};

extern const char *const setting_group_titles[GROUP_COUNT];

/* By name, as far as the face knows it. */
struct setting_found setting_find(const struct settings *s, const char *name, size_t length);
struct setting_found setting_find_letter(const struct settings *s, char letter);

/* Set it, and remember that somebody did. Errors: ERR_INPUT, ERR_UNSUPPORTED, without its name. */
int setting_apply(const struct settings *s, struct setting_found found, const char *value,
		  struct err *e);

/* Every default of a table. Aborts if one cannot be read: it is ours. */
void setting_defaults(const struct setting_table *table, const struct sandbox_spec *keeper);

/* Somebody gave the row of this name. */
bool setting_given(const struct setting *rows, const uint64_t *given, const char *name);

/* The next row that somebody gave, behind `after` (NULL: the first); NULL: no more. */
const struct setting *setting_next_given(const struct setting *rows, const uint64_t *given,
					 const struct setting *after);

#endif
