/*
 * setting - one row per setting: everything about it in one place.
 *
 * The same rows yield arguments (flags/setting_words.h), the environment and JSON
 * (spec/setting_sources.h), help, manual page and completion (flags/setting_text.h), defaults, the
 * settings that a face or a warm cell lacks, and a remote caller's limits (spec/setting_ceiling.h).
 *
 * No side effects, but for the files that a value may name.
 */
#ifndef GLOVEBOX_SPEC_SETTING_H
#define GLOVEBOX_SPEC_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fs/trusted_path.h"

struct sandbox_spec;

/* Bits: the faces, and warm cells, that have a setting. */
enum setting_face {
	FACE_RUN = 1 << 0,     /* glovebox run; docker run is the same */
	FACE_CELL = 1 << 1,    /* not a face: a warm cell supports it */
	FACE_SESSION = 1 << 2, /* glovebox session new */
	FACE_CALL = 1 << 3,    /* glovebox session exec */
	FACE_WARM = 1 << 4,    /* glovebox warm start */
	FACE_AGENT = 1 << 5,
	FACE_SETUP = 1 << 6,   /* glovebox agent setup */
	FACE_IMAGE = 1 << 7,   /* glovebox image ... */
	FACE_HTTP = 1 << 8,    /* JSON of a remote caller about a run */
	FACE_SERVE = 1 << 9,   /* glovebox serve, and the limits of its keys */
	FACE_MCP = 1 << 10,    /* glovebox mcp */
	FACE_UPDATE = 1 << 11, /* glovebox update */
};

enum setting_kind {
	SETTING_FLAG,     /* bool */
	SETTING_TEXT,     /* const char *; `min` is its least length */
	SETTING_WRITTEN,  /* struct written_path: a host path that we write or create */
	SETTING_CHOICE,   /* int: the index in `choices` */
	SETTING_ON_OFF,   /* int: "on" or "off", or a boolean; "on" without a value */
	SETTING_COUNT,    /* uint64_t */
	SETTING_INTEGER,  /* int64_t */
	SETTING_BYTES,    /* uint64_t */
	SETTING_DURATION, /* uint64_t: ms */
	SETTING_MILLI,    /* uint64_t: thousandths */
	SETTING_LIST,     /* struct list: each value adds one */
	SETTING_OWN,      /* `parse` decides; may add to a list */
	SETTING_MOOT,     /* no field: values in `harmless` change nothing, others are refused */
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
	const char *fallback; /* the default, in the flag's syntax; NULL: the field stays */

	/* Named initializers: most rows set only a few of these. */
	int64_t min, max;     /* in the unit of the kind */
	const char *none;     /* spelling of "no limit": "0", "-1", "never", or several: "0|-1" */
	const char *choices;  /* "a|b|c"; for SETTING_OWN only completion uses them */
	const char *harmless; /* of SETTING_MOOT: "a|b", "*" for all; NULL: no value, or "false" */
	const char *words;    /* the default in prose, if it is not a literal value */
	const char *alone;    /* value of the bare flag; others must be attached: --x=VALUE */
	const char *variable; /* fallback environment variable */
	const char *unfit;    /* for other faces: the reason, or the alternative */
	bool repeated;        /* may be repeated; each adds one */
	bool blank;           /* docker: an empty value counts as not given */
	bool ceiling;         /* a remote caller may only lower it */
	int (*parse)(void *target, const char *value, struct err *e);
	const char *help; /* one line; for a refused setting the reason and the remedy */
};

#define SETTING_END                                                                                \
	{                                                                                          \
		.name = NULL                                                                       \
	}
#define SETTING_GIVEN 2 /* words of 64 bits: a table has at most 128 rows */

struct setting_table {
	const struct setting *rows; /* end with a null name */
	void *target;
	uint64_t *given; /* SETTING_GIVEN words: bits of the rows given; NULL: not recorded */
};

/* The settings of one face. */
struct settings {
	unsigned face;
	unsigned grammar;               /* of its command line: flags/setting_words.h */
	struct setting_table tables[5]; /* up to one without rows; the first row of a name counts */
	const struct sandbox_spec *keeper; /* owns the texts; NULL: they are borrowed */

	/*
	 * Rows without this bit are refused with the reason; rows that the face lacks are unknown.
	 */
	unsigned needs;
	const char *unfit;

	const char *hint; /* after "unknown flag: --x; "; "": list the flags; NULL: nothing */
	bool *help;       /* --help, and -h where no row has it; NULL: no flags */
	bool sections;    /* JSON: limits are members of an object of their own */
};

struct setting_found {
	const struct setting *row; /* NULL: unknown */
	const struct setting_table *table;
};

extern const char *const setting_group_titles[GROUP_COUNT];

/* Find a row by its name, among those that the face knows. */
struct setting_found setting_find(const struct settings *s, const char *name, size_t length);
struct setting_found setting_find_letter(const struct settings *s, char letter);

/*
 * Set the field, and record that the row was given. Errors: ERR_INPUT, ERR_UNSUPPORTED, without the
 * row's name.
 */
int setting_apply(const struct settings *s, struct setting_found found, const char *value,
		  struct err *e);

/* Set every default of a table. Aborts on an invalid default: they are compiled in. */
void setting_defaults(const struct setting_table *table, const struct sandbox_spec *keeper);

/* Whether the row of this name was given. */
bool setting_given(const struct setting *rows, const uint64_t *given, const char *name);

/* The next given row after `after` (NULL: the first); NULL: the end. */
const struct setting *setting_next_given(const struct setting *rows, const uint64_t *given,
					 const struct setting *after);

#endif
